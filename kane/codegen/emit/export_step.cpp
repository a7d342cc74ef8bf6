#include "kane/codegen/emit/export_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/codegen/kernel.hpp"

namespace kane {

namespace {

/// The classical Runge-Kutta method, as in the drivers.
class Run {
 public:
  Run(const ExportModel& model, const Kernel& kernel) : model_(model), kernel_(kernel), ws_(kernel) {
    std::copy(model.parameters.begin(), model.parameters.end(), ws_.parameters().begin());
    kernel_.run_parameters(ws_);
    std::copy(model.inputs.begin(), model.inputs.end(), ws_.inputs().begin());
    if (model.time) time_ = *model.program.find_input(*model.time) - model.program.first_input(Stage::Inputs);
    kernel_.run_inputs(ws_);
  }

  std::vector<std::vector<double>> rows() {
    const std::size_t n = model_.state.size();
    const double h = model_.step;
    const long steps = std::lround(model_.duration / h);
    std::vector<double> x = model_.state, k1(n), k2(n), k3(n), k4(n), z(n);
    std::vector<std::vector<double>> rows;
    for (long step = 0;; ++step) {
      const double t = model_.start + static_cast<double>(step) * h;
      if (step % model_.print_every == 0 || step == steps) {
        rows.push_back({t});
        rows.back().insert(rows.back().end(), x.begin(), x.end());
      }
      if (step == steps) return rows;
      calc_rates(t, x, k1);
      for (std::size_t i = 0; i < n; ++i) z[i] = x[i] + 0.5 * h * k1[i];
      calc_rates(t + 0.5 * h, z, k2);
      for (std::size_t i = 0; i < n; ++i) z[i] = x[i] + 0.5 * h * k2[i];
      calc_rates(t + 0.5 * h, z, k3);
      for (std::size_t i = 0; i < n; ++i) z[i] = x[i] + h * k3[i];
      calc_rates(t + h, z, k4);
      for (std::size_t i = 0; i < n; ++i) x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
  }

 private:
  void calc_rates(double t, const std::vector<double>& x, std::vector<double>& rates) {
    if (model_.time) {
      ws_.inputs()[time_] = t;
      kernel_.run_inputs(ws_);
    }
    std::copy(x.begin(), x.end(), ws_.state().begin());
    kernel_.run_state(ws_);
    std::copy_n(ws_.outputs().begin(), rates.size(), rates.begin());
  }

  const ExportModel& model_;
  const Kernel& kernel_;
  Workspace ws_;
  std::size_t time_ = 0;
};

double largest_change(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  double largest = 0;
  for (std::size_t r = 0; r < std::min(a.size(), b.size()); ++r)
    for (std::size_t i = 1; i < a[r].size(); ++i) {
      const double change = std::fabs(a[r][i] - b[r][i]) / std::max(1.0, std::fabs(b[r][i]));
      if (!(change <= largest)) largest = change;
      if (std::isnan(largest)) return largest;
    }
  return largest;
}

}  // namespace

std::vector<std::vector<double>> simulate_export(const ExportModel& model) {
  check_export_model(model);
  return Run(model, compile_kernel(model.program)).rows();
}

ExportStep choose_export_step(ExportModel& model, double tolerance, long max_steps) {
  check_export_model(model);
  ExportStep result{std::numeric_limits<double>::infinity(), false};
  if (!model.program.functions.empty()) return result;
  const Kernel kernel = compile_kernel(model.program);
  std::vector<std::vector<double>> coarse = Run(model, kernel).rows();
  for (;;) {
    ExportModel finer = model;
    finer.step /= 2;
    finer.print_every *= 2;
    if (finer.print_every <= 0 || finer.duration / finer.step > static_cast<double>(max_steps)) return result;
    std::vector<std::vector<double>> fine = Run(finer, kernel).rows();
    result.change = largest_change(coarse, fine);
    result.accurate = result.change <= tolerance;
    if (result.accurate) return result;
    model.step = finer.step;
    model.print_every = finer.print_every;
    coarse = std::move(fine);
  }
}

}  // namespace kane
