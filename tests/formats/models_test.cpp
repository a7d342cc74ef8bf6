// Every file of models/ is read.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "kane/expr/evaluate.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/formulation.hpp"

namespace kane {
namespace {

std::vector<std::filesystem::path> model_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(KANE_SOURCE_DIR) / "models"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Models, AllAreRead) {
  const auto files = model_files();
  EXPECT_GE(files.size(), 20U);
  for (const auto& file : files) {
    try {
      const Mechanism m = read_yaml_model(file);
      EXPECT_EQ(m.name, file.stem().string());
      EXPECT_FALSE(m.description.empty()) << m.name;
      EXPECT_FALSE(m.bodies.empty() && m.particles.empty()) << m.name;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

/// Equal symbols and, at random values of them, equal numbers.
void expect_same_bits(const EquationsOfMotion& a, const EquationsOfMotion& b) {
  const auto everything = [](const EquationsOfMotion& e) {
    std::vector<Expr> all = e.qdot;
    all.insert(all.end(), e.M.entries.begin(), e.M.entries.end());
    all.insert(all.end(), e.rhs.begin(), e.rhs.end());
    all.push_back(e.kinetic);
    for (const auto& o : e.outputs) all.push_back(o.value);
    return all;
  };
  const std::vector<Expr> first = everything(a), second = everything(b);
  ASSERT_EQ(first.size(), second.size());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(0.2, 1.2);
  for (int state = 0; state < 3; ++state) {
    Values values;
    for (const Expr& s : symbols_of(first)) values[s.name()] = any(random);
    for (const Expr& s : symbols_of(second)) ASSERT_TRUE(values.contains(s.name())) << s.name();
    const std::vector<double> x = evaluate(std::span<const Expr>(first), values),
                              y = evaluate(std::span<const Expr>(second), values);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_TRUE(x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) << i << ": " << x[i] << " " << y[i];
  }
}

/// A file of another language and what `kane import` makes of it agree to the last bit, and import again to the same text.
TEST(Models, ThoseOfOtherLanguagesAgreeWithTheirImportsExactly) {
  std::size_t count = 0;
  for (const char* folder : {"autolev", "mjcf", "sdfast", "fortytwo", "dxf"})
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(KANE_SOURCE_DIR) / "models" / folder)) {
      const std::string name = entry.path().filename().string();
      const std::string ending = entry.path().extension().string();
      if (name.starts_with("Jnt_") ||
          (ending != ".al" && ending != ".xml" && ending != ".sd" && ending != ".txt" && ending != ".dxf"))
        continue;
      SCOPED_TRACE(name);
      Mechanism m = read_mechanism(entry.path());
      m.notes.clear();  // they are comments in the text
      const std::string text = write_yaml(m);
      const Mechanism again = read_yaml_text(text, name);
      EXPECT_EQ(write_yaml(again), text);
      expect_same_bits(form_equations(m), form_equations(again));
      ++count;
    }
  EXPECT_GE(count, 12U);
}

}  // namespace
}  // namespace kane
