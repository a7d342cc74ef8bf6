// Study files: their contents, and the places of mistakes.

#include "kane/formats/study_file.hpp"

#include <gtest/gtest.h>

#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

TEST(StudyFile, ReadsEverything) {
  const StudyFile s = parse_study(R"(study: 1
model: arm.yaml
vary:
  m: 1..2:50
  L: {normal: [0.3, 0.01], truncate: [0.28, 0.32]}
  b: [1, 2]
correlation: [[L, m, 0.5]]
runs: 1e3
sampling: sobol
seed: 7
measures: {peak: max(x)}
simulate: {until: 200 ms, method: rk4, step: 1 ms}
limit: 5 s
strict: true
minimize: peak
subject_to: ["peak <= 1", "L > 0.1"]
)",
                                  "s.yaml");
  EXPECT_EQ(s.vary[0].text, "1..2:50");
  EXPECT_EQ(s.vary[1].text, "normal(0.3, 0.01, 0.28, 0.32)");
  EXPECT_EQ(s.vary[2].text, "{1, 2}");
  EXPECT_EQ(s.vary[0].where.line, 4);
  EXPECT_EQ(*s.runs, 1000);
  EXPECT_DOUBLE_EQ(*s.until, 0.2);
  EXPECT_EQ(s.subject_to.size(), 2U);
  EXPECT_TRUE(s.strict);
}

TEST(StudyFile, MistakesHaveTheirPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"study: 2\n", "s.yaml:1:8: "},
      {"study: 1\nmodell: a.yaml\n", "s.yaml:2:1: "},
      {"study: 1\nruns: many\n", "s.yaml:2:7: "},
      {"study: 1\nruns: 1.5\n", "s.yaml:2:7: "},
      {"study: 1\nsimulate: {until: 2 kg}\n", "s.yaml:2:19: "},
      {"study: 1\nvary: 3\n", "s.yaml:2:7: "},
      {"study: 1\ncorrelation: [[a, b]]\n", "s.yaml:2:15: "},
      {"model: a.yaml\n", "s.yaml:1:1: "},
      {"- 1\n", "s.yaml:1:1: "},
      {"study: 1\nvary: {m: [1, 2\n", "s.yaml:"},
  };
  for (const auto& [text, place] : cases) {
    try {
      (void)parse_study(text, "s.yaml");
      ADD_FAILURE() << text;
    } catch (const ModelError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(place, 0), 0U) << text << error.what();
    }
  }
}

TEST(StudyFile, IsKnownFromAModel) {
  EXPECT_TRUE(is_study("study: 1\nvary: {}\n"));
  EXPECT_TRUE(is_study("# remark\nstudy: 1\nvary: {m: [1, 2\n"));
  EXPECT_FALSE(is_study("kane: 1\nname: study\n"));
  EXPECT_FALSE(is_study("<mujoco/>"));
}

}  // namespace
}  // namespace kane
