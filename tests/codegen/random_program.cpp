#include "random_program.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "kane/program/code.hpp"

namespace kane::test {

namespace {

double weighted_sum(const double* arguments, void* context) {
  const double factor = *static_cast<const double*>(context);
  return arguments[0] + factor * arguments[1] - arguments[2];
}
double sixth_of_square(const double* arguments, void*) { return arguments[0] * arguments[0] / 6; }
double forty_two(const double*, void*) { return 42; }

class Generator {
 public:
  Generator(std::mt19937_64& random, const RandomProgramOptions& options) : random_(random), options_(options) {}

  Program run() {
    out_.name = "random";
    out_.strict = options_.strict;
    for (const Stage stage : kStages) {
      out_.input_count[stage] = options_.inputs;
      for (std::uint32_t i = 0; i < options_.inputs; ++i)
        out_.inputs.push_back({"x" + std::to_string(out_.inputs.size()), stage});
    }
    out_.constants = {0.5, -1.25, 3.0, 1e-3, -0.0};
    out_.functions = {{"weighted_sum", 3}, {"sixth_of_square", 1}, {"forty_two", 0}};
    const int n = options_.instructions;
    for (const Stage stage : kStages) {
      const int end = stage == Stage::Parameters ? n / 8 : stage == Stage::Inputs ? n / 4 : n;
      while (static_cast<int>(out_.instructions.size()) < end) add(stage);
      out_.stage_end[stage] = static_cast<std::uint32_t>(end);
    }
    for (int i = 0; i < options_.outputs; ++i)
      out_.outputs.push_back({"y" + std::to_string(i), i % 4 == 0 ? any_value(Stage::State) : recent(Stage::State)});
    return std::move(out_);
  }

 private:
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }

  ValueId any_value(Stage stage) {
    const std::uint32_t visible = options_.inputs * (static_cast<std::uint32_t>(stage) + 1);
    const std::size_t count = visible + out_.constants.size() + out_.instructions.size();
    const std::uint32_t k = below(count);
    return k < visible ? k : k - visible + out_.first_constant();
  }
  ValueId recent(Stage stage) {
    const auto n = static_cast<int>(out_.instructions.size());
    if (n == 0 || below(6) == 0) return any_value(stage);
    const auto back = static_cast<ValueId>(below(static_cast<std::size_t>(std::min(n, options_.locality)))) + 1;
    return static_cast<ValueId>(out_.value_count()) - back;
  }

  Code any_code() {
    if (options_.arithmetic_only || below(3) != 0) {
      if (!options_.strict && below(3) == 0) return static_cast<Code>(static_cast<unsigned>(Code::Fma) + below(4));
      constexpr Code kPlain[] = {Code::Add, Code::Sub, Code::Mul, Code::Mul, Code::Add};
      return kPlain[below(5)];
    }
    const unsigned codes = static_cast<unsigned>(options_.strict ? Code::Select : Code::Fnms) + 1;
    const auto code = static_cast<Code>(below(codes + 1));
    return static_cast<unsigned>(code) == codes ? (options_.calls_external ? Code::Call : Code::Neg) : code;
  }

  void add(Stage stage) {
    Instruction i{any_code(), recent(stage), recent(stage), recent(stage)};
    if (i.code == Code::Root) i.b = 3 + below(4);
    if (i.code == Code::Call) {
      i.a = below(out_.functions.size());
      i.b = static_cast<std::uint32_t>(out_.call_arguments.size());
      for (int k = 0; k < out_.functions[i.a].arity; ++k) out_.call_arguments.push_back(recent(stage));
    }
    if (i.code == Code::Call || info(i.code).operands < 3) i.c = 0;
    if (i.code != Code::Call && i.code != Code::Root && info(i.code).operands < 2) i.b = 0;
    out_.instructions.push_back(i);
  }

  std::mt19937_64& random_;
  const RandomProgramOptions options_;
  Program out_;
};

}  // namespace

std::shared_ptr<const Program> random_program(std::mt19937_64& random, const RandomProgramOptions& options) {
  return std::make_shared<const Program>(Generator(random, options).run());
}

std::vector<NamedFunction> random_program_functions() {
  static const double factor = 0.75;
  return {{"weighted_sum", 3, {&weighted_sum, const_cast<double*>(&factor)}},
          {"sixth_of_square", 1, {&sixth_of_square, nullptr}},
          {"forty_two", 0, {&forty_two, nullptr}}};
}

double any_double(std::mt19937_64& random) {
  using Limits = std::numeric_limits<double>;
  constexpr double kSpecial[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::quiet_NaN(),
                                 Limits::denorm_min(),
                                 -Limits::min(),
                                 Limits::max(),
                                 0.5,
                                 -2.0,
                                 3.0};
  const auto kind = random() % 4;
  if (kind == 0) return kSpecial[random() % std::size(kSpecial)];
  if (kind == 1) return std::bit_cast<double>(random());
  return std::uniform_real_distribution(-20.0, 20.0)(random);
}

std::vector<double> any_doubles(std::mt19937_64& random, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) value = any_double(random);
  return values;
}

std::vector<double> moderate_doubles(std::mt19937_64& random, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) value = std::uniform_real_distribution(-2.0, 2.0)(random);
  return values;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace kane::test
