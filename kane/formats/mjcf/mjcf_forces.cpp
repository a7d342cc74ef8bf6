#include "kane/formats/mjcf/mjcf_forces.hpp"

#include <cmath>
#include <numbers>

namespace kane {

namespace {

std::string weighted_sum(const std::vector<std::pair<std::string, double>>& terms) {
  std::string sum;
  for (const auto& [name, factor] : terms) {
    if (factor == 0) continue;
    if (!sum.empty()) sum += " + ";
    // In a sum the factor is written even if it is 1: it carries the unit that makes angles and lengths comparable.
    sum += factor == 1 && terms.size() == 1 ? name : fmt::format("{}*{}", number_text(factor), name);
  }
  return sum.empty() ? "0" : sum;
}

/// Applies the attributes of one element (a class of defaults or the actuator itself), as MuJoCo's shortcuts mean them.
class ActuatorRecord {
 public:
  ActuatorRecord(MjcfActuator& actuator, const MjcfCompiler& compiler) : a_(actuator), compiler_(compiler) {}

  /// False if this kind is not supported.
  bool apply(const MjcfElement& e) {
    read_common(e);
    const auto kp = e.numbers("kp", 1, 1), kv = e.numbers("kv", 1, 1);
    if (e.name == "general") return read_general(e);
    if (e.name == "motor") {
      set({1, 0, 0}, false, {0, 0, 0}, false);
      dynamics = "none";
    } else if (e.name == "position" || e.name == "intvelocity") {
      const double gain = kp ? kp->front() : a_.gain[0];
      const double damping = kv ? kv->front() : -a_.bias[2];
      set({gain, 0, 0}, false, {0, -gain, -damping}, true);
      if (kv) a_.damping_ratio = 0;
      if (const auto ratio = e.numbers("dampratio", 1, 1)) a_.damping_ratio = ratio->front();
      if (const auto inherit = e.numbers("inheritrange", 1, 1)) a_.inherited_range = inherit->front();
      const double filter = e.number("timeconst", 0);
      dynamics = e.name == "intvelocity" ? "integrator" : filter > 0 ? "filter" : "none";
      if (filter > 0) a_.time_constant = filter;
      if (e.name == "intvelocity") state_.flag = true;
      a_.state_range = state_.range();
    } else if (e.name == "velocity") {
      const double gain = kv ? kv->front() : a_.gain[0];
      set({gain, 0, 0}, false, {0, 0, -gain}, true);
      dynamics = "none";
    } else if (e.name == "damper") {
      const double gain = kv ? kv->front() : 1;
      set({0, 0, -gain}, true, {0, 0, 0}, false);
      dynamics = "none";
    } else if (e.name == "cylinder") {
      read_cylinder(e);
    } else {
      return false;
    }
    return true;
  }

  std::string dynamics = "none", gain_type = "fixed", bias_type = "none";
  std::string unsupported;  ///< an attribute that makes the actuator one of another kind

 private:
  void set(std::vector<double> gain, bool gain_affine, std::vector<double> bias, bool bias_affine) {
    a_.gain = std::move(gain);
    a_.bias = std::move(bias);
    gain_type = gain_affine ? "affine" : "fixed";
    bias_type = bias_affine ? "affine" : "none";
  }

  /// Pneumatic or hydraulic: a filter, then the area times the pressure.
  void read_cylinder(const MjcfElement& e) {
    std::vector<double> bias = a_.bias;
    if (const auto given = e.numbers("bias", 3, 3)) bias = *given;
    double area = a_.gain[0];
    if (const auto given = e.numbers("area", 1, 1)) area = given->front();
    if (const auto diameter = e.numbers("diameter", 1, 1))
      area = std::numbers::pi / 4 * diameter->front() * diameter->front();
    set({area, 0, 0}, false, bias, true);
    dynamics = "filter";
    a_.time_constant = e.number("timeconst", a_.time_constant);
  }

  bool read_general(const MjcfElement& e) {
    if (const auto given = e.numbers("dynprm", 1, 10)) a_.time_constant = given->front();
    dynamics = e.text("dyntype", dynamics);
    gain_type = e.text("gaintype", gain_type);
    bias_type = e.text("biastype", bias_type);
    for (const auto& [attribute, list] : {std::pair{"gainprm", &a_.gain}, std::pair{"biasprm", &a_.bias}})
      if (const auto given = e.numbers(attribute, 1, 10))
        for (std::size_t i = 0; i < given->size(); ++i) {
          if (i < 3)
            (*list)[i] = (*given)[i];
          else if ((*given)[i] != 0)
            unsupported = attribute;
        }
    return true;
  }

  void read_common(const MjcfElement& e) {
    if (const auto gear = e.numbers("gear", 1, 6))
      for (std::size_t i = 0; i < gear->size(); ++i) a_.gear[i] = (*gear)[i];
    read_range(e, "ctrllimited", "ctrlrange", control_);
    read_range(e, "forcelimited", "forcerange", force_);
    a_.control_range = control_.range();
    a_.force_range = force_.range();
    read_range(e, "actlimited", "actrange", state_);
    a_.state_range = state_.range();
    if (e.flag("actearly", false)) unsupported = "actearly";
    for (const char* attribute : {"cranksite", "slidersite", "refsite", "body", "plugin"})
      if (e.find(attribute) != nullptr) unsupported = attribute;
    if (const std::string* joint = e.find("joint")) a_.joint = *joint;
    if (const std::string* joint = e.find("jointinparent")) a_.joint = *joint, a_.in_parent = true;
    if (const std::string* tendon = e.find("tendon")) a_.tendon = *tendon;
    if (const std::string* site = e.find("site")) a_.site = *site;
  }

