// Wrong input of every kind, to every command: a sentence and exit code 2 (1 where only the run can know), within seconds,
// never a signal, and never "a bug in Kane".

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

/// A sanitizer reserves far more address space than a program uses, and takes its time.
#ifdef KANE_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr rlim_t kSeconds = kSanitized ? 200 : 20;

namespace fs = std::filesystem;

constexpr const char* kGood = R"(kane: 1
name: good
parameters: {m: 1 kg, k: 4 N/m}
inputs: {F: 0 N}
bodies: {A: {mass: m}}
joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, speed: u}}
loads: [{force: (-k*x + F)*N.x, at: A}]
outputs: {e: k*x^2/2}
initial: {x: 1, u: 0}
)";

constexpr const char* kRobot = R"(<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute">
<parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>)";

class HostileInput : public testing::Test {
 protected:
  HostileInput() {
    fs::create_directories(folder_);
    fs::current_path(folder_);
    write("good.yaml", kGood);
  }
  ~HostileInput() override {
    fs::current_path(fs::temp_directory_path());
    fs::remove_all(folder_);
  }
  static void write(const std::string& name, const std::string& bytes) {
    std::ofstream(name, std::ios::binary) << bytes;
  }
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  }
  /// With at most kSeconds of processor time and 4 GB.
  static void expect_sentence(const std::vector<std::string>& arguments, const std::string& what) {
    const auto limit = [] {
      const rlimit time{kSeconds, kSeconds}, memory{4UL << 30U, 4UL << 30U};
      setrlimit(RLIMIT_CPU, &time);
      if (!kSanitized) setrlimit(RLIMIT_AS, &memory);
    };
    const auto result = run_kane_after(limit, arguments);
    EXPECT_TRUE(result.exit_code == 2 || result.exit_code == 1) << what << ": exit code " << result.exit_code;
    EXPECT_FALSE(result.err.empty()) << what;
    for (const char* never : {"bug in Kane", "internal error", "not enough memory", "\x1b"})
      EXPECT_EQ(result.err.find(never), std::string::npos) << what << ": " << result.err.substr(0, 300);
  }

 private:
  std::string folder_ = (fs::temp_directory_path() / ("kane_hostile_" + std::to_string(getpid()) + "_" +
                                                      testing::UnitTest::GetInstance()->current_test_info()->name()))
                            .string();
};

TEST_F(HostileInput, ModelFiles) {
  const std::string deep(400, '('), close(400, ')');
  std::vector<std::string> texts{"",
                                 "\n",
                                 "- 1\n",
                                 "42",
                                 std::string("\0\1\2\xff\xfe", 5),
                                 "{{{{",
                                 std::string(100000, '['),
                                 "a: &a [*a]\n",
                                 "kane: 2\n",
                                 "kane: 1\nkane: 1\n",
                                 "kane: 1\ninclude: /etc/passwd\n",
                                 "kane: 1\nrepeat: {index: i, from: 1, to: 1e12, bodies: {\"B{i}\": {mass: 1}}}\n",
                                 "kane: 1\nrepeat: {index: i, from: 1, to: 100000, bodies: {\"B{i}\": {mass: 1}}}\n"};
  for (const char* key :
       {"parameters", "bodies", "joints", "loads", "outputs", "initial", "gravity", "contacts", "simulate"})
    for (const char* value : {"[1, [2, {a: 3}]]", "{a: {b: {c: []}}}", "1e999"})
      texts.push_back(std::string("kane: 1\n") + key + ": " + value + "\n");
  for (const std::string& value :
       {std::string("0/0"), std::string("1/0"), std::string("1e400"), std::string("nan"), std::string("1 kg kg"),
        std::string("(((("), deep + "1" + close, std::string("sin(1,2)"), std::string("\"\\x01\""),
        std::string("{a: 1}"), std::string("-1 kg")})
    texts.push_back(replaced(kGood, "1 kg", value));
  for (const char* name : {"\"1x\"", "\"\"", "\"a b\"", "\"../x\"", "\"\\u001b[31m\"", "N", "\"a\\tb\""})
    texts.push_back(replaced(
        replaced(replaced(kGood, "{A:", std::string("{") + name + ":"), "child: A", std::string("child: ") + name),
        "at: A", std::string("at: ") + name));
  texts.push_back(replaced(kGood, "name: good", "name: \"\\u001b[2J\""));
  texts.push_back(replaced(kGood, "{e:", "{t:"));
  texts.push_back(replaced(kGood, "axis: x,", "axis: [0, 0, 0],"));
  for (const std::string& text : texts) {
    write("m.yaml", text);
    expect_sentence({"check", "m.yaml"}, text.substr(0, 300));
  }
}

