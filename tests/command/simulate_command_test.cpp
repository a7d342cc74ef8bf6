// kane simulate as a user sees it: files, plots, pages, exit codes, and messages when a run cannot continue.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

class SimulateCommand : public testing::Test {
 protected:
  SimulateCommand() { std::filesystem::create_directories(folder_); }
  ~SimulateCommand() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static void expect_has(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text.substr(0, 2000);
  }

 private:
  std::string folder_ =
      (std::filesystem::temp_directory_path() / ("kane_simulate_" + std::to_string(getpid()) + "_" +
                                                 testing::UnitTest::GetInstance()->current_test_info()->name()))
          .string();
};

std::vector<std::vector<double>> read_csv(const std::string& file, std::string* header = nullptr) {
  std::istringstream in(read_file(file));
  std::string line;
  std::getline(in, line);
  if (header != nullptr) *header = line;
  std::vector<std::vector<double>> rows;
  while (std::getline(in, line)) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

/// Values by name in the order of a CSV header that begins with t.
std::vector<double> by_header(const std::string& header, const json& q, const json& u) {
  std::vector<double> r;
  std::istringstream names(header);
  std::string name;
  std::getline(names, name, ',');
  std::size_t at = 0;
  while (r.size() < q.size() + u.size() && std::getline(names, name, ',')) {
    const json& group = r.size() < q.size() ? q : u;
    r.push_back(group.is_object() ? group.at(name).get<double>() : group[at].get<double>());
    at = at + 1 == group.size() && r.size() == q.size() ? 0 : at + 1;
  }
  return r;
}

TEST_F(SimulateCommand, OracleTrajectoriesEndWhereTheyShould) {
  for (const char* id : {"planar2r", "stanford_arm", "rolling_disk_3d", "fourbar", "npend5", "bicycle_nonlinear",
                         "osiris_tree", "gravity_gradient"}) {
    const json oracle = json::parse(read_file(std::string(KANE_SOURCE_DIR) + "/tests/oracles/" + id + ".json"));
    const json& trajectory = oracle.at("trajectory");
    json state{{"t", trajectory["t0"]}, {"parameters", oracle.at("parameters")}};
    const json about = json::parse(run_kane({"evaluate", model(id), "--json"}).out);
    const auto named = [&](const json& values, const json& names) {
      if (values.is_object()) return values;
      json r = json::object();
      for (std::size_t i = 0; i < names.size(); ++i) r[names[i].get<std::string>()] = values[i];
      return r;
    };
    state["q"] = named(trajectory["q0"], about["coordinates"]);
    state["u"] = named(trajectory["u0"], about["speeds"]);
    if (trajectory.contains("inputs")) state["inputs"] = trajectory["inputs"];
    const std::string out = path(std::string(id) + ".csv");
    const auto result = run_kane({"simulate", model(id), "--out", out, "--state", "-", "--tolerance", "1e-11",
                                  "--until", trajectory["t_end"].dump(), "--quiet"},
                                 state.dump());
    ASSERT_EQ(result.exit_code, 0) << id << result.err;
    std::string header;
    const auto rows = read_csv(out, &header);
    const auto end = by_header(header, named(trajectory["q_end"], about["coordinates"]),
                               named(trajectory["u_end"], about["speeds"]));
    double scale = 0, worst = 0;
    for (std::size_t i = 0; i < end.size(); ++i) {
      scale = std::max(scale, std::abs(end[i]));
      worst = std::max(worst, std::abs(rows.back()[i + 1] - end[i]));
    }
    EXPECT_LT(worst / scale, 1e-9) << id;
    EXPECT_EQ(rows.back()[0], trajectory["t_end"].get<double>());
  }
}

TEST_F(SimulateCommand, WritesATableAndSaysWhatItDid) {
  const auto result =
      run_kane({"simulate", model("planar2r"), "--out", path("a.csv"), "--until", "1", "--plot", "q1,q2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"x real time", "1001 samples", "energy", "conserved up to", "* q1", "+ q2"})
    expect_has(result.out, part);
  std::string header;
  const auto rows = read_csv(path("a.csv"), &header);
  EXPECT_EQ(header.substr(0, 11), "t,q1,q2,u1,");
  ASSERT_EQ(rows.size(), 1001u);
  EXPECT_EQ(rows.back()[0], 1);
  EXPECT_FALSE(std::filesystem::exists("planar2r.html"));
}

TEST_F(SimulateCommand, TheSameRunGivesTheSameBytes) {
  for (const char* name : {"1", "2"}) {
    const auto result = run_kane({"simulate", model("slider_crank"), "--out", path(std::string(name) + ".csv"),
                                  "--report", path(std::string(name) + ".html"), "--until", "0.2", "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  EXPECT_EQ(read_file(path("1.csv")), read_file(path("2.csv")));
  std::string second = read_file(path("2.html"));
  const std::size_t own = second.find("2.csv");
  ASSERT_NE(own, std::string::npos);
  second.replace(own, 1, "1");
  EXPECT_EQ(read_file(path("1.html")), second);
}

TEST_F(SimulateCommand, ThePageIsSelfContained) {
  const auto result = run_kane({"simulate", model("andrews"), "--out", path("a.csv"), "--report", path("a.html")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_has(result.out, "a.html");
  const std::string page = read_file(path("a.html"));
  for (const char* outside : {"src=\"", "href=\"", "@import", "http-equiv", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  for (const char* mark : {"@DATA@", "@STYLE@", "@VIEW@", "@PLOT@", "@SCRIPT@", "@TITLE@"})
    EXPECT_EQ(page.find(mark), std::string::npos) << mark;
  const std::string open = "<script id=\"data\" type=\"application/json\">";
  const std::size_t first = page.find(open) + open.size();
  const json data = json::parse(page.substr(first, page.find("</script>", first) - first));
  EXPECT_EQ(data["title"], "andrews");
  EXPECT_EQ(data["scene"]["bodies"].size(), 7u);
  EXPECT_GE(data["scene"]["parts"].size(), 7u);
  EXPECT_EQ(data["scene"]["lines"].size(), 1u);    // the spring
  EXPECT_EQ(data["scene"]["arrows"].size(), 14u);  // force and torque of seven joints
  EXPECT_EQ(data["scene"]["poses"].get<std::string>().size(), (1001u * 7 * 7 * 4 + 2) / 3 * 4);
  std::set<std::string> groups;
  for (const auto& signal : data["signals"]) groups.insert(signal["group"].get<std::string>());
  for (const char* group : {"coordinates", "speeds", "energy", "residuals", "multipliers", "reactions", "inputs"})
    EXPECT_TRUE(groups.contains(group)) << group;
  expect_has(data["model"].get<std::string>(), "squeezing mechanism");
}

TEST_F(SimulateCommand, HostileNamesDoNotLeaveTheData) {
  const std::string text =
      "kane: 1\nname: x\ndescription: \"</script><script>alert(1)</script><!--\"\n"
      "bodies: {A: {mass: 1}}\njoints: {j: {type: prismatic, parent: N, child: A}}\n";
  const auto result =
      run_kane({"simulate", write("x.yaml", text), "--out", path("x.csv"), "--report", path("x.html"), "--until", "1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = read_file(path("x.html"));
  EXPECT_EQ(page.find("</script><script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
}

TEST_F(SimulateCommand, FramesAreSvgFiles) {
  const auto result = run_kane({"simulate", model("double_pendulum"), "--out", path("a.csv"), "--frames",
                                path("frames"), "--frame-rate", "10", "--until", "1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_has(result.out, "11 pictures");
  const std::string first = read_file(path("frames/frame_00000.svg")), last = read_file(path("frames/frame_00010.svg"));
  EXPECT_EQ(first.substr(0, 4), "<svg");
  EXPECT_EQ(first.find("#dfe6ec"), std::string::npos);  // no contact, no plane
  expect_has(last, "t = 1.0000 s");
  EXPECT_NE(first, last);
}

TEST_F(SimulateCommand, WritesHdf5AndMatlab) {
  for (const auto& [name, magic] : {std::pair<const char*, std::string>{"a.h5", "\x89HDF"}, {"a.mat", "MATLAB 5.0"}}) {
    const auto result = run_kane({"simulate", model("planar2r"), "--out", path(name), "--until", "1"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string first = read_file(path(name));
    EXPECT_EQ(first.substr(0, magic.size()), magic);
    // The same bytes again, a second later.
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    ASSERT_EQ(run_kane({"simulate", model("planar2r"), "--out", path(name), "--until", "1"}).exit_code, 0);
    EXPECT_EQ(read_file(path(name)), first) << name;
    for (const std::string& unit : {std::string("rad/s"), std::string("r\0a\0d\0/\0s\0", 10)})
      if ((unit.size() == 10) == (std::string(name) == "a.mat")) expect_has(first, unit);
  }
}

/// Only on request: inputs with their laws, motions of joints that are prescribed, energies, reactions.
TEST_F(SimulateCommand, FurtherColumnsOnRequest) {
  const std::string model = write("a.yaml", R"(
kane: 1
parameters: {m: 2 kg, k: 8 N/m, g: 10 m/s^2}
inputs: {F: -k*x}
gravity: -g*N.y
bodies: {table: {}, block: {mass: m}}
joints:
  lift: {type: prismatic, parent: N, child: table, axis: y, prescribe: 3*t^2}
  slide: {type: prismatic, parent: table, child: block, axis: x, coordinate: x}
loads: {push: {force: F, at: block, axis: N.x}}
initial: {x: 0.5}
)");
  std::string plain, header;
  (void)run_json({"simulate", model, "--until", "1", "--out", path("plain.csv")});
  (void)read_csv(path("plain.csv"), &plain);
  EXPECT_EQ(plain, "t,x,u_x");
  (void)run_json({"simulate", model, "--until", "1", "--out", path("all.csv"), "--columns", "all"});
  const auto rows = read_csv(path("all.csv"), &header);
  EXPECT_TRUE(header.starts_with("t,x,u_x,F,lift,kinetic_energy,")) << header;
  std::vector<std::string> names;
  std::istringstream cells(header);
  for (std::string name; std::getline(cells, name, ',');) names.push_back(name);
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  ASSERT_LT(at("slide.Fy"), names.size()) << header;
  for (const auto& row : rows) {
    const double t = row[0], x = row[1], u = row[2];
    EXPECT_NEAR(row[at("F")], -8 * x, 1e-9);
    EXPECT_NEAR(row[at("lift")], 3 * t * t, 1e-12);
    EXPECT_NEAR(row[at("kinetic_energy")], u * u + 36 * t * t, 1e-9);  // m/2 (x'^2 + (6 t)^2)
    EXPECT_NEAR(row[at("slide.Fy")], 2 * (10 + 6.0), 1e-9);
  }
  const auto wrong = run_kane({"simulate", model, "--columns", "inputz"});
  EXPECT_EQ(wrong.exit_code, 2);
  expect_has(wrong.err, "'inputz' is not a group of columns");
  expect_has(wrong.err, "'inputs'");
}

TEST_F(SimulateCommand, TablesOfSpreadsheetsAreRead) {
  const std::string table = write("in.csv", "\xef\xbb\xbft,TA\r\n0,1\r\n1,2\r\n");
  const auto result =
      run_kane({"simulate", model("planar2r"), "--inputs", table, "--out", path("a.csv"), "--until", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(SimulateCommand, BadOptionsAreInputErrors) {
  const auto fails = [&](std::vector<std::string> options, const char* part) {
    options.insert(options.begin(), {"simulate", model("double_pendulum")});
    if (std::find(options.begin(), options.end(), "--out") == options.end())
      options.insert(options.end(), {"--out", path("x.csv")});
    const auto result = run_kane(options);
    EXPECT_EQ(result.exit_code, 2) << part;
    expect_has(result.err, part);
  };
  fails({"--until", "-1"}, "must end after it begins");
  fails({"--until", "nan"}, "must end after it begins");
  fails({"--constraints", "foo"}, "unknown way of constraints");
  fails({"--control-delay", "0.1"}, "needs a control period");
  fails({"--output-step", "1e-12"}, "at most");
  fails({"--step", "1e-300", "--method", "rk4"}, "never end");
  fails({"--state", write("huge.json", R"({"q": {"q1": 1e400}})")}, "too large");
  fails({"--tolerance", "0"}, "tolerance must lie between 0 and 1");
  fails({"--method", "rkk"}, "did you mean 'rk4'");
  fails({"--method", "verlet"}, "use gauss or midpoint");
  fails({"--step", "-1", "--method", "rk4"}, "step must be positive");
  fails({"--plot", "q9"}, "did you mean 'q1'");
  fails({"--out", path("x.parquet")}, "not as .parquet");
  fails({"--out", "/nonexistent/x.csv"}, "cannot be written");
  fails({"--report", "/nonexistent/x.html"}, "cannot be written");
  fails({"--frames", "/proc/x"}, "cannot be made");
  fails({"--frames", path("f"), "--frame-rate", "0"}, "must be positive");
  fails({"--control-period", "1"}, "no input law to sample");
}

TEST_F(SimulateCommand, FailuresTellTimeStateQuantityAndCause) {
  const std::string mass =
      "kane: 1\nname: m\nbodies: {A: {mass: 1 kg}}\ninitial: {x: 0, u_x: 1}\n"
      "joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x}}\n";
  const auto fails = [&](const std::string& text, std::initializer_list<const char*> parts) {
    const auto result =
        run_kane({"simulate", write("m.yaml", text), "--out", path("m.csv"), "--report", path("m.html")});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    for (const char* part : parts) expect_has(result.err, part);
    for (const char* part : {"the simulation stopped at t =", "Quantity:", "Likely cause:", "State:"})
      expect_has(result.err, part);
    EXPECT_FALSE(read_csv(path("m.csv")).empty());  // what was written stays readable
    expect_has(read_file(path("m.html")), "the simulation stopped at t =");
  };
  fails(mass + "loads: [{force: -2*sqrt(1 - t)*N.x, at: A}]", {"t = 1 s", "u_x", "sqrt(1 - t) is nan"});
  fails(mass + "loads: [{force: u_x^3*N.x, at: A}]", {"step size became too small", "t = 0.5 s"});
  // Polar coordinates at their pole: no inertia resists the angle.
  fails(
      "kane: 1\nname: m\nbodies: {A: {}, B: {mass: 1 kg}}\njoints:\n"
      "  a: {type: revolute, parent: N, child: A, axis: z, coordinate: theta}\n"
      "  b: {type: prismatic, parent: A, child: B, axis: x, coordinate: r}\n",
      {"t = 0 s"});
}

TEST_F(SimulateCommand, SpeedsThatLoseTheirMeaningAreNamed) {
  const auto result = run_kane({"simulate", model("planar2r_opspace"), "--out", path("a.csv"), "--until", "3"});
  EXPECT_EQ(result.exit_code, 1);
  expect_has(result.err,
             "the choice of generalized speeds is singular where sin(q2) = 0, and the motion has come there");
  expect_has(result.err, "leave out 'speeds:'");
  EXPECT_NEAR(read_csv(path("a.csv")).back()[0], 0.8262, 1e-3);
}

// The links lie in one line at t = 0.714356, 1.20 ...: events inside of the jumps over such places are found, and the run ends
// where the one without events does.
TEST_F(SimulateCommand, RunsWithEventsPassChangePoints) {
  const std::string text = read_file(model("parallel_cranks"));
  const auto run = [&](const std::string& more, const std::string& method) {
    const auto result =
        run_kane({"simulate", write("m.yaml", text + more), "--out", path("m.csv"), "--method", method});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return read_csv(path("m.csv")).back();
  };
  const auto plain = run("", "auto");
  for (const char* method : {"auto", "dopri5", "rk4"}) {
    const auto never = run("events: {never: {when: q1 + 1000 falls through zero, stop: true}}\n", method);
    const auto relabelled =
        run("modes: {a: {active: [pin2, pin3], initial: true}, b: {active: [pin2, pin3]}}\nevents: {inside: {from: a, "
            "to: b, when: q1 "
            "falls through zero}, soon: {from: b, to: a, when: q1 + 1e-4 falls through zero}}\n",
            method);
    for (std::size_t k = 0; k < plain.size(); ++k) {
      EXPECT_NEAR(never[k], plain[k], 2e-7) << method << k;
      EXPECT_NEAR(relabelled[k], plain[k], 2e-7) << method << k;
    }
  }
  const auto stopped = run("events: {inside: {when: q1 falls through zero, stop: true}}\n", "auto");
  // Energy: (m + M) l^2 u^2/2 + (3 m/2 + M) g l sin(q), from 90 degrees at -1 rad/s.
  const double u = -std::sqrt(1 + 2 * 3.5 * 9.81 / 3);
  for (const std::size_t k : {1U, 2U, 3U, 4U}) EXPECT_NEAR(stopped[k], 0, 1e-9);
  for (const std::size_t k : {5U, 6U, 7U}) EXPECT_NEAR(stopped[k], u, 1e-8);
}

TEST_F(SimulateCommand, APartWithoutMassIsNamed) {
  const std::string file =
      write("m.yaml",
            "kane: 1\nname: m\nbodies: {A: {mass: 1, com: [1, 0, 0]}, B: {}}\njoints:\n"
            "  a: {type: revolute, parent: N, child: A, axis: z, coordinate: q1}\n"
            "  b: {type: revolute, parent: A, at: [1, 0, 0], child: B, axis: z, coordinate: q2}\n");
  for (const char* formulation : {"automatic", "composite", "articulated"}) {
    const auto result = run_kane({"simulate", file, "--out", path("m.csv"), "--formulation", formulation});
    EXPECT_EQ(result.exit_code, 2) << formulation;
    expect_has(result.err, "nothing that has mass moves with the joint 'b'");
  }
}

TEST_F(SimulateCommand, PartsOfTheTimeMakeUpTheWhole) {
  for (const char* id : {"planar2r", "fourbar", "parallel_cranks", "bouncing_ball"}) {
    const auto result = run_kane({"simulate", model(id), "--out", path("a.csv"), "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json times = json::parse(result.out)["processor_seconds"];
    for (const char* part : {"kernel", "output"}) EXPECT_GT(times[part].get<double>(), 0) << id << " " << part;
    double sum = 0;
    for (const char* part : {"kernel", "solve", "projection", "integrator", "output"}) sum += times[part].get<double>();
    EXPECT_GT(sum, 0.99 * times["total"].get<double>()) << id;
  }
}

TEST_F(SimulateCommand, InitialValuesFollowTheParametersOfAState) {
  const std::string file = write("m.yaml",
                                 "kane: 1\nname: m\nparameters: {l: 2}\nbodies: {A: {mass: 1}}\n"
                                 "joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x}}\n"
                                 "initial: {x: 3*l, u_x: l/2}\n");
  const std::string state = write("s.json", R"({"parameters": {"l": 8}, "u": {"u_x": 5}})");
  ASSERT_EQ(run_kane({"simulate", file, "--state", state, "--out", path("a.csv"), "--until", "1"}).exit_code, 0);
  const auto rows = read_csv(path("a.csv"));
  EXPECT_EQ(rows.front()[1], 24);
  EXPECT_NEAR(rows.back()[1], 29, 1e-12);
}

TEST_F(SimulateCommand, WarnsWhenEnergyDrifts) {
  const auto result =
      run_kane({"simulate", model("double_pendulum"), "--out", path("a.csv"), "--method", "rk4", "--step", "0.05"});
  EXPECT_EQ(result.exit_code, 0);
  expect_has(result.err, "warning: energy should be conserved but drifts");
}

TEST_F(SimulateCommand, ControllersOfTheModelAreSampled) {
  const auto result = run_kane({"simulate", model("pd_arm"), "--out", path("a.csv"), "--report", path("a.html")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = read_csv(path("a.csv"));
  EXPECT_NEAR(rows.back()[1], 1.0, 0.02);  // the joints have come to what was asked of them
  EXPECT_NEAR(rows.back()[2], -0.5, 0.02);
}

TEST_F(SimulateCommand, CtrlCEndsCleanly) {
  const std::string out = path("a.csv");
  const pid_t child = fork();
  if (child == 0) {
    (void)!freopen("/dev/null", "w", stdout);
    (void)!freopen("/dev/null", "w", stderr);
    execl(KANE_COMMAND, "kane", "simulate", model("npend20").c_str(), "--until", "1e6", "--output-step", "0.01",
          "--out", out.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  for (int i = 0; i < 600 && read_file(out + ".part").size() < 20000; ++i) usleep(50000);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
  const auto rows = read_csv(out);
  ASSERT_GT(rows.size(), 5u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows.front().size());
}

}  // namespace
}  // namespace kane::test
