// The page of kane simulate --report in a browser: page_driver.js plays, scrubs, chooses signals, zooms and hovers, and tells
// what the page then showed. Where there is no chromium that cannot be seen, and nothing is tested.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// The value of a column at a time, from the table of the run.
double table_value(const std::string& file, const std::string& name, double t) {
  std::ifstream in(file);
  std::string line, cell;
  std::getline(in, line);
  std::istringstream names(line);
  int column = 0;
  while (std::getline(names, cell, ',') && cell != name) ++column;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::getline(cells, cell, ',');
    if (std::abs(std::stod(cell) - t) > 1e-9) continue;
    for (int i = 0; i < column; ++i) std::getline(cells, cell, ',');
    return std::stod(cell);
  }
  return std::nan("");
}

class ReportPageSlow : public testing::TestWithParam<const char*> {
 protected:
  ReportPageSlow() { fs::create_directories(folder_); }
  ~ReportPageSlow() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  /// The driver's observations on the page of a run; null if the browser did not get that far.
  [[nodiscard]] json drive(const std::string& model) const {
    const auto run = run_kane({"simulate", std::string(KANE_SOURCE_DIR) + "/models/" + model + ".yaml", "--out",
                               path("a.csv"), "--report", path("a.html"), "--quiet"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    std::string page = read_file(path("a.html"));
    const std::string body = "<body>";
    page.insert(page.find(body) + body.size(),
                "<script>{" + read_file(KANE_SOURCE_DIR "/tests/command/page_driver.js") + "}</script>");
    std::ofstream(path("driven.html")) << page;
    const std::string command = "HOME=" + folder_ +
                                " timeout 120 chromium --headless --no-sandbox --disable-gpu --window-size=1000,700 "
                                "--user-data-dir=" +
                                folder_ + "/browser --virtual-time-budget=30000 --dump-dom file://" +
                                path("driven.html") + " > " + path("dom.html") + " 2> /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    const std::string dom = read_file(path("dom.html")), open = "<pre id=\"seen\">";
    const std::size_t begin = dom.find(open);
    if (begin == std::string::npos) return nullptr;
    std::string text = dom.substr(begin + open.size(), dom.find("</pre>", begin) - begin - open.size());
    for (const auto& [mark, letter] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}})
      for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; ++at)
        text.replace(at, std::string(mark).size(), letter);
    return json::parse(text);
  }

 private:
  std::string folder_ = (fs::temp_directory_path() / ("kane_page_" + std::to_string(getpid()))).string();
};

/// A tree, a closed loop, contacts.
TEST_P(ReportPageSlow, DoesWhatItsControlsSay) {
  if (std::system("chromium --version > /dev/null 2>&1") != 0) {
    std::puts("chromium is not installed: the page is not looked at");
    return;
  }
  const json seen = drive(GetParam());
  ASSERT_TRUE(seen.is_object());
  EXPECT_EQ(seen["errors"], json::array());
  EXPECT_EQ(seen["untitled"], json::array());
  EXPECT_EQ(seen["shownTexts"], json::array());
  const auto number = [&](const char* name) { return seen.at(name).get<double>(); };
  const double end = number("wholeEnd");
  // Playing: a second at a tenth of the pace, then one at half of it; frames come every 40 ms.
  EXPECT_EQ(number("begin"), 0);
  EXPECT_EQ(seen["playSign"], "\u275a\u275a");
  EXPECT_NEAR(number("played"), 0.1, 0.01);
  EXPECT_EQ(number("paused"), number("played"));
  EXPECT_NEAR(number("playedFaster") - number("paused"), 0.5, 0.05);
  EXPECT_TRUE(seen["playsFromSlider"].get<bool>());
  // Scrubbing, and steps by keys.
  EXPECT_NEAR(number("scrubbed"), end / 2, 1e-4);
  EXPECT_NEAR(number("stepped") - number("scrubbed"), end / 200, 1e-4);
  EXPECT_EQ(number("steppedBack"), number("scrubbed"));
  // Signals: one with another unit gets a plot of its own; those of a plot have one unit, which stands at its axis.
  EXPECT_GE(number("plots"), 3);
  EXPECT_GE(number("curves"), 2);
  EXPECT_EQ(number("curvesWithEnergy"), number("curves"));
  EXPECT_EQ(number("plotsWithEnergy"), number("plots") + 1);
  EXPECT_EQ(seen["chipsBelow"], json::array({"total energy"}));
  EXPECT_EQ(number("chipsThen"), 2);
  EXPECT_EQ(seen["lastChips"], json::array({"total energy"}));
  EXPECT_EQ(number("mixed"), 0);
  EXPECT_GE(seen["unitTexts"].size(), 4U);  // coordinates, speeds, and twice the energy
  EXPECT_EQ(number("curvesLess"), number("curves") - 1);
  EXPECT_GE(seen["followed"].size(), 2U);
  EXPECT_EQ(seen["followReset"], "");
  // Zoom to the middle half: the last mark is the last round number before three quarters.
  EXPECT_LE(number("zoomEnd"), 0.75 * end);
  EXPECT_GT(number("zoomEnd"), 0.6 * end);
  EXPECT_LT(number("wheelEnd"), 0.58 * end);
  EXPECT_GT(number("wheelEnd"), 0.5 * end);
  EXPECT_EQ(number("resetEnd"), end);
  EXPECT_NEAR(number("clicked"), 0.75 * end, 1e-3 * end);
  // Hovering reads the table of the run.
  EXPECT_EQ(seen["hoverAfter"], json::array());
  const auto hover = seen["hover"].get<std::vector<std::string>>();
  ASSERT_EQ(hover.size(), number("curves"));  // the time, and all but one
  const double t = std::stod(hover[0].substr(4));
  EXPECT_NEAR(t, end / 2, 1e-3 * end);
  for (std::size_t i = 1; i < hover.size(); ++i) {
    const std::size_t equals = hover[i].find(" = ");
    const double shown = std::stod(hover[i].substr(equals + 3));
    EXPECT_NEAR(shown, table_value(path("a.csv"), hover[i].substr(0, equals), t), 1e-6 * (1 + std::abs(shown)));
  }
  EXPECT_EQ(number("events") > 0, std::string(GetParam()) == "box_drop");
}
INSTANTIATE_TEST_SUITE_P(Models, ReportPageSlow, testing::Values("planar2r", "fourbar", "box_drop"),
                         [](const auto& model) { return std::string(model.param); });

}  // namespace
}  // namespace kane::test
