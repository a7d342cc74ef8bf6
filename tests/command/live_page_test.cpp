// kane export --to page: the page moves as kane simulate does, and parts it cannot contain are refused by name. The page's own
// kernel (web/src/kernel.ts) runs in Node here; tests/web opens pages in a browser.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/codegen/emit_runner.hpp"
#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

/// A parameter that follows others, a table, a law of time, a series, and a loop.
constexpr const char* kMixed = R"yaml(
kane: 1
name: mixed
parameters: {m: 2 kg, L: 300 mm, J: m*L^2/3, g: 9.81 m/s^2}
inputs:
  push: {points: [[0, 0], [0.5, 4], [1, -2], [3, 0]]}
  sway: 0.3*sin(4*t)
tables:
  drag: {points: [[-3, -2], [-1, -0.4], [0, 0], [1, 0.4], [3, 2]], interpolation: monotone}
gravity: -g*N.y
bodies:
  A: {mass: m, com: [0, -L/2, 0], inertia: [J, J, J]}
  B: {mass: 1 kg, inertia: [0.02, 0.03, 0.04]}
joints:
  pin: {type: revolute, parent: N, child: A, axis: z, coordinate: q, law: push + sway - 0.2*drag(u)}
  ball: {type: spherical, parent: A, at: [0, -L, 0], child: B, coordinates: [e1, e2, e3, e4], speeds: [w1, w2, w3]}
initial: {q: 40 deg, u: 0.5, w1: 1, w2: -2, w3: 0.5}
)yaml";

void expect_page_moves(const std::string& model, const std::vector<std::string>& extra = {}, double tolerance = 1e-9,
                       const std::string& until = "2") {
  const ScratchFolder folder("page");
  const std::string page = (folder.path() / "a.html").string();
  std::vector<std::string> write{"export", model, "--to", "page", "-o", page};
  write.insert(write.end(), extra.begin(), extra.end());
  const auto exported = run_kane(write);
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  std::vector<std::string> simulate{"simulate", model, "--out",         "-",   "--quiet", "--tolerance", "1e-13",
                                    "--until",  until, "--output-step", "0.25"};
  simulate.insert(simulate.end(), extra.begin(), extra.end());
  const auto reference = run_kane(simulate);
  ASSERT_EQ(reference.exit_code, 0) << reference.err;
  const CsvTable expected = table_of(reference.out);
  const CsvTable got =
      run_for_table(folder.path(), std::string("node ") + KANE_SOURCE_DIR "/tests/web/page_motion.mjs " + page + " " +
                                       KANE_PAGE_FOLDER "/kernel.mjs " + until + " 0.25");
  ASSERT_EQ(got.rows.size(), expected.rows.size()) << model;
  std::vector<double> size(got.rows[0].size(), 1.0);  // a piston that stops for an instant is as accurate as it is fast
  for (const auto& row : expected.rows)
    for (std::size_t i = 0; i < size.size(); ++i) size[i] = std::max(size[i], std::fabs(row[i]));
  for (std::size_t r = 0; r < got.rows.size(); ++r)
    for (std::size_t i = 0; i < size.size(); ++i)
      EXPECT_NEAR(got.rows[r][i], expected.rows[r][i], tolerance * size[i])
          << model << ", " << expected.names[i] << " at t = " << got.rows[r][0];
}

TEST(LivePage, MovesAsSimulateDoes) {
  for (const char* name : {"double_pendulum", "fourbar", "planar2r", "car_axis", "spinning_top", "rolling_disk_3d",
                           "npend5", "stanford_arm", "bricard"}) {
    SCOPED_TRACE(name);
    expect_page_moves(std::string(KANE_SOURCE_DIR) + "/models/" + name + ".yaml");
  }
}

/// The set of redundant constraints changes along the way; the equations keep that of the start and gradually lose digits
/// (about 1e-6 after 2 s, a little more or less depending on the compiler's rounding).
TEST(LivePage, KeepsLoopsThatAreClosedTwiceOnTheirPath) {
  expect_page_moves(KANE_SOURCE_DIR "/models/bennett.yaml", {}, 1e-6, "1");
}

TEST(LivePage, CarriesTablesSeriesLawsAndSettings) {
  const ScratchFolder folder("mixed");
  folder.write("mixed.yaml", kMixed);
  expect_page_moves((folder.path() / "mixed.yaml").string());
  expect_page_moves((folder.path() / "mixed.yaml").string(), {"--set", "L=0.4", "--set", "q=10 deg"});
}

TEST(LivePage, RefusesByName) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"bouncing_ball", "contact 'floor'"}, {"friction_oscillator", "friction"}, {"cart_switch", "event"}};
  for (const auto& [model, words] : cases) {
    const auto result = run_kane({"export", std::string(KANE_SOURCE_DIR) + "/models/" + model + ".yaml", "--to", "page",
                                  "-o", "/tmp/kane_no_page.html"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  }
}

TEST(LivePage, IsOneFileThatAsksNobody) {
  const ScratchFolder folder("page");
  const std::string page = (folder.path() / "a.html").string(), model = KANE_SOURCE_DIR "/models/double_pendulum.yaml";
  ASSERT_EQ(run_kane({"export", model, "--to", "page", "-o", page}).exit_code, 0);
  const std::string html = read_text(page);
  EXPECT_LT(html.size(), 1'500'000U);
  EXPECT_NE(html.find("Content-Security-Policy"), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char* word : {"src=\"", "href=\"http", "@import", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(html.find(word), std::string::npos) << word;
  // A file that Kane did not write is not replaced.
  folder.write("mine.html", "my own page");
  const auto refused = run_kane({"export", model, "--to", "page", "-o", (folder.path() / "mine.html").string()});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_EQ(folder.read("mine.html"), "my own page");
}

}  // namespace
}  // namespace kane::test