TEST_F(HostileInput, Robots) {
  std::vector<std::string> texts{"",
                                 "<robot",
                                 "<robot/>",
                                 "<x/>",
                                 std::string("\0", 1) + kRobot,
                                 std::string(kRobot) + kRobot,
                                 "<!DOCTYPE x [<!ENTITY a \"b\">]><robot name=\"r\"/>"};
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"mass value=\"1\"", "mass value=\"-1\""},
                                                        {"mass value=\"1\"", "mass value=\"1e999\""},
                                                        {"ixx=\"1\"", "ixx=\"x\""},
                                                        {"0 0 1", "0 0 0"},
                                                        {"0 0 1", "0 0"},
                                                        {"child link=\"b\"", "child link=\"a\""},
                                                        {"parent link=\"a\"", "parent link=\"z\""},
                                                        {"revolute", "warp"},
                                                        {"lower=\"-1\"", "lower=\"2\""},
                                                        {"<axis", "<mimic joint=\"zz\"/><axis"}})
    texts.push_back(replaced(kRobot, from, to));
  std::string deep = "<robot name=\"r\">", many = deep;
  for (int i = 0; i < 3000; ++i) deep += "<link name=\"x\">";
  for (int i = 0; i < 20000; ++i)
    many += "<link name=\"l" + std::to_string(i) + "\"/><joint name=\"j\" type=\"fixed\"/>";  // one line
  texts.push_back(deep);
  texts.push_back(many + "</robot>");
  for (const std::string& text : texts) {
    write("m.urdf", text);
    expect_sentence({"check", "m.urdf"}, text.substr(0, 300));
  }
}

TEST_F(HostileInput, StatesAndSeries) {
  for (const char* text :
       {"", "{", "[1]", "null", "{\"q\":1}", "{\"q\":{\"x\":\"a\"}}", "{\"q\":{\"x\":1e999}}", "{\"q\":{\"zz\":1}}",
        "{\"t\":[1]}", "{\"parameters\":{\"m\":-1}}", "{\"inputs\":7}", "{\"active\":3}", "{\"q\":{}} x"}) {
    write("s.json", text);
    for (const char* command : {"evaluate", "linearize", "forces"})
      expect_sentence({command, "good.yaml", "--state", "s.json"}, text);
  }
  for (const char* text : {"", "t\n", "t,F\n0\n", "t,F\n0,a\n", "t,F\n1,1\n0,1\n", "F\n1\n", "t,zz\n0,0\n1,1\n",
                           "t,F\n0,nan\n1,1\n", "t,F\n0,1e999\n1,1\n", "t,F\n0,1,2\n", "t,F\nnan,1\n1,1\n"}) {
    write("s.csv", text);
    expect_sentence({"simulate", "good.yaml", "--inputs", "s.csv", "--until", "1", "--out", "o.csv"}, text);
    expect_sentence({"inverse", "good.yaml", "--motion", "s.csv", "--out", "o.csv"}, text);
    expect_sentence({"haptics", kModels + "shopping_cart.yaml", "--device", "replay:s.csv", "--unpaced"}, text);
  }
}

