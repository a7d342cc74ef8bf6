#include "bad_input.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "kane/formats/model_reader.hpp"
#include "kane/mechanism/formulation.hpp"

namespace kane::test {

namespace {

constexpr std::string_view kArm = R"(
parameters: {m: 2 kg, L: 300 mm}
bodies: {A: {mass: m, inertia: [1, 1, 1]}, B: {mass: m, com: [L, 0, 0], points: {tip: [L, 0, 0]}}}
joints:
  J: {type: revolute, parent: N, child: A, axis: z, coordinate: q1}
  K: {type: revolute, parent: A, at: [L, 0, 0], child: B, axis: z, coordinate: q2}
)";

struct Marked {
  std::string text;
  Where where;
};

Marked marked(std::string_view given, const std::string& file_name) {
  Marked result{std::string(given), {file_name}};
  if (result.text.ends_with('$')) result.text.replace(result.text.size() - 1, 1, kArm);
  const std::size_t at = result.text.find('@');
  if (at == std::string::npos) return result;
  result.text.erase(at, 1);
  const std::string_view before = std::string_view(result.text).substr(0, at);
  const std::size_t newline = before.rfind('\n');
  result.where.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  result.where.column = static_cast<int>(at - (newline == std::string_view::npos ? 0 : newline + 1)) + 1;
  return result;
}

void read_and_derive(const Marked& model) {
  const Mechanism m = read_mechanism_text(model.text, model.where.file);
  FormOptions options;
  options.formulation = Formulation::Projection;
  (void)form_equations(m, options);
}

#ifdef KANE_SANITIZED
constexpr double kSecondsAtMost = 15;
#else
constexpr double kSecondsAtMost = 1;
#endif

}  // namespace

void expect_refused(std::span<const BadInput> cases, const std::string& file_name) {
  for (const BadInput& bad : cases) {
    const Marked model = marked(bad.text, file_name);
    const std::clock_t start = std::clock();  // of this process: the machine may be busy
    try {
      read_and_derive(model);
      ADD_FAILURE() << "this model passes:\n" << bad.text;
    } catch (const ModelError& error) {
      EXPECT_NE(error.message().find(bad.sentence), std::string::npos)
          << "expected: " << bad.sentence << "\nfound:    " << error.what() << "\nin:\n"
          << bad.text;
      EXPECT_EQ(error.where().to_string(), model.where.to_string()) << error.what() << "\nin:\n" << bad.text;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "no ModelError but: " << error.what() << "\nin:\n" << bad.text;
    }
    const double time = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LT(time, kSecondsAtMost) << bad.text;
  }
}

}  // namespace kane::test
