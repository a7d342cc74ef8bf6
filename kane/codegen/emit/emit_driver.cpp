#include "kane/codegen/emit/emit_driver.hpp"

#include <algorithm>
#include <cmath>

#include "kane/codegen/emit/emit_listing.hpp"

namespace kane {

namespace {

class Driver {
 public:
  Driver(const ExportModel& model, const EmitOptions& options, const Dialect& dialect, const DriverFrame& frame)
      : model_(model), dialect_(dialect), frame_(frame), names_(choose_names(model.program, dialect, options.name)) {}

  SourceFile write() const {
    const std::string parameters = settings(Stage::Parameters, frame_.parameter, model_.parameters);
    const std::string inputs = settings(Stage::Inputs, frame_.input, model_.inputs);
    const bool calls = !model_.program.functions.empty();
    const Words words = {{"name", names_.program},
                         {"NAME", in_capitals(names_.program)},
                         {"include", "#include"},
                         {"parameters", parameters},
                         {"inputs", inputs},
                         {"settings", parameters + inputs},
                         {"initial", initial()},
                         {"state", state()},
                         {"heading", heading()},
                         {"time", time()},
                         {"start", number(model_.start)},
                         {"step", number(model_.step)},
                         {"steps", std::to_string(std::llround(model_.duration / model_.step))},
                         {"every", std::to_string(model_.print_every)},
                         {"functions", std::string(calls ? frame_.functions : "")},
                         {"arguments", std::string(calls ? frame_.arguments : frame_.no_arguments)}};
    return {fill_words(frame_.file, words), fill_words(frame_.text, words)};
  }

 private:
  [[nodiscard]] std::string number(double value) const {
    return frame_.as_literals ? spell_number(dialect_, value) : decimal(value);
  }

  [[nodiscard]] bool is_time(std::uint32_t input) const {
    const ProgramInput& i = model_.program.inputs[input];
    return model_.time && i.stage == Stage::Inputs && i.name == *model_.time;
  }

  [[nodiscard]] std::string settings(Stage stage, std::string_view line, const std::vector<double>& values) const {
    std::string text;
    const std::uint32_t first = model_.program.first_input(stage);
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      const std::string value = number(is_time(first + i) ? model_.start : values[i]);
      text += fill(line, {{'n', names_.inputs[first + i]}, {'e', value}});
    }
    return text;
  }

  [[nodiscard]] std::string initial() const {
    std::string text;
    for (std::uint32_t i = 0; i < model_.state.size(); ++i)
      text += fill(frame_.initial, {{'e', number(model_.state[i])}, {'i', place(i)}});
    return text;
  }

  [[nodiscard]] std::string state() const {
    std::string text;
    for (const double x : model_.state) text += (text.empty() ? "" : ", ") + number(x);
    return text;
  }

  [[nodiscard]] std::string time() const {
    const std::uint32_t first = model_.program.first_input(Stage::Inputs);
    for (std::uint32_t i = 0; i < model_.inputs.size(); ++i)
      if (is_time(first + i)) return fill(frame_.time, {{'n', names_.inputs[first + i]}, {'i', place(i)}});
    return std::string(frame_.no_time);
  }

  [[nodiscard]] std::string heading() const {
    std::string text;
    const auto add = [&](const std::string& name) {
      text += fill(frame_.heading, {{'e', quoted("," + name.substr(0, frame_.longest_name), '\'', false)}});
    };
    for (const ProgramInput& i : model_.program.inputs)
      if (i.stage == Stage::State) add(i.name);
    for (std::size_t i = model_.state.size(); i < model_.program.outputs.size(); ++i)
      add(model_.program.outputs[i].name);
    return text;
  }

  [[nodiscard]] std::string place(std::uint32_t i) const { return std::to_string(i + dialect_.first_index); }

  const ExportModel& model_;
  const Dialect& dialect_;
  const DriverFrame& frame_;
  SourceNames names_;
};

}  // namespace

SourceFile emit_driver(const ExportModel& model, const EmitOptions& options, const Dialect& dialect,
                       const DriverFrame& frame) {
  check_export_model(model);
  return Driver(model, options, dialect, frame).write();
}

}  // namespace kane
