// Files made to break a reader: refused with a sentence, in bounded time; includes stay inside the folder of the model.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = R"(
bodies: {A: {mass: 1 kg, com: [1, 0, 0]}}
joints: {J: {type: revolute, parent: N, child: A, axis: z, coordinate: q}}
)";

#ifdef KANE_SANITIZED
constexpr double kSecondsAtMost = 10;  // sanitizers and unoptimised code take their time
#else
constexpr double kSecondsAtMost = 2;
#endif

/// The reader's message about a text; "" if there is none.
std::string complaint(const std::string& text, const std::string& name = "model.yaml") {
  const std::clock_t start = std::clock();  // of this process: the machine may be busy
  std::string message;
  try {
    (void)read_mechanism_text(text, name);
  } catch (const ModelError& error) {
    message = error.what();
  }
  const double time = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LT(time, kSecondsAtMost) << message;
  return message;
}

void expect_complaint(const std::string& text, const std::string& part) {
  const std::string message = complaint(text);
  EXPECT_NE(message.find(part), std::string::npos) << "expected: " << part << "\nfound:    " << message;
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(HostileFiles, Bytes) {
  expect_complaint(std::string("bodies: \0 {}", 12), "model.yaml:1:9: error: the file is not text in UTF-8: byte 0x00");
  expect_complaint("name: x\nbodies: \xff\xfe", "model.yaml:2:9: error: the file is not text in UTF-8: byte 0xff");
  expect_complaint("name: \xc3\x28", "1:7: error: the file is not text in UTF-8: byte 0xc3 at offset 6");
  expect_complaint("name: \xed\xa0\x80", "not text in UTF-8");      // a surrogate
  expect_complaint("name: \xc0\xaf", "not text in UTF-8");          // longer than it need be
  expect_complaint("name: \xf5\x80\x80\x80", "not text in UTF-8");  // past the last character
  expect_complaint(
      "\x7f"
      "ELF\x02\x01\x01",
      "not text in UTF-8");
  expect_complaint("name: \x1b[31m", "not text in UTF-8");
  EXPECT_EQ(complaint("\xEF\xBB\xBF" + std::string(kModel)), "");  // a byte order mark is no harm
  EXPECT_EQ(complaint("description: \xC3\xBC \xE2\x88\x9E \xF0\x9F\x99\x82\n" + std::string(kModel)), "");
}

TEST(HostileFiles, Nesting) {
  for (const char* open : {"[", "{a: ", "- ", "? ", "{", "[{"}) {
    const std::string message = complaint(repeated(open, 20'000));
    EXPECT_NE(message, "") << open;
  }
  std::string stairs;
  for (int i = 0; i < 2000; ++i) stairs += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  expect_complaint(stairs, "this is the limit max_depth");
  expect_complaint("parameters: {a: " + repeated("(", 20'000) + "1}", "deep");
  expect_complaint("parameters: {a: " + repeated("-", 20'000) + "1}", "deep");
  expect_complaint("parameters: {a: " + repeated("2^", 20'000) + "1}", "too many digits");
  expect_complaint("parameters: {a: " + repeated("sin(", 20'000) + "1}", "deep");
}

TEST(HostileFiles, AliasesMultiply) {
  std::string bomb = "x0: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("x{}: &x{} [", i, i);
    for (int k = 0; k < 10; ++k) bomb += fmt::format("{}*x{}", k == 0 ? "" : ", ", i - 1);
    bomb += "]\n";
  }
  expect_complaint(bomb, "this is the limit max_nodes");
  std::string merges = "x0: &x0 {a: 1, b: 2}\n";
  for (int i = 1; i < 64; ++i) merges += fmt::format("x{}: &x{} {{<<: [*x{}, *x{}]}}\n", i, i, i - 1, i - 1);
  EXPECT_NE(complaint(merges), "");
}

TEST(HostileFiles, Sizes) {
  const std::string inner = "{index: k, to: 100000, bodies: {'X{i}_{j}_{k}': {}}}";
  const std::string middle = "{index: j, to: 100000, repeat: " + inner + "}";
  expect_complaint("repeat: {to: 100000, repeat: " + middle + "}", "this is the limit max_nodes");
  expect_complaint("repeat: {from: -5e17, to: 5e17, bodies: {'X{i}': {}}}", "not an integer");
  expect_complaint(std::string(17U << 20U, ' '), "this is the limit max_bytes");
  expect_complaint("bodies: {" + std::string(1U << 20U, 'x') + ": {}}\n", "a key must be a word");
  std::string many = "bodies:\n";
  for (int i = 0; i < 6000; ++i) many += fmt::format("  B{}: {{}}\n", i);
  expect_complaint(many, "the limit is 5000");
  expect_complaint("parameters: {a: " + std::string(100'000, '9') + "}", "");
  expect_complaint("parameters: {a: 1e" + std::string(100'000, '9') + "}", "");
  expect_complaint("parameters: {a: 2^(10^9)}", "too many digits");
  expect_complaint("parameters: {a: " + repeated("1+", 20'000) + "1}", "");
}

/// Every beginning of a file is refused, or is itself a model; nothing else happens.
TEST(HostileFiles, Truncated) {
  std::ifstream stream(fs::path(KANE_SOURCE_DIR) / "models" / "stanford_arm.yaml");
  const std::string whole{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  ASSERT_EQ(complaint(whole), "");
  int refused = 0, count = 0;
  for (std::size_t n = 0; n < whole.size(); n += 5, ++count)
    if (!complaint(whole.substr(0, n)).empty()) ++refused;
  EXPECT_GT(refused, count / 2);
}

TEST(HostileFiles, RandomDamage) {
  std::ifstream stream(fs::path(KANE_SOURCE_DIR) / "models" / "fourbar.yaml");
  const std::string whole{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::mt19937 random(3);
  const std::string_view signs = "{}[]:,&*<>|-?#'\"!%@`~^()+=.0123456789eE \n\tqxN";
  for (int round = 0; round < 400; ++round) {
    std::string text = whole;
    for (int k = 0; k < 3; ++k) text[random() % text.size()] = signs[random() % signs.size()];
    (void)complaint(text);
  }
}

// ---- includes -------------------------------------------------------------------------------------------------------------

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "kane_files_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = fs::canonical(name);
    fs::create_directories(root_ / "model" / "parts");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(root_ / name) << text; }

  /// The reader's message about model/main.yaml, without the folder's name.
  [[nodiscard]] std::string complaint_of(const std::string& main) const {
    write("model/main.yaml", main);
    try {
      (void)read_mechanism(root_ / "model" / "main.yaml");
    } catch (const ModelError& error) {
      std::string text = error.what();
      for (std::size_t i; (i = text.find(root_.string() + "/")) != std::string::npos;)
        text.erase(i, root_.string().size() + 1);
      return text;
    }
    return "";
  }

  fs::path root_;
};

TEST_F(Folder, IncludesAreRefused) {
  write("outside.yaml", kModel);
  write("model/parts/loop.yaml", "include: again.yaml\n");
  write("model/parts/again.yaml", "include: loop.yaml\n");
  write("model/parts/wrong.yaml", "bodies: {A: {mass: 1 m}}\n");
  fs::create_symlink("../outside.yaml", root_ / "model" / "link.yaml");
  fs::create_symlink("/dev/zero", root_ / "model" / "zero.yaml");
  fs::create_symlink("..", root_ / "model" / "up");
  fs::create_symlink("circle", root_ / "model" / "circle");
  ASSERT_EQ(mkfifo((root_ / "model" / "pipe").c_str(), 0600), 0);
  const std::pair<std::string, std::string> cases[] = {
      {"include: ../outside.yaml\n", "model/main.yaml:1:10: error: '../outside.yaml' leads out of the folder"},
      {"include: parts/../../outside.yaml\n", "leads out of the folder of this file with '..'"},
      {"include: /etc/passwd\n", "model/main.yaml:1:10: error: '/etc/passwd' is an absolute path"},
      {"include: link.yaml\n", "model/main.yaml:1:10: error: 'link.yaml' is a link that leads out of the folder"},
      {"include: up/outside.yaml\n", "leads out of the folder"},
      {"include: zero.yaml\n", "leads out of the folder"},
      {"include: pipe\n", "model/main.yaml:1:10: error: 'pipe' is not a regular file"},
      {"include: parts\n", "'parts' is not a regular file"},
      {"include: circle\n", "model/main.yaml:1:10: error: the file 'circle' cannot be read"},
      {"include: [parts/nothing.yaml]\n", "model/main.yaml:1:11: error: the file 'parts/nothing.yaml' cannot be read"},
      {"include: main.yaml\n", "model/main.yaml:1:10: error: the file 'model/main.yaml' includes itself"},
      {"include: parts/loop.yaml\n", "model/parts/again.yaml:1:10: error: the file 'model/parts/loop.yaml' includes"},
      {"include: parts/wrong.yaml\n", "model/parts/wrong.yaml:1:20: error: mass is given in metres"},
      {"include: ''\n", "the name of a file is expected"},
  };
  for (const auto& [main, part] : cases) {
    const std::string message = complaint_of(main);
    EXPECT_NE(message.find(part), std::string::npos) << "expected: " << part << "\nfound:    " << message;
  }
}

TEST_F(Folder, IncludesHaveLimits) {
  for (int i = 0; i < 12; ++i) write(fmt::format("model/d{}.yaml", i), fmt::format("include: d{}.yaml\n", i + 1));
  EXPECT_NE(complaint_of("include: d0.yaml\n").find("this is the limit max_include_depth"), std::string::npos);
  write("model/e.yaml", "description: nothing\n");
  std::string many = "include: [";
  for (int i = 0; i < 100; ++i) many += "e.yaml, ";
  EXPECT_NE(complaint_of(many + "e.yaml]\n").find("this is the limit max_files"), std::string::npos);
}

TEST_F(Folder, FilesThatAreNone) {
  EXPECT_THROW((void)read_mechanism(root_ / "nothing.yaml"), ModelError);
  EXPECT_THROW((void)read_mechanism(root_ / "model"), ModelError);
  EXPECT_THROW((void)read_mechanism("/dev/zero"), ModelError);
  EXPECT_THROW((void)read_mechanism(""), ModelError);
}

}  // namespace
}  // namespace kane
