// Programs as files: there and back, and hostile bytes.

#include "kane/program/program_file.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "kane/base/error.hpp"
#include "kane/program/program_text.hpp"
#include "tests/program/random_expressions.hpp"
#include "tests/program/small_programs.hpp"

namespace kane {
namespace {

Program sample(std::uint64_t seed, int operations) {
  Graph graph;
  const auto made = test::make_random_expressions(graph, seed, {.operations = operations, .calls = true});
  LowerOptions options;
  options.strict = seed % 2 == 0;
  return lower("sample u1'", made.outputs, made.inputs, options);
}

void expect_equal(const Program& a, const Program& b) {
  EXPECT_EQ(to_text(a), to_text(b));
  EXPECT_EQ(a.strict, b.strict);
  EXPECT_EQ(a.stage_end, b.stage_end);
  EXPECT_EQ(a.input_count, b.input_count);
  EXPECT_EQ(a.call_arguments, b.call_arguments);
  ASSERT_EQ(a.constants.size(), b.constants.size());
  for (std::size_t i = 0; i < a.constants.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a.constants[i]), std::bit_cast<std::uint64_t>(b.constants[i]));
  ASSERT_EQ(a.instructions.size(), b.instructions.size());
  for (std::size_t i = 0; i < a.instructions.size(); ++i) {
    EXPECT_EQ(a.instructions[i].code, b.instructions[i].code);
    EXPECT_EQ(a.instructions[i].a, b.instructions[i].a);
    EXPECT_EQ(a.instructions[i].b, b.instructions[i].b);
    EXPECT_EQ(a.instructions[i].c, b.instructions[i].c);
  }
}

TEST(ProgramFile, ComesBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Program p = sample(seed, 5 + static_cast<int>(seed));
    expect_equal(p, read_program(write_program(p)));
  }
}

TEST(ProgramFile, IsCompact) {
  const Program p = sample(1, 2000);
  EXPECT_LT(write_program(p).size(), 5 * p.instructions.size() + 10 * p.constants.size());
}

TEST(ProgramFile, SavesAndLoads) {
  const auto file = std::filesystem::temp_directory_path() / "kane_program_file_test.kprog";
  const Program p = sample(3, 50);
  save_program(p, file);
  expect_equal(p, load_program(file));
  std::filesystem::remove(file);
  EXPECT_THROW((void)load_program(file), ModelError);
  EXPECT_THROW(save_program(p, file / "no" / "such" / "folder"), ModelError);
}

TEST(ProgramFile, ChecksumIsTheUsualOne) { EXPECT_EQ(calc_checksum("123456789"), 0xcbf43926U); }

std::string sealed(std::string body) {
  const std::uint32_t c = calc_checksum(body);
  for (int i = 0; i < 4; ++i) body += static_cast<char>(c >> (8 * i));
  return body;
}

TEST(ProgramFile, RefusesEveryTruncation) {
  const std::string bytes = write_program(sample(5, 30));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THROW((void)read_program(bytes.substr(0, n)), ModelError) << n;
    // The same with a checksum that fits.
    EXPECT_THROW((void)read_program(sealed(bytes.substr(0, std::min(n, bytes.size() - 5)))), ModelError) << n;
  }
  EXPECT_THROW((void)read_program(bytes + "x"), ModelError);
  EXPECT_THROW((void)read_program(sealed(bytes.substr(0, bytes.size() - 4) + "x")), ModelError);
}

TEST(ProgramFile, RefusesEveryChangedByteByItsChecksum) {
  std::string bytes = write_program(sample(6, 20));
  for (char& byte : bytes) {
    byte = static_cast<char>(byte ^ 0x10);
    EXPECT_THROW((void)read_program(bytes), ModelError);
    byte = static_cast<char>(byte ^ 0x10);
  }
}

/// Whatever is read without an error can be run.
void read_and_run(const std::string& bytes, int& accepted) {
  try {
    const auto p = std::make_shared<Program>(read_program(bytes));
    ++accepted;
    std::vector<ExternalFunction> functions(p->functions.size(), {[](const double*, void*) { return 1.0; }, nullptr});
    Interpreter run(p, functions);
    std::vector<double> outputs(p->outputs.size());
    run.evaluate(std::vector<double>(p->input_count[2], 0.5), outputs);
  } catch (const ModelError&) {
  }
}

TEST(ProgramFile, SurvivesRandomChangesWithAFittingChecksum) {
  std::mt19937_64 random(11);
  int accepted = 0;
  for (int k = 0; k < 20000; ++k) {
    if (k % 1000 == 0) SCOPED_TRACE(k);
    static std::string body;
    if (k % 100 == 0) {
      body = write_program(sample(random() % 50, 10));
      body.resize(body.size() - 4);
    }
    std::string changed = body;
    for (std::uint64_t n = random() % 3 + 1; n-- > 0;) changed[random() % changed.size()] = static_cast<char>(random());
    read_and_run(sealed(changed), accepted);
  }
  EXPECT_GT(accepted, 100);  // some changes are harmless: names, constants
}

TEST(ProgramFile, HugeCountsDoNotAllocate) {
  std::string body = "KANEPROG";
  body += '\1';                    // version
  body += '\0';                    // no name
  body += '\0';                    // flags
  body += "\xff\xff\xff\xff\x0f";  // 2^32 - 1 parameters
  EXPECT_THROW((void)read_program(sealed(body)), ModelError);
  body.resize(body.size() - 5);
  body += std::string(3, '\0') + "\xff\xff\xff\xff\x0f";  // constants
  EXPECT_THROW((void)read_program(sealed(body)), ModelError);
}

TEST(ProgramFile, SaysWhatItIsNot) {
  const auto message = [](const std::string& bytes) {
    try {
      (void)read_program(bytes, "arm.kprog");
    } catch (const ModelError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("hello"), "arm.kprog: not a program file");
  EXPECT_NE(message(sealed(std::string("KANEPROG") + '\2' + "x")).find("version 2"), std::string::npos);
}

}  // namespace
}  // namespace kane
