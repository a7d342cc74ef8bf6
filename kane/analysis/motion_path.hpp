#pragma once
// A prescribed motion: coordinates as functions of time with their first two derivatives, written as expressions
// of t and parameters or as columns of a table.

#include <memory>
#include <string>
#include <vector>

#include "kane/analysis/spline.hpp"
#include "kane/simulate/record/series_file.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {

class MotionPath {
 public:
  explicit MotionPath(const SystemEvaluator& evaluator)
      : evaluator_(evaluator),
        shop_(std::make_unique<KernelWorkshop>(evaluator.system())),
        runner_(nullptr, evaluator.context()) {}

  /// "q1" and "0.5*sin(2*t)". Throws ModelError for unknown names, or if it is already prescribed.
  void add(const std::string& coordinate, const std::string& expression);
  /// All columns that are coordinates; those that are speeds, derivatives or outputs of the model are ignored. Throws
  /// ModelError for other names, or if no coordinate is among them.
  void add(const SeriesTable& table);

  [[nodiscard]] bool empty() const { return coordinates_.empty(); }
  /// Indices into EquationsOfMotion::q.
  [[nodiscard]] const std::vector<std::size_t>& coordinates() const { return coordinates_; }
  /// Time range of the tables: from the latest begin to the earliest end. Infinite for expressions alone.
  [[nodiscard]] double begin() const { return begin_; }
  [[nodiscard]] double end() const { return end_; }

  /// Values in the order of coordinates(), with the evaluator's parameters. The first call compiles.
  void calc(double t, std::span<CurvePoint> points);

 private:
  void claim(std::size_t coordinate);
  void compile();

  const SystemEvaluator& evaluator_;
  std::unique_ptr<KernelWorkshop> shop_;
  std::vector<std::size_t> coordinates_;
  std::vector<int> source_;  ///< >= 0: number of the expression; < 0: -1 - number of the spline
  std::vector<Expr> expressions_;
  std::vector<Spline> splines_;
  double begin_ = -std::numeric_limits<double>::infinity(), end_ = std::numeric_limits<double>::infinity();
  std::unique_ptr<Kernel> kernel_;
  KernelRunner runner_;
  RunContext context_;
  std::vector<double> zeros_;
};

}  // namespace kane
