#include "kane/formats/yaml/read_settings.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "kane/base/identifier.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/simulate/motion/method.hpp"
#include "kane/simulate/switching/mode_equations.hpp"

namespace kane {

namespace {

/// The name in an item of a list, which must be of the kind `what`.
void check_known(const ModelContext& context, const YamlNode& node, std::string_view what, std::string_view section) {
  const auto known = context.names.find(node.text);
  if (known != context.names.end() && known->second.what.ends_with(what)) return;
  node.fail(fmt::format("'{}' lists '{}', which is not a {}{}", section, shown(node.text), what,
                        suggestion(node.text, context.names_of(what))));
}

/// A list of the names of coordinates or speeds; locked ones are left out.
std::vector<std::string> read_known_names(const ModelContext& context, const YamlNode& section, std::string_view what,
                                          std::string_view section_name) {
  if (!section.is_list())
    section.fail(fmt::format("'{}' must be a list of {}s, but {} is given", section_name, what, section.describe()));
  std::vector<std::string> names;
  for (const auto& item : section.items) {
    (void)read_name(item, "an entry", section_name);
    check_known(context, item, what, section_name);
    if (context.names.find(item.text)->second.what != what) continue;
    if (std::find(names.begin(), names.end(), item.text) != names.end())
      item.fail(fmt::format("'{}' lists '{}' twice", section_name, item.text));
    names.push_back(item.text);
  }
  return names;
}

void note_unit(ModelContext& context, const std::string& name, const Scalar& scalar) {
  if (!scalar.unit.empty()) context.mechanism.units[name] = scalar.unit;
}

void declare_parameter(ModelContext& context, const std::string& name, const YamlNode& value, const YamlPlace& place) {
  const std::string owner = fmt::format("the parameter '{}'", shown(name));
  const Scalar scalar = context.measured(value, measure::kAny, "the value", owner);
  Dimensional dimension = scalar.dimension;
  dimension.literal = false;
  if (dimension.is_number()) dimension = Dimensional::open();  // its unit was left out
  context.declare(name, "parameter", context.graph.symbol(name), dimension, place);
  context.mechanism.add_parameter(name, scalar.value);
  note_unit(context, name, scalar);
  const double number =
      at_place(value.place, [&] { return evaluate(scalar.value, context.defaults, context.functions); });
  if (!std::isfinite(number)) value.fail(fmt::format("the value of {} is not a finite number", owner));
  context.defaults[name] = number;
}

std::vector<double> read_numbers(const ModelContext& context, const YamlNode& node, std::string_view key,
                                 const std::string& owner) {
  if (!node.is_list())
    node.fail(fmt::format("'{}' of {} must be a list of numbers, but {} is given", key, owner, node.describe()));
  std::vector<double> numbers;
  for (const auto& item : node.items) numbers.push_back(context.number(item, measure::kAny, key, owner));
  return numbers;
}

/// Unit of a column of a table; its factor to SI.
double read_unit_factor(const Group& group, std::string_view key) {
  const YamlNode* node = group.find(key);
  if (node == nullptr) return 1;
  return parse_unit(read_text(*node, key, group.owner()), text_where(*node)).factor();
}

}  // namespace

void read_tables(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "tables", [&](const YamlEntry& entry) {
    const Group group(entry.value, fmt::format("the table '{}'", shown(entry.key)), keys::kTable);
    Table table;
    table.name = entry.key;
    table.where = entry.key_place.where();
    group.check_only_one({"points", "x"});
    group.check_only_one({"points", "y"});
    if (const YamlNode* points = group.find("points")) {
      if (!points->is_list()) points->fail(fmt::format("'points' of {} must be a list of pairs [x, y]", group.owner()));
      for (const auto& pair : points->items) {
        const auto xy = read_numbers(context, pair, "points", group.owner());
        if (xy.size() != 2) pair.fail(fmt::format("'points' of {} must be a list of pairs [x, y]", group.owner()));
        table.x.push_back(xy[0]);
        table.y.push_back(xy[1]);
      }
    } else {
      table.x = read_numbers(context, group.need("x", "[0, 1, 2]"), "x", group.owner());
      const YamlNode& y = group.need("y", "[0, 1, 4]");
      table.y = read_numbers(context, y, "y", group.owner());
      if (table.x.size() != table.y.size())
        y.fail(fmt::format("{} has {} values of x but {} of y", group.owner(), table.x.size(), table.y.size()));
    }
    for (double& x : table.x) x *= read_unit_factor(group, "x_unit");
    for (double& y : table.y) y *= read_unit_factor(group, "y_unit");
    if (const YamlNode* how = group.find("interpolation")) {
      const std::string word = read_text(*how, "interpolation", group.owner());
      if (word != "linear" && word != "cubic" && word != "monotone")
        how->fail(fmt::format("'interpolation' of {} must be linear, cubic or monotone, but '{}' is given",
                              group.owner(), shown(word)));
      table.cubic = word == "cubic";
      table.monotone = word == "monotone";
    }
    at_place(entry.key_place, [&] { context.mechanism.add_table(std::move(table)); });
  });
  context.functions = table_functions(context.mechanism);
}

