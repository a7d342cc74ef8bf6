// Scripts in the style of published ones (tests/formats/autolev): each runs to its end, and those that write a program of
// dynamics have equations of motion with values.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/autolev/session.hpp"

namespace kane::autolev {
namespace {

std::vector<std::filesystem::path> corpus_scripts() {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(KANE_SOURCE_DIR) / "tests" / "formats" / "autolev";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".al") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(AutolevCorpus, EveryScriptRunsToItsEnd) {
  const auto files = corpus_scripts();
  EXPECT_GE(files.size(), 25U);
  for (const auto& file : files) {
    SessionOptions options;
    options.folder = file.parent_path();
    Session session(options);
    try {
      session.run_file(file);
      std::ifstream stream(file);
      std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
      std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
      if (text.find("CODE DYNAMICS()") == std::string::npos) continue;
      const StateEquations e = session.state_equations();
      EXPECT_FALSE(e.speeds.empty() && e.coordinates.empty()) << file;
      EXPECT_EQ(static_cast<std::size_t>(e.mass.rows), e.speeds.size()) << file;
      EXPECT_EQ(e.forcing.size(), e.speeds.size()) << file;
    } catch (const ModelError& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

}  // namespace
}  // namespace kane::autolev
