// Every file of models/ is read.

#include <gtest/gtest.h>

#include <filesystem>

#include "kane/formats/yaml/yaml_reader.hpp"

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

}  // namespace
}  // namespace kane
