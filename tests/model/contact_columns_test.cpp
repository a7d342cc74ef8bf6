// Columns of contact forces in the table of a run, against the weights they carry; by events and by steps.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/model/run_table.hpp"

namespace kane {
namespace {

constexpr double kWeight = 2 * 9.81, kSlope = 0.3;

/// A box of 2 kg that rests on a slope of 0.3 rad.
std::string slope(std::string_view scheme, std::string_view contact) {
  return fmt::format(R"yaml(
kane: 1
gravity: -9.81*cos(0.3)*N.z + 9.81*sin(0.3)*N.x
bodies: {{b: {{mass: 2, shape: {{box: [0.2, 0.2, 0.1]}}}}}}
joints: {{fly: {{type: free, parent: N, child: b, coordinates: [x, y, z, e1, e2, e3, e4]}}}}
contacts: {{scheme: {}, rest: {}}}
initial: {{z: 0.05, e4: 1}}
)yaml",
                     scheme, contact);
}

/// Columns at the end of a short run.
std::map<std::string, double> last_row(const std::string& text) {
  Simulation run(read_model_text(text, "slope.yaml"));
  RunTable table(run, {.contacts = true});
  EXPECT_EQ(table.units().size(), table.columns().size());
  const RunReport report = run.run({.until = 0.05, .output_step = 0.01});
  EXPECT_EQ(report.status, RunStatus::Done);
  const auto values = table.row(run.simulator().state());
  std::map<std::string, double> row;
  for (std::size_t i = 0; i < values.size(); ++i) row[table.columns()[i]] = values[i];
  return row;
}

TEST(ContactColumns, ShapesCarryTheWeight) {
  for (const char* scheme : {"events", "stepping"}) {
    const auto row = last_row(slope(scheme, "{between: [b, N], plane: N.z, friction: 0.5}"));
    EXPECT_NEAR(row.at("rest.normal"), kWeight * std::cos(kSlope), 1e-6) << scheme;
    EXPECT_NEAR(row.at("b.contact.Fx"), -kWeight * std::sin(kSlope), 1e-6) << scheme;
    EXPECT_NEAR(row.at("b.contact.Fy"), 0, 1e-6) << scheme;
    EXPECT_NEAR(row.at("b.contact.Fz"), kWeight * std::cos(kSlope), 1e-6) << scheme;
    // Sizes at four corners add up to no less than the sum of the forces.
    EXPECT_GE(row.at("rest.friction"), kWeight * std::sin(kSlope) - 1e-6) << scheme;
  }
}

TEST(ContactColumns, ContactsOfTheModelCarryTheWeight) {
  for (const char* scheme : {"events", "stepping"}) {
    const auto row = last_row(slope(scheme, "{box: b, size: [0.2, 0.2, 0.1], plane: N.z, friction: 0.5}"));
    double normal = 0, friction = 0;
    for (const auto& [name, value] : row) {
      if (name.starts_with("rest.") && name.ends_with(".normal")) normal += value;
      if (name.starts_with("rest.") && name.ends_with(".friction")) friction += value;
    }
    EXPECT_NEAR(normal, kWeight * std::cos(kSlope), 1e-6) << scheme;
    EXPECT_GE(friction, kWeight * std::sin(kSlope) - 1e-6) << scheme;
  }
}

TEST(ContactColumns, AreAGroupOfTheTable) {
  const std::vector<std::string> groups{"contacts"}, wrong{"contact"};
  EXPECT_TRUE(table_columns_from(groups).contacts);
  EXPECT_THROW((void)table_columns_from(wrong), ModelError);
}

}  // namespace
}  // namespace kane
