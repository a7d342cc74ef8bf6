#include "kane/export/fmu/model_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "kane/export/fmu/fmu_units.hpp"

namespace kane {

std::string xml_text(std::string_view text) {
  std::string r;
  for (const char c : text) {
    switch (c) {
      case '&': r += "&amp;"; break;
      case '<': r += "&lt;"; break;
      case '>': r += "&gt;"; break;
      case '"': r += "&quot;"; break;
      default: r += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return r;
}

namespace {

constexpr std::string_view kRoot =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"{}\" modelName=\"{}\" {}=\"{}\"{} "
    "generationTool=\"Kane\" variableNamingConvention=\"{}\"{}>\n";

class DescriptionWriter {
 public:
  DescriptionWriter(const FmuModel& model, const DescriptionOptions& options)
      : m_(model), o_(options), two_(options.version == FmiVersion::Two) {}

  std::string write() {
    write_root();
    write_interfaces();
    write_units();
    write_types();
    write_categories();
    text_ += fmt::format("  <DefaultExperiment startTime=\"{}\" stopTime=\"{}\" tolerance=\"{}\" stepSize=\"{}\"/>\n",
                         m_.start, m_.stop, m_.tolerance, m_.step);
    text_ += "  <ModelVariables>\n";
    for (std::size_t i = 0; i < m_.variables.size(); ++i) write_variable(i);
    text_ += "  </ModelVariables>\n  <ModelStructure>\n";
    two_ ? write_structure_2() : write_structure_3();
    text_ += "  </ModelStructure>\n</fmiModelDescription>\n";
    return std::move(text_);
  }

 private:
  [[nodiscard]] bool constrained() const { return m_.phi + m_.motion_rows > 0; }

  /// The end of a step is looked at: constraints drift, guards leave zero, frictions turn.
  [[nodiscard]] bool steps_matter() const { return constrained() || m_.count(FmuKind::Indicator) > 0; }

  /// Names with dots and brackets mean a hierarchy, if all of them follow the rules for that.
  [[nodiscard]] bool structured() const {
    static const std::regex kName(R"((der\()?[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*(\))?)");
    return std::all_of(m_.variables.begin(), m_.variables.end(), [](const FmuVariable& v) {
      return std::regex_match(v.name, kName) && v.name.starts_with("der(") == v.name.ends_with(")");
    });
  }

  void write_root() {
    const std::string description =
        m_.description.empty() ? "" : fmt::format(" description=\"{}\"", xml_text(m_.description));
    const std::string indicators =
        two_ ? fmt::format(" numberOfEventIndicators=\"{}\"", m_.count(FmuKind::Indicator)) : "";
    text_ += fmt::format(kRoot, two_ ? "2.0" : "3.0", xml_text(m_.name), two_ ? "guid" : "instantiationToken", o_.token,
                         description, structured() ? "structured" : "flat", indicators);
  }

  void write_interfaces() {
    std::string common = fmt::format(" modelIdentifier=\"{}\"", m_.identifier);
    if (two_)
      common +=
          " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
          "providesDirectionalDerivative=\"true\"";
    else
      common +=
          " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\" "
          "providesAdjointDerivatives=\"true\"";
    const auto element = [&](std::string_view name, std::string_view more) {
      text_ += fmt::format("  <{}{}{}", name, common, more);
      if (!two_ || o_.sources.empty()) {
        text_ += "/>\n";
        return;
      }
      text_ += ">\n    <SourceFiles>\n";
      for (const std::string& file : o_.sources) text_ += fmt::format("      <File name=\"{}\"/>\n", xml_text(file));
      text_ += fmt::format("    </SourceFiles>\n  </{}>\n", name);
    };
    if (o_.model_exchange && two_)
      element("ModelExchange", steps_matter() ? "" : " completedIntegratorStepNotNeeded=\"true\"");
    if (o_.model_exchange && !two_)
      element("ModelExchange", steps_matter() ? " needsCompletedIntegratorStep=\"true\"" : "");
    if (o_.co_simulation && two_)
      element("CoSimulation",
              " canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\" "
              "maxOutputDerivativeOrder=\"1\"");
    if (o_.co_simulation && !two_)
      element("CoSimulation",
              " canHandleVariableCommunicationStepSize=\"true\" maxOutputDerivativeOrder=\"1\" "
              "providesIntermediateUpdate=\"true\" mightReturnEarlyFromDoStep=\"true\" "
              "canReturnEarlyAfterIntermediateUpdate=\"true\" hasEventMode=\"true\"");
  }

  [[nodiscard]] static bool has_unit(const FmuVariable& v) { return !v.unit.empty() && v.unit != "1"; }

  void write_units() {
    std::set<std::string> units;
    for (const FmuVariable& v : m_.variables)
      if (has_unit(v)) units.insert(v.unit);
    text_ += "  <UnitDefinitions>\n";
    for (const std::string& name : units) {
      const FmuUnit unit = fmu_unit(name);
      text_ += fmt::format("    <Unit name=\"{}\"><BaseUnit", xml_text(name));
      const auto exponent = [&](std::string_view base, int n) {
        if (n != 0) text_ += fmt::format(" {}=\"{}\"", base, n);
      };
      exponent("kg", unit.dimension.kg), exponent("m", unit.dimension.m), exponent("s", unit.dimension.s);
      exponent("A", unit.dimension.A), exponent("K", unit.dimension.K), exponent("rad", unit.rad);
      if (unit.factor != 1) text_ += fmt::format(" factor=\"{}\"", unit.factor);
      text_ += "/>";
      if (name == "rad") text_ += "<DisplayUnit name=\"deg\" factor=\"57.295779513082323\"/>";
      if (name == "rad/s") text_ += "<DisplayUnit name=\"deg/s\" factor=\"57.295779513082323\"/>";
      text_ += "</Unit>\n";
    }
    text_ += "  </UnitDefinitions>\n";  // never empty: the time has a unit
  }

  [[nodiscard]] std::string type_of(const FmuVariable& v) const {
    const std::string_view quantity = quantity_of(v.unit);
    return quantity.empty() ? "" : fmt::format("Kane.{}", quantity);
  }

  void write_types() {
    std::set<std::string> units;
    for (const FmuVariable& v : m_.variables)
      if (!type_of(v).empty()) units.insert(v.unit);
    text_ += "  <TypeDefinitions>\n";
    for (const std::string& unit : units) {
      const std::string display = unit == "rad"     ? " displayUnit=\"deg\""
                                  : unit == "rad/s" ? " displayUnit=\"deg/s\""
                                                    : "";
      const std::string attributes = fmt::format(" quantity=\"{}\" unit=\"{}\"{}", quantity_of(unit), unit, display);
      if (two_)
        text_ +=
            fmt::format("    <SimpleType name=\"Kane.{}\"><Real{}/></SimpleType>\n", quantity_of(unit), attributes);
      else
        text_ += fmt::format("    <Float64Type name=\"Kane.{}\"{}/>\n", quantity_of(unit), attributes);
    }
    text_ += "  </TypeDefinitions>\n";
  }

  void write_categories() {
    text_ += "  <LogCategories>\n";
    const auto category = [&](std::string_view name, std::string_view description) {
      text_ += fmt::format("    <Category name=\"{}\" description=\"{}\"/>\n", name, description);
    };
    if (two_) category("logAll", "all messages");
    category("logEvents", "events"), category("logStatusWarning", "values that are not finite");
    category("logStatusDiscard", "steps that cannot be computed"), category("logStatusError", "wrong calls and values");
    text_ += "  </LogCategories>\n";
  }

  void write_variable(std::size_t place) {
    const FmuVariable& v = m_.variables[place];
    std::string_view causality = "local", variability = "continuous", initial;
    bool has_start = false;
    switch (v.kind) {
      case FmuKind::Time: causality = "independent"; break;
      case FmuKind::State: causality = "output", initial = v.dependent ? "approx" : "exact", has_start = true; break;
      case FmuKind::Rate:
      case FmuKind::Indicator: initial = "calculated"; break;
      case FmuKind::Input: causality = "input", has_start = true; break;
      case FmuKind::Parameter:
        causality = "parameter", variability = "tunable", initial = "exact", has_start = true;
        break;
      case FmuKind::Output: causality = "output", initial = "calculated"; break;
      case FmuKind::Calculated:
        causality = "calculatedParameter", variability = "tunable", initial = "calculated";
        break;
    }
    const std::string head =
        fmt::format("name=\"{}\" valueReference=\"{}\" causality=\"{}\" variability=\"{}\"{}", xml_text(v.name), place,
                    causality, variability, initial.empty() ? "" : fmt::format(" initial=\"{}\"", initial));
    std::string tail;
    if (const std::string type = type_of(v); !type.empty()) tail += fmt::format(" declaredType=\"{}\"", type);
    if (has_unit(v)) tail += fmt::format(" unit=\"{}\"", xml_text(v.unit));
    if (has_start) tail += fmt::format(" start=\"{}\"", v.start);
    if (v.kind == FmuKind::Rate)
      tail += fmt::format(" derivative=\"{}\"", m_.first(FmuKind::State) + v.index + (two_ ? 1 : 0));
    if (v.kind == FmuKind::State && may_jump(v.index)) tail += " reinit=\"true\"";
    if (two_) {
      text_ += fmt::format("    <ScalarVariable {}><Real{}/></ScalarVariable>\n", head, tail);
      return;
    }
    if (o_.co_simulation && (v.kind == FmuKind::State || v.kind == FmuKind::Output || v.kind == FmuKind::Rate))
      tail += " intermediateUpdate=\"true\"";
    text_ += fmt::format("    <Float64 {}{}/>\n", head, tail);
  }

  /// States that events or the projection onto constraints change.
  [[nodiscard]] bool may_jump(std::size_t state) const {
    if (!o_.model_exchange) return false;
    return constrained() || m_.switched || std::any_of(m_.events.begin(), m_.events.end(), [&](const FmuEvent& e) {
             return std::find(e.resets.begin(), e.resets.end(), state) != e.resets.end();
           });
  }

  /// `dependencies` and, where it says more, `dependenciesKind`.
  [[nodiscard]] std::string dependencies(const FmuUnknown& u, bool parameters, bool initial) const {
    std::string places, kinds;
    bool telling = false;
    for (const FmuDependency& d : u.dependencies) {
      if (!parameters && m_.variables[d.variable].kind == FmuKind::Parameter) continue;
      places += fmt::format("{}{}", places.empty() ? "" : " ", d.variable + (two_ ? 1 : 0));
      const DependencyKind kind = initial ? DependencyKind::Dependent : d.kind;
      telling = telling || kind != DependencyKind::Dependent;
      kinds += fmt::format("{}{}", kinds.empty() ? "" : " ",
                           kind == DependencyKind::Constant  ? "constant"
                           : kind == DependencyKind::Tunable ? "tunable"
                                                             : "dependent");
    }
    return fmt::format(" dependencies=\"{}\"{}", places, telling ? fmt::format(" dependenciesKind=\"{}\"", kinds) : "");
  }

  void write_structure_2() {
    const auto list = [&](std::string_view name, const std::vector<FmuUnknown>& unknowns, bool initial) {
      if (unknowns.empty()) return;
      text_ += fmt::format("    <{}>\n", name);
      for (const FmuUnknown& u : unknowns)
        text_ += fmt::format("      <Unknown index=\"{}\"{}/>\n", u.variable + 1, dependencies(u, initial, initial));
      text_ += fmt::format("    </{}>\n", name);
    };
    list("Outputs", m_.outputs, false);
    list("Derivatives", m_.rates, false);
    list("InitialUnknowns", m_.initial, true);
  }

  void write_structure_3() {
    const auto list = [&](std::string_view name, const std::vector<FmuUnknown>& unknowns, bool initial) {
      for (const FmuUnknown& u : unknowns)
        text_ += fmt::format("    <{} valueReference=\"{}\"{}/>\n", name, u.variable, dependencies(u, true, initial));
    };
    list("Output", m_.outputs, false);
    list("ContinuousStateDerivative", m_.rates, false);
    list("InitialUnknown", m_.initial, true);
    if (o_.model_exchange) list("EventIndicator", m_.indicators, false);
  }

  const FmuModel& m_;
  const DescriptionOptions& o_;
  bool two_;
  std::string text_;
};

}  // namespace

std::string describe_fmu(const FmuModel& model, const DescriptionOptions& options) {
  return DescriptionWriter(model, options).write();
}

std::string describe_build(const FmuModel& model, const DescriptionOptions& options) {
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
      "  <BuildConfiguration modelIdentifier=\"{}\">\n    <SourceFileSet language=\"C99\">\n",
      model.identifier);
  for (const std::string& file : options.sources)
    text += fmt::format("      <SourceFile name=\"{}\"/>\n", xml_text(file));
  return text +
         "    </SourceFileSet>\n    <Library name=\"m\" external=\"true\"/>\n  "
         "</BuildConfiguration>\n</fmiBuildDescription>\n";
}

}  // namespace kane