TEST_F(HostileInput, Options) {
  const std::string cart = kModels + "shopping_cart.yaml";
  const std::vector<std::vector<std::string>> lines{{"simulate", "good.yaml", "--until", "1e300"},
                                                    {"simulate", "good.yaml", "--until", "nan"},
                                                    {"simulate", "good.yaml", "--tolerance", "nan"},
                                                    {"simulate", "good.yaml", "--output-step", "1e-300"},
                                                    {"simulate", "good.yaml", "--step", "nan", "--method", "rk4"},
                                                    {"simulate", "good.yaml", "--set", "m=1=2"},
                                                    {"simulate", "good.yaml", "--set", "m=-1"},
                                                    {"simulate", "good.yaml", "--out", "/"},
                                                    {"simulate", "good.yaml", "--inputs", "/dev/zero"},
                                                    {"simulate", "good.yaml", "--state", "/"},
                                                    {"simulate", "good.yaml", "--frames", "good.yaml"},
                                                    {"linearize", "good.yaml", "--sweep", "k=1:nan:3"},
                                                    {"frequency", "good.yaml", "--output", "x", "--points", "-5"},
                                                    {"frequency", "good.yaml", "--output", "zz"},
                                                    {"fit", "good.yaml", "--parameter", "k=2:1", "--goal", "x=0"},
                                                    {"fit", "good.yaml", "--parameter", "k", "--goal", "x=nan"},
                                                    {"inverse", "good.yaml", "--motion", "x=1/0", "--until", "1"},
                                                    {"jacobian", "good.yaml", "--point", "zz"},
                                                    {"reach", "good.yaml", "--point", "A=nan,0,0"},
                                                    {"sensitivity", "good.yaml", "--parameters", "zz"},
                                                    {"export", "good.yaml", "--to", "zz", "-o", "e"},
                                                    {"export", "good.yaml", "--to", "c", "-o", "good.yaml"},
                                                    {"bench", "good.yaml", "--seconds", "nan"},
                                                    {"expr", "("},
                                                    {"expr", std::string(100000, '(')},
                                                    {"expr", "\x1b[31m"},
                                                    {"new", "../x"},
                                                    {"derive", "good.yaml", "--step", "9"},
                                                    {"check", "/dev/zero"},
                                                    {"check", "."},
                                                    {"check", "\x1b[31m"},
                                                    {"\x1b[31m"},
                                                    {"haptics", cart, "--rate", "nan"},
                                                    {"haptics", cart, "--max-force", "-1"},
                                                    {"haptics", cart, "--duration", "1e30"},
                                                    {"haptics", cart, "--ramp", "-1"},
                                                    {"haptics", cart, "--device", "udp:99999"},
                                                    {"haptics", cart, "--device-sheet", "good.yaml"},
                                                    {"haptics", cart, "--impose", "1: zz"},
                                                    {"forces", "good.yaml", "--until", "nan"}};
  for (auto line : lines) {
    std::string what;
    for (const auto& word : line) what += word.substr(0, 60) + " ";
    expect_sentence(line, what);
  }
}

// Words of our own, which say what would be right.
TEST_F(HostileInput, OptionsNameWhatTheyTake) {
  for (const char* port : {"99999999", "-1", "80.5"})
    EXPECT_NE(run_kane({"serve", ".", "--no-browser", "--port", port}).err.find("--port takes a number from 0"),
              std::string::npos)
        << port;
  const auto sweep = run_kane(
      {"sweep", "good.yaml", "--vary", "lenght=1..2:3", "--measure", "max(x)", "--until", "1", "--out", "s.db"});
  EXPECT_NE(sweep.err.find("'lenght' to vary; it has m, k, x, u, F"), std::string::npos) << sweep.err;
}

// Nine lines that make three thousand bodies: what grows must grow in proportion.
TEST_F(HostileInput, ManyBodiesOnTheGround) {
  for (const std::string joint : {"prismatic, axis: x", "revolute, axis: z"}) {
    write("many.yaml",
          "kane: 1\nname: many\nrepeat:\n  index: i\n  from: 1\n  to: " + std::string(kSanitized ? "300" : "3000") +
              "\n  bodies: {\"B{i}\": {mass: 1, inertia: [1, 1, 1], com: [0.1, 0, 0]}}\n"
              "  joints: {\"J{i}\": {parent: N, child: \"B{i}\", type: " +
              joint + "}}\n");
    const auto limit = [] {  // dense matrices of 3000 rows took more than half a gigabyte
      const rlimit time{60, 60}, memory{rlim_t{500} << 20, rlim_t{500} << 20};
      setrlimit(RLIMIT_CPU, &time);
      if (!kSanitized) setrlimit(RLIMIT_AS, &memory);
    };
    const auto result = run_kane_after(limit, {"check", "many.yaml"});
    EXPECT_EQ(result.exit_code, 0) << joint << ": " << result.err;
  }
}

}  // namespace
}  // namespace kane::test