  /// Class of defaults and element may each give the range, the flag, or both.
  struct Limited {
    std::vector<double> given;
    std::optional<bool> flag;
    bool automatic = true;
    [[nodiscard]] std::vector<double> range() const {
      return flag.value_or(automatic && !given.empty()) ? given : std::vector<double>{};
    }
  };

  void read_range(const MjcfElement& e, const char* flag, const char* range, Limited& limited) const {
    limited.automatic = compiler_.autolimits;
    if (const auto values = e.numbers(range, 2, 2)) {
      if ((*values)[0] >= (*values)[1])
        e.fail(fmt::format("'{}' of {} must begin with the smaller number", range, e.describe()));
      limited.given = *values;
    }
    if (const std::string* text = e.find(flag))
      limited.flag = *text == "auto" ? std::optional<bool>{} : std::optional<bool>{e.flag(flag, false)};
  }

  MjcfActuator& a_;
  const MjcfCompiler& compiler_;
  Limited control_, force_, state_;
};

}  // namespace

std::string number_text(double value) { return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value); }

std::string clamped(const std::string& text, const std::vector<double>& range) {
  if (range.empty()) return text;
  return fmt::format("min(max({}, {}), {})", text, number_text(range[0]), number_text(range[1]));
}

std::string MjcfLength::text() const {
  if (!path_text.empty()) return weighted_sum({{path_text, factor}});
  std::vector<std::pair<std::string, double>> sum;
  for (const auto& [axis, share] : terms) sum.emplace_back(axis->coordinate, share);
  return weighted_sum(sum);
}

std::string MjcfLength::rate() const {
  if (!path_text.empty()) return weighted_sum({{path_rate, factor}});
  std::vector<std::pair<std::string, double>> sum;
  for (const auto& [axis, share] : terms) sum.emplace_back(axis->speed, share);
  return weighted_sum(sum);
}

double MjcfLength::reference() const {
  double length = factor * path_reference;
  for (const auto& [axis, share] : terms) length += share * axis->reference;
  return length;
}

std::optional<MjcfActuator> read_actuator(const MjcfActuatorText& text, const MjcfCompiler& compiler,
                                          MjcfRefusals& refusals) {
  const MjcfElement& e = text.element;
  MjcfActuator a;
  a.element = &e;
  ActuatorRecord record(a, compiler);
  const auto refuse = [&](const std::string& what) -> std::optional<MjcfActuator> {
    refusals.refuse(e, what);
    return {};
  };
  for (const MjcfElement& defaults : text.defaults) {
    // A class may hold defaults for kinds that none of its actuators has.
    (void)record.apply(defaults);
  }
  if (!record.apply(e)) return refuse(fmt::format("actuators of the kind <{}> are not supported", e.name));
  if (!record.unsupported.empty())
    return refuse(fmt::format("'{}' of {} is not supported", record.unsupported, e.describe()));
  a.dynamics = record.dynamics == "filterexact" ? "filter" : record.dynamics;
  if (a.dynamics != "none" && a.dynamics != "integrator" && a.dynamics != "filter")
    return refuse(fmt::format("the dynamics of {} ('{}') are not supported", e.describe(), record.dynamics));
  if (a.dynamics == "filter" && !(a.time_constant > 0))
    e.fail(fmt::format("the time constant of {} must be positive", e.describe()));
  if (record.gain_type != "fixed" && record.gain_type != "affine")
    return refuse(fmt::format("the gain of {} ('{}') is not supported", e.describe(), record.gain_type));
  if (record.bias_type != "none" && record.bias_type != "affine")
    return refuse(fmt::format("the bias of {} ('{}') is not supported", e.describe(), record.bias_type));
  a.gain_affine = record.gain_type == "affine";
  a.bias_affine = record.bias_type == "affine";
  const int ways = (a.joint.empty() ? 0 : 1) + (a.tendon.empty() ? 0 : 1) + (a.site.empty() ? 0 : 1);
  if (ways != 1) e.fail(fmt::format("{} must act on one joint, tendon or site", e.describe()));
  return a;
}

std::string actuator_force(const MjcfActuator& a, const std::string& control, const MjcfLength* length) {
  const auto affine = [&](const std::vector<double>& p) {
    std::vector<std::pair<std::string, double>> sum;
    if (length != nullptr)
      sum = {{fmt::format("({})", length->text()), p[1]}, {fmt::format("({})", length->rate()), p[2]}};
    std::string text = weighted_sum(sum);
    if (p[0] != 0) text = text == "0" ? number_text(p[0]) : fmt::format("{} + {}", number_text(p[0]), text);
    return text;
  };
  const std::string gain = a.gain_affine ? affine(a.gain) : number_text(a.gain[0]);
  std::string force = gain == "0" ? "" : gain == "1" ? control : fmt::format("({})*{}", gain, control);
  const std::string bias = a.bias_affine ? affine(a.bias) : "0";
  if (bias != "0") force = force.empty() ? bias : fmt::format("{} + {}", force, bias);
  return clamped(force.empty() ? "0" : force, a.force_range);
}

std::string actuator_state_rate(const MjcfActuator& a, const std::string& state, const std::string& control) {
  const std::string rate =
      a.dynamics == "integrator" ? control : fmt::format("({} - {})/{}", control, state, number_text(a.time_constant));
  if (a.state_range.empty()) return rate;
  return fmt::format("select({0} < {2}, select({1} < {0}, {3}, max({3}, 0)), min({3}, 0))", state,
                     number_text(a.state_range[0]), number_text(a.state_range[1]), rate);
}

}  // namespace kane