void read_parameters(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "parameters", [&](const YamlEntry& entry) {
    if (!entry.value.is_list()) return declare_parameter(context, entry.key, entry.value, entry.key_place);
    // m: [1 kg, 2 kg] declares m1 and m2.
    int number = 0;
    for (const auto& item : entry.value.items)
      declare_parameter(context, fmt::format("{}{}", entry.key, ++number), item, item.place);
  });
}

void declare_inputs(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "inputs", [&](const YamlEntry& entry) {
    if (entry.value.is_list())
      entry.value.fail(
          fmt::format("the input '{}' must be a number, an expression, or a map with 'value', but {} "
                      "is given",
                      shown(entry.key), entry.value.describe()));
    context.declare(entry.key, "input", context.graph.symbol(entry.key), Dimensional::open(true), entry.key_place);
    context.mechanism.add_input(entry.key);
  });
}

namespace {

/// The default or the law of an input.
void read_input_value(ModelContext& context, SymbolWithDefault& input, const YamlNode& value, const std::string& name,
                      const std::string& owner) {
  const Quantity law = context.quantity(value, measure::kAny, "the value", owner);
  // A number is a default; anything else is a law.
  if (is_literal(value.text)) {
    const Scalar scalar = context.measured(value, measure::kAny, "the value", owner);
    input.value = scalar.value;
    note_unit(context, name, scalar);
    context.names.find(name)->second.dimension = Dimensional::of(scalar.dimension.certain(), true);
  } else {
    context.mechanism.input_laws.push_back({name, law});
  }
}

InputSeries read_input_points(const ModelContext& context, const Group& group, const std::string& name) {
  InputSeries series{name, {}, {}, false};
  const YamlNode& points = *group.find("points");
  if (!points.is_list() || points.items.empty())
    points.fail(fmt::format("'points' of {} must be a list of pairs [time, value]", group.owner()));
  for (const auto& pair : points.items) {
    if (!pair.is_list() || pair.items.size() != 2)
      pair.fail(fmt::format("'points' of {} must be a list of pairs [time, value]", group.owner()));
    series.t.push_back(context.number(pair.items[0], measure::kTime, "points", group.owner()));
    series.value.push_back(context.number(pair.items[1], measure::kAny, "points", group.owner()));
    if (series.t.size() > 1 && !(series.t.back() > series.t[series.t.size() - 2]))
      pair.fail(fmt::format("the times in 'points' of {} must increase, but {} follows {}", group.owner(),
                            series.t.back(), series.t[series.t.size() - 2]));
  }
  if (const YamlNode* hold = group.find("hold")) series.hold = read_flag(*hold, "hold", group.owner());
  return series;
}

/// The FMU of an input: a new one, or one that an input before has described.
FmuController& find_fmu(ModelContext& context, const Group& group) {
  const YamlNode& node = *group.find("fmu");
  const std::string given = read_text(node, "fmu", group.owner());
  const std::filesystem::path folder = std::filesystem::path(*node.place.file).parent_path();
  const std::string file = path_beneath(folder.empty() ? "." : folder, given, node.place).string();
  auto& fmus = context.mechanism.fmus;
  const auto same = std::find_if(fmus.begin(), fmus.end(), [&](const FmuController& f) { return f.file == file; });
  if (same != fmus.end()) {
    for (const auto key : {"inputs", "step", "delay", "parameters"})
      if (const YamlNode* other = group.find(key))
        other->fail(fmt::format("'{}' of '{}' belongs to the first input that it drives", key, shown(given)));
    return *same;
  }
  return fmus.emplace_back(FmuController{file, given, 0, 0});
}

void read_fmu_times(const ModelContext& context, const Group& group, FmuController& fmu) {
  const YamlNode& step = group.need("step", "10 ms");
  fmu.period = context.number(step, measure::kTime, "step", group.owner());
  if (!(fmu.period > 0)) step.fail(fmt::format("'step' of {} must be a positive time", group.owner()));
  const YamlNode* const delay = group.find("delay");
  if (delay != nullptr) fmu.delay = context.number(*delay, measure::kTime, "delay", group.owner());
  if (fmu.delay < 0) delay->fail(fmt::format("'delay' of {} cannot be negative", group.owner()));
}

/// A foreign FMU gives the input its value. What it measures become inputs with sampled laws.
void read_input_fmu(ModelContext& context, const Group& group, const std::string& name) {
  for (const auto key : {"sampled", "hold"})
    if (const YamlNode* other = group.find(key))
      other->fail(
          fmt::format("'{}' cannot be combined with 'fmu'; the FMU of {} acts every 'step'", key, group.owner()));
  const std::size_t before = context.mechanism.fmus.size();
  FmuController& fmu = find_fmu(context, group);
  fmu.outputs.emplace_back(name, read_text(group.need("output", "u"), "output", group.owner()));
  if (context.mechanism.fmus.size() == before) return;
  read_fmu_times(context, group, fmu);
  if (const YamlNode* measured = group.find("inputs"))
    for_each_entry(*measured, "inputs", [&](const YamlEntry& entry) {
      const std::string symbol = identifier_of(fmt::format("{}_{}", name, entry.key));
      context.declare(symbol, "input", context.graph.symbol(symbol), Dimensional::open(true), entry.key_place);
      fmu.measured.emplace_back(entry.key, symbol);
      context.mechanism.add_input(symbol);
      context.mechanism.input_laws.push_back(
          {symbol, context.quantity(entry.value, measure::kAny, entry.key, group.owner())});
      context.mechanism.sampled_inputs.push_back({symbol, fmu.period, 0});
    });
  if (const YamlNode* start = group.find("parameters"))
    for_each_entry(*start, "parameters", [&](const YamlEntry& entry) {
      fmu.start.emplace_back(entry.key, context.number(entry.value, measure::kAny, entry.key, group.owner()));
    });
}

/// A map: a sampled controller, points in time, or an FMU.
void read_input_group(ModelContext& context, SymbolWithDefault& input, const YamlNode& node, const std::string& name,
                      const std::string& owner) {
  const Group group(node, owner, keys::kInput);
  group.check_only_one({"value", "points", "fmu"});
  if (group.find("fmu") != nullptr) return read_input_fmu(context, group, name);
  for (const auto key : {"output", "inputs", "step", "parameters"})
    if (const YamlNode* other = group.find(key))
      other->fail(fmt::format("'{}' belongs to 'fmu', which {} does not have", key, owner));
  if (group.find("points") != nullptr) {
    for (const auto key : {"sampled", "delay"})
      if (const YamlNode* other = group.find(key))
        other->fail(fmt::format("'{}' belongs to a law of the state; {} is given by points", key, owner));
    context.mechanism.input_series.push_back(read_input_points(context, group, name));
    return;
  }
  if (const YamlNode* hold = group.find("hold"))
    hold->fail(fmt::format("'hold' belongs to 'points', which {} does not have", owner));
  const YamlNode& value = group.need("value", "-k*q - c*u");
  read_input_value(context, input, value, name, owner);
  const YamlNode* delay = group.find("delay");
  const YamlNode* sampled = group.find("sampled");
  if (sampled == nullptr && delay == nullptr) return;
  if (sampled == nullptr)
    delay->fail(fmt::format("'delay' of {} needs 'sampled', the period of its controller", owner));
  InputSampling sampling{name, context.number(*sampled, measure::kTime, "sampled", owner), 0};
  if (!(sampling.period > 0))
    sampled->fail(fmt::format("'sampled' of {} must be a positive time, but it is {}", owner, sampling.period));
  if (delay != nullptr) sampling.delay = context.number(*delay, measure::kTime, "delay", owner);
  if (sampling.delay < 0) delay->fail(fmt::format("'delay' of {} cannot be negative", owner));
  if (context.mechanism.input_laws.empty() || context.mechanism.input_laws.back().name != name)
    sampled->fail(fmt::format("'sampled' needs a law to sample, but the value of {} is a number", owner));
  context.mechanism.sampled_inputs.push_back(std::move(sampling));
}

}  // namespace

