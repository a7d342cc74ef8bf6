#pragma once
// The starts of many cases of one model. Model::start() completes and checks everything that a user may give, which takes longer than
// a short run in lanes. Where only some numbers change from case to case, the first start is kept, and what depends on these numbers
// is computed and checked again, with the same operations, so that the bits are the same. One for each thread.

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kane/batch/sweep.hpp"
#include "kane/mechanism/value_recheck.hpp"

namespace kane {

class CaseStarts {
 public:
  /// `model`: one of the sweep's, or a free model of it. Both must outlive it.
  CaseStarts(const Sweep& sweep, const Model& model);

  /// The start of a case, not assembled; valid until the next call. Throws ModelError as Model::start() does.
  Start& start(std::span<const double> values);
  /// Numbers of all parameters of that case, in the order of CompiledSystem::parameters().
  [[nodiscard]] const std::vector<double>& parameters() const { return parameters_; }
  /// Every start is made by Model::start().
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  /// A variable of the study.
  struct Changing {
    SweepTarget::Kind kind;
    std::size_t place;        ///< among the parameters, coordinates, speeds or inputs
    double* known = nullptr;  ///< of a parameter, in known_
    double* given = nullptr;  ///< of a parameter, in the start
  };
  /// A parameter, coordinate or speed that follows from parameters that change.
  struct Following {
    Expr value;
    double* to;
    double* known = nullptr;  ///< of a parameter, in known_
  };

  void keep();
  void find_changing();
  void find_derived();
  [[nodiscard]] bool find_laws();
  void change(std::span<const double> values);

  const Sweep& sweep_;
  const Model& model_;
  bool whole_, kept_ = false;
  Start start_;
  State begin_;   ///< of the start
  Values known_;  ///< all parameters
  std::vector<double> parameters_;
  std::vector<Changing> changing_;
  std::vector<Following> derived_, laws_;
  std::set<std::string, std::less<>> names_;  ///< parameters that change
  std::unique_ptr<ValueRecheck> recheck_;
};

}  // namespace kane
