// A model written out and read again gives the same equations.

#include "kane/formats/yaml/yaml_writer.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "kane/formats/yaml/yaml_reader.hpp"
#include "same_equations.hpp"

namespace kane {
namespace {

void expect_round_trip(const Mechanism& m) {
  const std::string text = write_yaml(m);
  try {
    const Mechanism again = read_yaml_text(text, m.name + ".yaml");
    EXPECT_EQ(write_yaml(again), text);
    EXPECT_EQ(again.name, m.name);
    EXPECT_EQ(again.description, m.description);
    EXPECT_EQ(again.units, m.units);
    test::expect_same_equations(m, again);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what() << "\n" << text;
  }
}

TEST(Writer, AllModelFiles) {
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(KANE_SOURCE_DIR) / "models")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    expect_round_trip(read_yaml_model(entry.path()));
  }
}

}  // namespace
}  // namespace kane
