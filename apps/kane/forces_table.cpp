#include "apps/kane/forces_table.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/state_evaluation.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanism/dof_table.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

class ForcesEvaluation {
 public:
  ForcesEvaluation(const Mechanism& mechanism, const std::string& formulation, const ForcesTableOptions& options,
                   const CompileOptions& compile)
      : mechanism_(mechanism), options_(options) {
    FormOptions form;
    form.formulation = formulation_from(formulation);
    form.outputs = false;
    EquationsOfMotion equations = form_equations(mechanism, form);
    const LoweredMechanism lowered = lower_mechanism(mechanism);
    table_ = form_dof_table(mechanism, lowered, equations);
    equations.reactions = form_reactions(mechanism, lowered, equations.constraints, options.view);
    first_force_ = equations.auxiliary_forces.size();
    const auto names = table_.constraint_names();
    const auto forces = table_.constraint_forces();
    for (std::size_t i = 0; i < names.size(); ++i) equations.auxiliary_forces.push_back({names[i], forces[i]});
    evaluation_.emplace(mechanism, std::make_shared<const CompiledSystem>(std::move(equations), compile));
  }

  Json answer(const nlohmann::json& state, int entry) {
    evaluation_->run(state, entry);
    read_reports();
    const EquationsOfMotion& e = evaluation_->equations();
    Json a;
    a["model"] = e.name;
    a["t"] = evaluation_->situation().t;
    a["degrees_of_freedom"] = table_.free_count;
    a["joints"] = Json::array();
    std::size_t tree_joint = 0;
    for (const Joint& joint : mechanism_.joints) {
      const DofEntry* entry_of_joint = joint.closing ? nullptr : &table_.entries[tree_joint++];
      if (options_.joint.empty() || joint.name == options_.joint)
        a["joints"].push_back(describe_joint(joint, entry_of_joint));
    }
    a["constraint_names"] = table_.constraint_names();
    a["constraint_forces"] = forces_;
    a["multipliers"] = Json::object();
    for (const int i : evaluation_->evaluator().active_rows()) {
      const auto k = static_cast<std::size_t>(i);
      a["multipliers"][e.constraints[k].name] = evaluation_->multipliers()[k];
    }
    if (!e.warnings.empty()) a["warnings"] = e.warnings;
    return a;
  }

 private:
  void read_reports() {
    const std::span<const double> y = evaluation_->calc_reports();
    forces_.clear();
    reactions_.clear();
    std::size_t auxiliary = 0;
    for (const ReportItem& item : evaluation_->system().report_items()) {
      if (item.kind == ReportItem::Kind::Reaction)
        reactions_[item.name] = {y.begin() + static_cast<std::ptrdiff_t>(item.first),
                                 y.begin() + static_cast<std::ptrdiff_t>(item.first + 6)};
      if (item.kind == ReportItem::Kind::Auxiliary && auxiliary++ >= first_force_) forces_.push_back(y[item.first]);
    }
  }

  [[nodiscard]] static Json name_of(const std::vector<Expr>& symbols, int index) {
    return index < 0 ? Json() : Json(symbols[static_cast<std::size_t>(index)].name());
  }

  [[nodiscard]] Json describe_joint(const Joint& joint, const DofEntry* entry) const {
    const EquationsOfMotion& e = evaluation_->equations();
    Json a{{"joint", joint.name}, {"type", joint.kind}, {"parent", joint.parent}, {"child", joint.child}};
    if (joint.closing) a["closing"] = true;
    if (entry != nullptr) {
      a["rotation_sequence"] = entry->rotation_sequence;
      a["translation_sequence"] = entry->translation_sequence;
      a["axes"] = Json::array();
      for (const DofAxis& axis : entry->axes) {
        Json row{{"axis", axis.name}, {"free", axis.free}};
        row["speed"] = name_of(e.u, axis.speed);
        row["speed_index"] = axis.speed < 0 ? Json() : Json(axis.speed);
        row["coordinate"] = name_of(e.q, axis.coordinate);
        row["coordinate_index"] = axis.coordinate < 0 ? Json() : Json(axis.coordinate);
        row["constraint_index"] = axis.free ? Json() : Json(axis.constraint);
        row["force"] = axis.free ? Json() : Json(forces_[static_cast<std::size_t>(axis.constraint)]);
        a["axes"].push_back(row);
      }
      if (entry->spherical_coordinate >= 0) a["fourth_euler_parameter"] = name_of(e.q, entry->spherical_coordinate);
    }
    const std::vector<double>& w = reactions_.at(joint.name);
    const ReactionView& view = options_.view;
    a["reaction"] = {{"force", std::vector<double>(w.begin(), w.begin() + 3)},
                     {"torque", std::vector<double>(w.begin() + 3, w.end())},
                     {"frame", view.frame.empty() ? joint.child : view.frame},
                     {"point", view.point.empty() ? joint.name : view.point}};
    return a;
  }