void read_input_laws(ModelContext& context, const YamlNode& section) {
  std::size_t number = 0;
  for (const auto& entry : section.entries) {
    SymbolWithDefault& input = context.mechanism.inputs[number++];
    if (entry.value.is_null()) continue;
    const std::string owner = fmt::format("the input '{}'", shown(entry.key));
    if (entry.value.is_scalar())
      read_input_value(context, input, entry.value, entry.key, owner);
    else
      read_input_group(context, input, entry.value, entry.key, owner);
  }
}

void read_gravity(ModelContext& context, const YamlNode& section) {
  if (section.is_scalar() && (section.text == "0" || section.text == "none")) return;
  const Quantity gravity =
      context.vector_quantity(section, context.mechanism.ground, measure::kAcceleration, "gravity", "the model");
  if (gravity.text.find_first_not_of("+-.0123456789eE \t") == std::string::npos)
    section.fail(fmt::format("gravity is a vector, such as '-9.81*{}.y' or [0, -9.81, 0], but the number '{}' is given",
                             context.mechanism.ground, shown(section.text)));
  context.mechanism.gravity = gravity;
}

void declare_extra_coordinates(ModelContext& context, const YamlNode& section) {
  const auto names = read_names(section, "an entry", "'extra_coordinates'");
  for (const auto& name : names) {
    const Expr symbol = context.graph.symbol(name);
    context.declare(name, "coordinate", symbol, Dimensional::open(true), section.place);
    context.mechanism.extra_coordinates.push_back(symbol);
  }
}

