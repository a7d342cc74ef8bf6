// Output files: full disks, other people's files, interruptions, closed streams.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

namespace fs = std::filesystem;

class Output : public testing::Test {
 protected:
  Output() {
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  ~Output() override {
    fs::current_path(fs::temp_directory_path());
    fs::remove_all(folder_);
  }
  static std::string write(const std::string& name, const std::string& text) {
    std::ofstream(name, std::ios::binary) << text;
    return name;
  }
  static void expect_has(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text.substr(0, 2000);
  }
  static void expect_refused(const std::vector<std::string>& arguments, const std::string& part) {
    const auto result = run_kane(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    expect_has(result.err, part);
  }

 private:
  std::string folder_ = (fs::temp_directory_path() / ("kane_output_" + std::to_string(getpid()) + "_" +
                                                      testing::UnitTest::GetInstance()->current_test_info()->name()))
                            .string();
};

void limit_files(rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(Output, AFullDiskIsAnErrorInEveryFormat) {
  const std::string model = kModels + "planar2r.yaml";
  for (const char* file : {"a.h5", "a.mat", "a.csv"})
    for (const rlim_t room : {0U, 1000U, 20000U, 50000U}) {
      write(file, "");
      const auto result = run_kane_after([&] { limit_files(room); }, {"simulate", model, "--out", file, "--quiet"});
      EXPECT_EQ(result.exit_code, 1) << file << " " << room;
      EXPECT_EQ(fs::file_size(file), 0U) << "a file that is not whole has no name";
      const bool part = fs::exists(std::string(file) + ".part");
      EXPECT_TRUE(!part || read_file(std::string(file) + ".part").back() == '\n') << file;
    }
  const auto fails = [&](std::vector<std::string> arguments) {
    const auto result = run_kane_after([] { limit_files(1000); }, arguments);
    EXPECT_EQ(result.exit_code, 1) << arguments.front();
    // Messages go to files, too, here.
    for (const auto& entry : fs::directory_iterator("."))
      EXPECT_TRUE(fs::is_directory(entry) || entry.path().filename().string().starts_with("a.") ||
                  entry.path().extension() == ".part")
          << entry.path();
  };
  fails({"simulate", model, "--out", "/dev/null", "--report", "b.html"});
  fails({"simulate", model, "--out", "/dev/null", "--frames", "frames"});
  fails({"derive", model, "-o", "b.tex"});
  fails({"import", kModels + "npend20.yaml", "-o", "b.yaml"});
  fails({"inverse", model, "--motion", "q1=t", "q2=t", "--until", "1", "--out", "b.h5"});
  fails({"forces", model, "--until", "1", "--out", "b.mat"});
  fails({"sensitivity", model, "--parameters", "q1", "--until", "1", "--out", "b.csv"});
}

TEST_F(Output, FilesOfOthersAreNotReplaced) {
  const std::string model = write("damped_pendulum.yaml", read_file(kModels + "damped_pendulum.yaml"));
  const std::string measured = read_file(kModels + "damped_pendulum.csv");
  write("damped_pendulum.csv", measured);
  expect_refused({"simulate", model}, "Kane did not write it");
  expect_refused({"simulate", model, "--out", "damped_pendulum.csv"}, "--force");
  EXPECT_EQ(read_file("damped_pendulum.csv"), measured);
  // Its own files are replaced as often as one likes.
  for (int i = 0; i < 2; ++i) {
    const auto result = run_kane({"simulate", model, "--out", "own.csv", "--report", "own.html", "--frames", "f"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  write("own.html", "my notes");
  expect_refused({"simulate", model, "--out", "own.csv", "--report", "own.html"}, "own.html");
  EXPECT_EQ(run_kane({"simulate", model, "--out", "own.csv", "--report", "own.html", "--force"}).exit_code, 0);
  write("f/frame_00000.svg", "<svg/>");
  expect_refused({"simulate", model, "--out", "own.csv", "--frames", "f"}, "frame_00000.svg");
  write("page.md", "# Mine");
  expect_refused({"derive", model, "-o", "page.md"}, "page.md");
  write("model.yaml", read_file(model) + "# edited\n");
  expect_refused({"import", model, "-o", "model.yaml"}, "model.yaml");
  write("bode.csv", "a,b\n1,2\n");
  expect_refused({"frequency", kModels + "planar2r.yaml", "--input", "TA", "--output", "q1", "--out", "bode.csv"},
                 "bode.csv");
}

TEST_F(Output, InputsOfTheSameCommandAreNeverReplaced) {
  const std::string model = write("planar2r.yaml", read_file(kModels + "planar2r.yaml"));
  write("in.csv", "t,TA\n0,1\n1,2\n");
  for (const char* force : {"--quiet", "--force"})
    expect_refused({"simulate", model, "--inputs", "in.csv", "--out", "in.csv", "--until", "1", force},
                   "an input of this command");
  expect_refused({"simulate", model, "--out", model, "--force"}, "the model itself");
  expect_refused({"simulate", model, "--out", "x.csv", "--report", "./x.csv"}, "two results");
  write("s.json", "{}");
  expect_refused({"forces", model, "--state", "s.json", "--until", "1", "--out", "s.json", "--force"}, "an input");
  EXPECT_EQ(read_file("in.csv"), "t,TA\n0,1\n1,2\n");
}

TEST_F(Output, NamesOfModelsDoNotEscape) {
  fs::create_directories("here");
  const std::string text =
      "kane: 1\nname: \"../../escaped\"\nbodies: {A: {mass: 1}}\njoints: {j: {type: prismatic, "
      "parent: N, child: A, axis: x, coordinate: x}}\n";
  write("here/m.yaml", text);
  fs::current_path("here");
  const auto result = run_kane({"simulate", "m.yaml", "--until", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fs::exists("escaped.csv") && fs::exists("escaped.html"));
  EXPECT_FALSE(fs::exists("../escaped.csv") || fs::exists("../../escaped.csv"));
}

/// Exit code of a run that gets a signal after it has begun to write.
int interrupt(int signal, const std::vector<std::string>& arguments, const std::string& part) {
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDOUT_FILENO), dup2(nothing, STDERR_FILENO);
    std::vector<std::string> words(arguments);
    std::vector<char*> argv{const_cast<char*>(KANE_COMMAND)};
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  for (int i = 0; i < 600 && read_file(part).size() < 20000; ++i) usleep(50000);
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST_F(Output, InterruptedRunsAreKeptAndSayIt) {
  const std::string model = kModels + "npend20.yaml";
  const std::vector<std::string> run{"simulate", model, "--until", "1e6", "--output-step", "0.01", "--out"};
  auto with_page = run;
  with_page.insert(with_page.end(), {"a.csv", "--report", "a.html"});
  EXPECT_EQ(interrupt(SIGTERM, with_page, "a.csv.part"), 128 + SIGTERM);
  expect_has(read_file("a.html"), "\"interruption\":\"interrupted at t = ");
  EXPECT_EQ(read_file("a.csv").back(), '\n');
  EXPECT_FALSE(fs::exists("a.csv.part"));
  EXPECT_EQ(
      interrupt(SIGINT, {"forces", model, "--until", "1e6", "--output-step", "0.01", "--out", "b.csv"}, "b.csv.part"),
      128 + SIGINT);
  EXPECT_GT(read_file("b.csv").size(), 10000U);
}

TEST_F(Output, KilledRunsLeaveAReadablePart) {
  const std::string model = kModels + "npend20.yaml";
  for (const char* file : {"a.h5", "a.mat", "a.csv"}) {
    const std::string part = std::string(file) + ".part";
    EXPECT_EQ(interrupt(SIGKILL, {"simulate", model, "--until", "1e6", "--output-step", "0.01", "--out", file}, part),
              1000 + SIGKILL);
    EXPECT_FALSE(fs::exists(file));
    const std::string bytes = read_file(part);
    ASSERT_GT(bytes.size(), 20000U) << file;
    if (part.starts_with("a.h5")) {
      EXPECT_EQ(bytes.substr(1, 3), "HDF");
      std::uint64_t end = 0;  // address of the end of the file, in the superblock
      std::memcpy(&end, bytes.data() + 40, sizeof end);
      EXPECT_EQ(end, bytes.size());
    }
    EXPECT_TRUE(!part.starts_with("a.csv") || bytes.back() == '\n');
  }
}

TEST_F(Output, ClosedAndFullStreamsAreNoCrash) {
  const std::string model = kModels + "planar2r.yaml";
  const std::vector<std::vector<std::string>> wrong{
      {"check", "none.yaml"}, {"nonsense"}, {"simulate", model, "--set", "x=1"}};
  for (const auto& arguments : wrong) {
    EXPECT_EQ(run_kane_after([] { close(STDERR_FILENO); }, arguments).exit_code, 2);
    EXPECT_EQ(run_kane_after([] { dup2(open("/dev/full", O_WRONLY), STDERR_FILENO); }, arguments).exit_code, 2);
  }
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"derive", model}, {"--help"}, {"evaluate", model, "--json"}, {"simulate", model, "--out", "-"}}) {
    EXPECT_EQ(run_kane_after([] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); }, arguments).exit_code, 1);
    EXPECT_EQ(run_kane_after([] { close(STDOUT_FILENO); }, arguments).exit_code, 1) << arguments.front();
    const auto closed_pipe = [] {
      int ends[2] = {};
      if (pipe(ends) != 0) _exit(99);
      dup2(ends[1], STDOUT_FILENO), close(ends[0]);
    };
    const auto result = run_kane_after(closed_pipe, arguments);
    EXPECT_EQ(result.exit_code, 128 + SIGPIPE) << arguments.front();
    EXPECT_EQ(result.err, "") << arguments.front();
  }
  // With every stream closed, files that are opened do not become one of them.
  const auto all_closed = [] { close(STDIN_FILENO), close(STDOUT_FILENO), close(STDERR_FILENO); };
  (void)run_kane_after(all_closed, {"simulate", model, "--out", "a.csv", "--until", "1", "--quiet"});
  const std::string table = read_file("a.csv");
  EXPECT_EQ(table.substr(0, 2), "t,");
  EXPECT_EQ(table.find("kane:"), std::string::npos);
}

/// The text a terminal shows while the model arrives slowly through a pipe.
std::string show_on_terminal(const std::vector<std::string>& options) {
  int terminal = -1, end = -1, in[2] = {};
  if (openpty(&terminal, &end, nullptr, nullptr, nullptr) != 0 || pipe(in) != 0) return "no terminal";
  const pid_t child = fork();
  if (child == 0) {
    close(terminal), close(in[1]);
    dup2(in[0], STDIN_FILENO), dup2(end, STDOUT_FILENO), dup2(end, STDERR_FILENO);
    std::vector<std::string> words{"check", "-"};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv{const_cast<char*>(KANE_COMMAND)};
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(end), close(in[0]);
  usleep(1'700'000);
  const std::string model = read_file(kModels + "double_pendulum.yaml");
  (void)!::write(in[1], model.data(), model.size());
  close(in[1]);
  std::string shown;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;)
    shown.append(buffer, static_cast<std::size_t>(n));
  waitpid(child, nullptr, 0);
  close(terminal);
  return shown;
}

TEST_F(Output, ATerminalIsToldWhatTakesLong) {
  const std::string shown = show_on_terminal({});
  if (shown == "no terminal") GTEST_SKIP() << shown;
  expect_has(shown, "reading the model ... 1 s");
  expect_has(shown, "the model is valid");
  EXPECT_LT(shown.find("reading the model"), shown.find("the model is valid"));
  EXPECT_EQ(show_on_terminal({"--json"}).find("reading the model"), std::string::npos);
}

}  // namespace
}  // namespace kane::test
