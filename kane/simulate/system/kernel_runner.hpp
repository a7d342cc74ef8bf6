#pragma once
// A kernel with its workspace, kept up to date with the parameters, inputs and time of a SystemEvaluator: whatever changed
// since its last run is handed over first, and nothing else. A run with everything as in the last one (bit by bit) gives the
// values it gave then: after an event, several parts of a simulation ask for the same state one after the other.

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/codegen/kernel.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

/// Parameters and inputs as they are now. The counts grow with every change.
struct RunContext {
  std::vector<double> parameters;
  std::vector<double> inputs;  ///< inputs, then t
  long parameter_changes = 1;
  long input_changes = 1;
  long time_changes = 1;

  [[nodiscard]] double time() const { return inputs.back(); }
};

class KernelRunner {
 public:
  /// `kernel` may be null: then present() is false. It and the context must outlive the runner.
  KernelRunner(const Kernel* kernel, const RunContext& context, bool uses_time = true)
      : kernel_(kernel),
        context_(&context),
        workspace_(kernel == nullptr ? nullptr : std::make_unique<Workspace>(*kernel)),
        uses_time_(uses_time) {}

  [[nodiscard]] bool present() const { return kernel_ != nullptr; }
  /// Grows whenever the values may have changed.
  [[nodiscard]] long runs() const { return runs_; }

  /// The outputs for a state put together of several parts: q, u, udot, lambda.
  template <class... Parts>
  std::span<const double> run(const Parts&... parts) {
    bool changed = update();
    double* to = workspace_->state().data();
    ((changed = copy_changed(std::data(parts), std::size(parts), to) || changed, to += std::size(parts)), ...);
    if (changed) kernel_->run_state(*workspace_), ++runs_;
    return workspace_->outputs();
  }

 private:
  static bool copy_changed(const double* from, std::size_t count, double* to) {
    if (count == 0 || std::memcmp(from, to, count * sizeof(double)) == 0) return false;
    copy_numbers(from, count, to);
    return true;
  }

  bool update() {
    bool changed = false;
    if (parameters_seen_ != context_->parameter_changes) {
      kernel_->set_parameters(context_->parameters, *workspace_);
      parameters_seen_ = context_->parameter_changes;
      inputs_seen_ = 0;
      changed = true;
    }
    if (inputs_seen_ != context_->input_changes || (uses_time_ && time_seen_ != context_->time_changes)) {
      kernel_->set_inputs(context_->inputs, *workspace_);
      inputs_seen_ = context_->input_changes;
      time_seen_ = context_->time_changes;
      changed = true;
    }
    return changed;
  }

  const Kernel* kernel_;
  const RunContext* context_;
  std::unique_ptr<Workspace> workspace_;
  bool uses_time_;
  long parameters_seen_ = 0, inputs_seen_ = 0, time_seen_ = 0, runs_ = 0;
};

}  // namespace kane