  const Mechanism& mechanism_;
  const ForcesTableOptions& options_;
  DofTable table_;
  std::size_t first_force_ = 0;  ///< of the table's among the auxiliary forces
  std::optional<StateEvaluation> evaluation_;
  std::vector<double> forces_;
  std::map<std::string, std::vector<double>> reactions_;
};

// ---- for people -----------------------------------------------------------------------------------------------------------

std::string indexed(const Json& index, const Json& name) {
  return index.is_null() ? "--" : fmt::format("{:02} {}", index.get<int>(), name.get<std::string>());
}

void print_axes(const Json& joint, double size) {
  fmt::print("  {:<6} {:^4} {:<14} {:<14} {:>10} {:>16}\n", "axis", "F/C", "speed", "coordinate", "constraint",
             "force or torque");
  for (const Json& axis : joint["axes"]) {
    const bool rotation = axis["axis"].get<std::string>().starts_with("Rot");
    const bool free = axis["free"].get<bool>();
    fmt::print("  {:<6} {:^4} {:<14} ", axis["axis"].get<std::string>(), free ? 'F' : 'C',
               indexed(axis["speed_index"], axis["speed"]));
    const std::string coordinate = indexed(axis["coordinate_index"], axis["coordinate"]);
    if (free)
      fmt::print("{}\n", coordinate);
    else
      fmt::print("{:<14} {:>10} {:>16.7g} {}\n", coordinate, fmt::format("{:02}", axis["constraint_index"].get<int>()),
                 shown(axis["force"].get<double>(), size), rotation ? "N m" : "N");
  }
}

void print_vector(std::string_view label, const Json& v, double size, std::string_view unit) {
  fmt::print("  {:<8}", label);
  for (const Json& x : v) fmt::print(" {:>14.7g}", shown(x.get<double>(), size));
  fmt::print(" {}\n", unit);
}

/// The largest force or torque, against which rounding errors are small.
double size_of(const Json& reaction) {
  double size = 0;
  for (const char* part : {"force", "torque"})
    for (const Json& x : reaction[part]) size = std::max(size, std::abs(x.get<double>()));
  return size;
}

void print_forces(const Json& a) {
  fmt::print("{} at t = {} s; free axes: {}, constrained axes: {}\n", a["model"].get<std::string>(),
             a["t"].get<double>(), a["degrees_of_freedom"].get<int>(), a["constraint_names"].size());
  for (const Json& joint : a["joints"]) {
    fmt::print("\njoint {} ({}): {} -> {}", joint["joint"].get<std::string>(), joint["type"].get<std::string>(),
               joint["parent"].get<std::string>(), joint["child"].get<std::string>());
    if (joint.contains("axes")) {
      fmt::print("   rotation {}   translation {}\n", joint["rotation_sequence"].get<std::string>(),
                 joint["translation_sequence"].get<std::string>());
      print_axes(joint, size_of(joint["reaction"]));
    } else {
      fmt::print("   closes a loop\n");
    }
    const Json& r = joint["reaction"];
    fmt::print("  on {}, components in {}, torque about {}:\n", joint["child"].get<std::string>(),
               r["frame"].get<std::string>(), r["point"].get<std::string>());
    print_vector("force", r["force"], size_of(r), "N");
    print_vector("torque", r["torque"], size_of(r), "N m");
  }
  if (!a["multipliers"].empty()) fmt::print("\nmultipliers of constraints\n");
  for (const auto& [name, value] : a["multipliers"].items())
    fmt::print("  {:<20} {:>14.7g}\n", name, value.get<double>());
  if (a.contains("warnings"))
    for (const auto& warning : a["warnings"]) fmt::print("\nwarning: {}\n", warning.get<std::string>());
}

}  // namespace

void run_forces_table(const ModelSource& source, const std::string& state, const ForcesTableOptions& options,
                      bool json) {
  const Mechanism mechanism = source.read();
  if (!options.joint.empty() && mechanism.find_joint(options.joint) == nullptr) {
    std::vector<std::string> known;
    for (const Joint& joint : mechanism.joints) known.push_back(joint.name);
    throw ModelError(fmt::format("--joint: there is no joint '{}'{}", options.joint, suggestion(options.joint, known)));
  }
  const nlohmann::json states = state.empty() ? nlohmann::json::object() : read_state_file(state);
  CompileOptions compile;
  compile.functions = table_functions(mechanism);
  compile.driven_inputs = inputs_named(states);
  ForcesEvaluation evaluation(mechanism, source.formulation, options, compile);
  Json answers = Json::array();
  if (states.is_array())
    for (std::size_t i = 0; i < states.size(); ++i)
      answers.push_back(evaluation.answer(states[i], static_cast<int>(i)));
  else
    answers.push_back(evaluation.answer(states, -1));
  if (json) {
    fmt::print("{}\n", (states.is_array() ? answers : answers[0]).dump());
    return;
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (i > 0) fmt::print("\n");
    print_forces(answers[i]);
  }
}

}  // namespace kane
