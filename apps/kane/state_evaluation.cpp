#include "apps/kane/state_evaluation.hpp"

#include <fmt/format.h>

#include "apps/kane/command.hpp"

namespace kane {

void StateEvaluation::run(const nlohmann::json& state, int entry) {
  const EquationsOfMotion& e = equations();
  situation_ = make_situation(state, mechanism_, *system_, entry);
  evaluator_.set_parameters(system_->calc_parameters(situation_.parameters));
  evaluator_.set_inputs(situation_.inputs, situation_.t);
  evaluator_.set_active(active_rows(e, situation_));
  qdot_.resize(e.q.size());
  udot_.resize(e.u.size());
  lambda_.assign(e.constraints.size(), 0.0);
  const MotionReport report = evaluator_.calc_motion(situation_.q, situation_.u, qdot_, udot_);
  if (!report.ok()) throw RunFailed((entry < 0 ? "" : fmt::format("state {}: ", entry + 1)) + describe(report, e));
  if (system_->mass() != nullptr) evaluator_.calc_mass(situation_.q, situation_.u);
  if (!evaluator_.active_rows().empty()) evaluator_.calc_multipliers(udot_, lambda_);
}

}  // namespace kane
