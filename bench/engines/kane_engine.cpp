// Kane: the robot as URDF, the shortest formulation, machine code.

#include <optional>

#include "bench/engines/engine.hpp"
#include "kane/codegen/kernel.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/urdf/urdf_reader.hpp"
#include "kane/mechanics/explicit_motion.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/program/lower.hpp"

namespace kane::bench {

namespace {

/// A kernel with its workspace, and the states in its order.
class TimedKernel {
 public:
  TimedKernel(const EquationsOfMotion& e, const std::vector<Expr>& outputs, bool accelerations, int lanes)
      : kernel_(make(e, outputs, accelerations, lanes)), workspace_(kernel_), lanes_(static_cast<std::size_t>(lanes)) {
    Values known;
    std::vector<double> parameters;
    for (const auto& p : e.parameters) {
      const double value = evaluate(p.value, known);
      known[p.symbol.name()] = value;
      parameters.insert(parameters.end(), lanes_, value);
    }
    kernel_.set_parameters(parameters, workspace_);
    kernel_.set_inputs(std::vector<double>(workspace_.inputs().size(), 0.0), workspace_);
    outputs_.resize(outputs.size() * lanes_);
  }

  void prepare(const std::vector<RobotState>& states, bool accelerations) {
    for (std::size_t first = 0; first + lanes_ <= states.size(); first += lanes_) {
      std::vector<double> packed;
      const auto append = [&](std::size_t count, auto&& value) {
        for (std::size_t i = 0; i < count; ++i)
          for (std::size_t l = 0; l < lanes_; ++l) packed.push_back(value(states[first + l], i));
      };
      append(states[0].q.size(), [](const RobotState& s, std::size_t i) { return s.q[i]; });
      append(states[0].u.size(), [](const RobotState& s, std::size_t i) { return s.u[i]; });
      if (accelerations) append(states[0].u.size(), [](const RobotState& s, std::size_t i) { return s.u[i]; });
      states_.push_back(std::move(packed));
    }
  }

  void run(std::size_t state) { kernel_.evaluate(states_[state % states_.size()], outputs_, workspace_); }
  [[nodiscard]] const std::vector<double>& outputs() const { return outputs_; }
  [[nodiscard]] std::size_t lanes() const { return lanes_; }

 private:
  static Kernel make(const EquationsOfMotion& e, const std::vector<Expr>& outputs, bool accelerations, int lanes) {
    ProgramInputs names;
    for (const auto& p : e.parameters) names.parameters.push_back(p.symbol.name());
    for (const auto& i : e.inputs) names.inputs.push_back(i.symbol.name());
    names.inputs.push_back(e.t.name());
    for (const auto& q : e.q) names.state.push_back(q.name());
    for (const auto& u : e.u) names.state.push_back(u.name());
    if (accelerations)
      for (const auto& a : e.udot) names.state.push_back(a.name());
    std::vector<NamedExpr> named;
    for (std::size_t i = 0; i < outputs.size(); ++i) named.push_back({"y" + std::to_string(i), outputs[i]});
    KernelOptions options;
    options.lanes = lanes;
    return compile_kernel(lower("bench", named, names), options);
  }

  Kernel kernel_;
  Workspace workspace_;
  std::size_t lanes_;
  std::vector<std::vector<double>> states_;
  std::vector<double> outputs_;
};

EquationsOfMotion equations(const test::RobotTree& robot) {
  UrdfOptions options;
  options.floating_base = robot.floating;
  FormOptions form;
  form.outputs = false;
  return form_equations(read_urdf_text(test::write_urdf(robot), "robot.urdf", options), form);
}

class KaneEngine final : public Engine {
 public:
  explicit KaneEngine(const test::RobotTree& robot)
      : e_(equations(robot)),
        forward_(e_, e_.udot_explicit, false, 1),
        many_(e_, e_.udot_explicit, false, vector_lanes(best_isa())),
        inverse_(e_, e_.inverse, true, 1),
        mass_(e_, lower_triangle(e_.M), false, 1) {
    constexpr std::size_t kMostSpeeds = 40;
    if (e_.u.size() <= kMostSpeeds) derivatives_.emplace(e_, derivatives_of(e_), false, 1);
  }

  [[nodiscard]] std::string name() const override { return "Kane"; }
  void prepare(const std::vector<RobotState>& states) override {
    forward_.prepare(states, false);
    many_.prepare(states, false);
    inverse_.prepare(states, true);
    mass_.prepare(states, false);
    if (derivatives_) derivatives_->prepare(states, false);
  }
  void forward(std::size_t state) override { forward_.run(state); }
  [[nodiscard]] std::vector<double> accelerations() const override { return forward_.outputs(); }
  [[nodiscard]] bool has_inverse() const override { return true; }
  void inverse(std::size_t state) override { inverse_.run(state); }
  void mass_matrix(std::size_t state) override { mass_.run(state); }
  [[nodiscard]] bool has_derivatives() const override { return derivatives_.has_value(); }
  void derivatives(std::size_t state) override { derivatives_->run(state); }
  [[nodiscard]] std::size_t lanes() const override { return many_.lanes(); }
  void forward_many() override { many_.run(next_++); }

 private:
  static Isa best_isa() {
    const auto isa = find_best_isa();
    if (!isa) throw std::runtime_error("there is no machine code for this processor");
    return *isa;
  }
  static std::vector<Expr> lower_triangle(const ExprMatrix& M) {
    std::vector<Expr> entries;
    for (int i = 0; i < M.rows; ++i)
      for (int j = 0; j <= i; ++j) entries.push_back(M(i, j));
    return entries;
  }

  static std::vector<Expr> derivatives_of(const EquationsOfMotion& e) {
    std::vector<Expr> y = e.q;
    y.insert(y.end(), e.u.begin(), e.u.end());
    std::vector<Expr> entries;
    for (const Jacobian::Entry& entry : form_motion_derivatives(e, y).entries) entries.push_back(entry.value);
    return entries;
  }

  EquationsOfMotion e_;
  TimedKernel forward_, many_, inverse_, mass_;
  std::optional<TimedKernel> derivatives_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_kane_engine(const test::RobotTree& robot) { return std::make_unique<KaneEngine>(robot); }

}  // namespace kane::bench
