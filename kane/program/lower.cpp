#include "kane/program/lower.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kane/base/error.hpp"
#include "kane/program/assemble.hpp"
#include "kane/program/contract.hpp"
#include "kane/program/dead_code.hpp"
#include "kane/program/draft.hpp"
#include "kane/program/factor_sums.hpp"
#include "kane/program/flatten.hpp"
#include "kane/program/hoist.hpp"
#include "kane/program/liveness.hpp"
#include "kane/program/lower_expressions.hpp"
#include "kane/program/powers.hpp"
#include "kane/program/reciprocals.hpp"
#include "kane/program/schedule.hpp"
#include "kane/program/trigonometry.hpp"

namespace kane {

namespace {

/// Names, times and logs passes.
class Driver {
 public:
  Driver(const LowerOptions& options, LowerReport* report) : options_(options), report_(report) {}

  template <class Size, class Run>
  void run(std::string_view name, Size&& size, Run&& pass) {
    PassReport done{name, 0, size(), 0};
    const auto start = std::chrono::steady_clock::now();
    pass();
    done.microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    done.after = size();
    if (options_.log) options_.log(done);
    if (report_ == nullptr) return;
    report_->passes.push_back(done);
    report_->microseconds += done.microseconds;
  }

 private:
  const LowerOptions& options_;
  LowerReport* report_;
};

void check_unique(const std::vector<std::string>& list, std::string_view what, const std::string& program) {
  std::vector<std::string_view> names(list.begin(), list.end());
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    require(false, "the program '{}' has two {} named '{}'; give one of them another name", program, what, *twice);
}

Draft draft_with_inputs(const ProgramInputs& inputs, std::size_t max_nodes) {
  Draft draft(max_nodes);
  for (std::size_t i = 0; i < inputs.parameters.size(); ++i) draft.add_input(Stage::Parameters);
  for (std::size_t i = 0; i < inputs.inputs.size(); ++i) draft.add_input(Stage::Inputs);
  for (std::size_t i = 0; i < inputs.state.size(); ++i) draft.add_input(Stage::State);
  return draft;
}

ProgramNames names_of(std::string name, std::span<const NamedExpr> outputs, const ProgramInputs& inputs) {
  ProgramNames names{std::move(name), inputs.parameters, {}};
  names.inputs.insert(names.inputs.end(), inputs.inputs.begin(), inputs.inputs.end());
  names.inputs.insert(names.inputs.end(), inputs.state.begin(), inputs.state.end());
  for (const NamedExpr& o : outputs) names.outputs.push_back(o.name);
  check_unique(names.inputs, "inputs", names.program);
  check_unique(names.outputs, "outputs", names.program);
  return names;
}

/// The passes on the draft, in order.
void rewrite(Driver& driver, Draft& draft, const PassChoice& choice) {
  Draft next;
  const auto run = [&](bool wanted, std::string_view name, bool (*pass)(const Draft&, Draft&)) {
    if (!wanted) return;
    driver.run(
        name, [&] { return draft.size(); },
        [&] {
          if (pass(draft, next)) std::swap(draft, next);
        });
  };
  run(choice.trigonometry, "trigonometry", share_trigonometry);
  run(choice.flatten, "flatten", flatten);
  run(choice.hoist, "hoist", hoist);
  run(choice.factor, "factor", factor_sums);
  std::vector<std::uint32_t> uses;  // the same for both: they mark, but do not rewrite
  const auto mark = [&](bool wanted, std::string_view name, void (*pass)(Draft&, std::span<const std::uint32_t>)) {
    if (!wanted) return;
    driver.run(
        name, [&] { return draft.size(); },
        [&] {
          if (uses.empty()) uses = count_uses(draft);
          pass(draft, uses);
        });
  };
  mark(choice.reciprocals, "reciprocals", share_reciprocals);
  mark(choice.powers, "powers", plan_powers);
}

}  // namespace

ProgramInputs inputs_of(std::span<const Expr> parameters, std::span<const Expr> inputs, std::span<const Expr> state) {
  const auto names = [](std::span<const Expr> symbols) {
    std::vector<std::string> list;
    for (const Expr& s : symbols) {
      require(s.is_symbol(), "'{}' is not a symbol and cannot be an input of a program", s.to_string());
      list.push_back(s.name());
    }
    return list;
  };
  return {names(parameters), names(inputs), names(state)};
}

Program lower(std::string name, std::span<const NamedExpr> outputs, const ProgramInputs& inputs,
              const LowerOptions& options, LowerReport* report) {
  if (report != nullptr) *report = {};
  Driver driver(options, report);
  ProgramNames names = names_of(std::move(name), outputs, inputs);
  Draft draft = draft_with_inputs(inputs, options.max_instructions);
  driver.run(
      "lower", [&] { return draft.size(); },
      [&] {
        std::vector<Expr> values;
        for (const NamedExpr& o : outputs) values.push_back(o.value);
        lower_expressions(values, names.inputs, draft, options.passes.flatten);
      });
  rewrite(driver, draft, options.passes);

  Program program;
  const bool fuse = options.passes.contract && !options.strict;
  const auto size = [&] { return program.instructions.size(); };
  driver.run("assemble", size, [&] { program = assemble(draft, std::move(names), {.chains = fuse}); });
  program.strict = options.strict;
  if (fuse) driver.run("contract", size, [&] { contract(program); });
  driver.run("dead code", size, [&] { remove_dead_code(program); });
  if (program.value_count() > options.max_instructions)
    throw LimitError(fmt::format("the program '{}' has {} values, more than the {} allowed by max_instructions",
                                 program.name, program.value_count(), options.max_instructions));
  if (options.passes.schedule) driver.run("schedule", size, [&] { schedule(program); });
  if (report != nullptr)
    for (const Stage stage : kStages) report->max_live[stage] = calc_liveness(program, stage).max_live;
  return program;
}

}  // namespace kane