void declare_states(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "states", [&](const YamlEntry& entry) {
    context.declare(entry.key, "state", context.graph.symbol(entry.key), Dimensional::open(true), entry.key_place);
  });
}

void read_states(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "states", [&](const YamlEntry& entry) {
    const std::string owner = fmt::format("the state '{}'", shown(entry.key));
    StateQuantity state{entry.key, {}, entry.key_place.where()};
    if (entry.value.is_scalar()) {
      state.rate = context.quantity(entry.value, measure::kAny, "the rate", owner);
    } else {
      const Group group(entry.value, owner, keys::kState);
      state.rate = context.quantity(group.need("rate", "(V - R*i)/L"), measure::kAny, "rate", owner);
      if (const YamlNode* initial = group.find("initial")) {
        context.mechanism.initial[entry.key] = context.number(*initial, measure::kAny, "initial", owner);
        const Scalar start = context.measured(*initial, measure::kAny, "initial", owner);
        if (!start.value.is_number()) context.mechanism.initial_laws[entry.key] = start.value;
        // The state has the dimension of its initial value.
        const auto dimension = start.dimension.certain();
        const std::string unit = dimension && start.unit.empty() ? si_unit(*dimension) : start.unit;
        if (!unit.empty()) context.mechanism.units.emplace(entry.key, unit);
      }
    }
    context.mechanism.states.push_back(std::move(state));
  });
}

void read_coordinate_order(ModelContext& context, const YamlNode& section) {
  context.mechanism.coordinate_order = read_known_names(context, section, "coordinate", "coordinates");
}

void read_dependent(ModelContext& context, const YamlNode& section) {
  context.mechanism.dependent_speeds = read_known_names(context, section, "speed", "dependent");
}

void read_auxiliary(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "auxiliary", [&](const YamlEntry& entry) {
    const std::string owner = fmt::format("the auxiliary speed '{}'", shown(entry.key));
    AuxiliaryQuantity auxiliary;
    auxiliary.name = entry.key;
    context.declare(entry.key, "auxiliary speed", context.graph.symbol(entry.key), Dimensional::open(true),
                    entry.key_place);
    if (entry.value.is_scalar()) {
      auxiliary.definition = context.quantity(entry.value, measure::kAny, "the definition", owner);
    } else {
      const Group group(entry.value, owner, keys::kAuxiliary);
      group.check_only_one({"body", "point", "definition"});
      if (const YamlNode* definition = group.find("definition"))
        auxiliary.definition = context.quantity(*definition, measure::kAny, "definition", owner);
      else if (const YamlNode* body = group.find("body"))
        auxiliary.body = read_name(*body, "body", owner);
      else
        auxiliary.point = read_name(group.need("point", "P"), "point", owner);
      if (auxiliary.definition.empty())
        auxiliary.direction =
            context.direction(group.need("direction", "N.y"), context.mechanism.ground, "direction", owner);
      else if (const YamlNode* direction = group.find("direction"))
        direction->fail(fmt::format("{} is defined by an expression and needs no 'direction'", owner));
    }
    context.mechanism.auxiliary.push_back(std::move(auxiliary));
  });
}

void read_outputs(ModelContext& context, const YamlNode& section) {
  for_each_entry(section, "outputs", [&](const YamlEntry& entry) {
    const std::string owner = fmt::format("the output '{}'", shown(entry.key));
    context.mechanism.outputs.push_back({entry.key, context.quantity(entry.value, measure::kAny, "the value", owner)});
  });
}

namespace {

/// initial: {T: 5 N*m} gives an input the value it keeps until something drives it.
void read_initial_input(ModelContext& context, const YamlEntry& entry) {
  Mechanism& m = context.mechanism;
  const auto same = [&](const std::string& name) { return name == entry.key; };
  const bool driven =
      std::any_of(m.input_laws.begin(), m.input_laws.end(), [&](const auto& law) { return same(law.name); }) ||
      std::any_of(m.input_series.begin(), m.input_series.end(), [&](const auto& s) { return same(s.input); });
  if (driven)
    fail_at(entry.key_place, fmt::format("the input '{}' follows a law or points in time, so it has no initial value",
                                         shown(entry.key)));
  Measure measure = measure::kAny;
  measure.dimension = context.names.find(entry.key)->second.dimension.certain();
  for (SymbolWithDefault& input : m.inputs) {
    if (!same(input.symbol.name())) continue;
    const double number = context.number(entry.value, measure, entry.key, "'initial'");
    input.value = context.graph.number(rational_from_double(number));
    context.input_defaults[entry.key] = number;
  }
}

/// Constant inputs with their values, for the initial values that are written with them.
void collect_input_defaults(ModelContext& context) {
  const Mechanism& m = context.mechanism;
  for (const SymbolWithDefault& input : m.inputs) {
    const std::string& name = input.symbol.name();
    const auto law = [&](const NamedQuantity& l) { return l.name == name; };
    const auto series = [&](const InputSeries& s) { return s.input == name; };
    if (std::any_of(m.input_laws.begin(), m.input_laws.end(), law) ||
        std::any_of(m.input_series.begin(), m.input_series.end(), series))
      continue;
    context.input_defaults[name] = evaluate(context.graph.bind(input.value), context.defaults, context.functions);
  }
}

/// `initial` or `guess`: values of coordinates and speeds.
void read_start_values(ModelContext& context, const YamlNode& section, const std::string& name,
                       std::map<std::string, double>& to) {
  const bool is_guess = &to == &context.mechanism.guess;
  const std::string owner = fmt::format("'{}'", name);
  for_each_entry(section, name, [&](const YamlEntry& entry) {
    const auto known = context.names.find(entry.key);
    if (!is_guess && known != context.names.end() && known->second.what == "input") return;  // read_initial has
    const bool state = known != context.names.end() && (known->second.what.ends_with("coordinate") ||
                                                        known->second.what == "speed" || known->second.what == "state");
    if (!state && (is_guess || entry.key != "t")) {
      std::vector<std::string> names = context.names_of("coordinate");
      for (const char* kind : {"speed", "state", "input"})
        for (auto& other : context.names_of(kind)) names.push_back(std::move(other));
      fail_at(entry.key_place, fmt::format("{} gives a value to '{}', which is not a coordinate or speed{}", owner,
                                           shown(entry.key), suggestion(entry.key, names)));
    }
    if (state && known->second.what == "locked coordinate") {
      if (!is_guess) return;  // read_joints has used it
      fail_at(entry.key_place, fmt::format("'{}' is locked; its value belongs under 'initial'", shown(entry.key)));
    }
    if (is_guess && context.mechanism.initial.contains(entry.key))
      fail_at(entry.key_place, fmt::format("'{}' is under 'initial' already; an initial value is held and needs no "
                                           "guess",
                                           shown(entry.key)));
    Measure measure = measure::kAny;
    if (state && known->second.dimension.certain()) {
      measure.dimension = known->second.dimension.certain();
      for (const Measure& m : {measure::kAngle, measure::kLength, measure::kAngularVelocity, measure::kVelocity})
        if (m.dimension == measure.dimension) measure = m;
    }
    to[entry.key] = context.number(entry.value, measure, entry.key, owner);
    const Expr law = context.scalar(entry.value, measure, entry.key, owner);
    if (!law.is_number()) context.mechanism.initial_laws[entry.key] = law;
  });
}

}  // namespace

void read_initial(ModelContext& context, const YamlNode& section) {
  collect_input_defaults(context);
  for_each_entry(section, "initial", [&](const YamlEntry& entry) {
    const auto known = context.names.find(entry.key);
    if (known != context.names.end() && known->second.what == "input") read_initial_input(context, entry);
  });
  read_start_values(context, section, "initial", context.mechanism.initial);
}

void read_guess(ModelContext& context, const YamlNode& section) {
  read_start_values(context, section, "guess", context.mechanism.guess);
}

void complete_initial(ModelContext& context) {
  Mechanism& m = context.mechanism;
  for (const Joint& joint : m.joints) {
    for (const ElementaryMotion& motion : joint.motions) {
      if (motion.kind != MotionKind::Ball || motion.coordinates.size() != 4) continue;
      const bool given = std::any_of(motion.coordinates.begin(), motion.coordinates.end(), [&](const Expr& e) {
        return m.initial.contains(e.name()) || m.guess.contains(e.name());
      });
      if (!given) m.initial[motion.coordinates[3].name()] = 1;
    }
  }
}

void read_simulation(ModelContext& context, const YamlNode& section) {
  const std::string owner = "'simulate'";
  const Group group(section, owner, keys::kSimulate);
  SimulationSettings& settings = context.mechanism.simulation;
  const auto positive = [&](const YamlNode& node, const Measure& measure, std::string_view key) {
    const double value = context.number(node, measure, key, owner);
    if (!(value > 0)) node.fail(fmt::format("'{}' of {} must be positive, but it is {}", key, owner, value));
    return value;
  };
  const auto read_positive = [&](std::optional<double>& setting, std::string_view key, const Measure& measure) {
    if (const YamlNode* node = group.find(key)) setting = positive(*node, measure, key);
  };
  if (const YamlNode* node = group.find("from")) settings.from = context.number(*node, measure::kTime, "from", owner);
  read_positive(settings.until, "until", measure::kTime);
  read_positive(settings.tolerance, "tolerance", measure::kNumber);
  read_positive(settings.absolute_tolerance, "absolute_tolerance", measure::kNumber);
  read_positive(settings.step, "step", measure::kTime);
  read_positive(settings.sample, "sample", measure::kTime);
  if (const YamlNode* method = group.find("method")) {
    settings.method = read_text(*method, "method", owner);
    at_place(method->place, [&] { (void)method_from(settings.method); });
  }
  if (const YamlNode* constraints = group.find("constraints")) {
    settings.constraints = read_text(*constraints, "constraints", owner);
    at_place(constraints->place, [&] { (void)constraint_method_from(settings.constraints); });
  }
}

}  // namespace kane
