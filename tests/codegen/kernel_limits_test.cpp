// Kernels that cannot be machine code, and the promises of kernels about memory.

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include <fstream>

#include "kane/base/error.hpp"
#include "kane/codegen/jit/code_memory.hpp"
#include "tests/codegen/kernel_check.hpp"
#include "tests/program/allocation_count.hpp"

namespace kane {
namespace {

using test::moderate_doubles;
using test::random_program;

/// An interpreted kernel, with lanes, against the interpreter itself.
void expect_interpreted(const KernelOptions& options, const std::string& why) {
  std::mt19937_64 random(1);
  const auto program = random_program(random, {.instructions = 80});
  KernelOptions with_functions = options;
  with_functions.functions = test::random_program_functions();
  const Kernel kernel = compile_kernel(program, with_functions);
  EXPECT_FALSE(kernel.isa());
  EXPECT_NE(kernel.why_interpreted().find(why), std::string::npos) << kernel.why_interpreted();
  EXPECT_TRUE(kernel.code().empty());
  Workspace workspace(kernel);
  Interpreter interpreter(program, bind_functions(*program, with_functions.functions));
  const auto lanes = static_cast<std::size_t>(options.lanes);
  const std::vector<double> state = moderate_doubles(random, 5 * lanes);
  std::vector<double> outputs(8 * lanes), expected(8), own(5);
  kernel.evaluate(state, outputs, workspace);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t i = 0; i < 5; ++i) own[i] = state[i * lanes + lane];
    interpreter.evaluate(own, expected);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(test::same(outputs[i * lanes + lane], expected[i]));
  }
}

TEST(KernelLimits, FallsBackToTheInterpreter) {
  expect_interpreted({.use_interpreter = true}, "requested");
  expect_interpreted({.lanes = 3, .use_interpreter = true}, "requested");
  expect_interpreted({.refuse_executable_memory = true}, "executable memory");
  expect_interpreted({.most_instructions = 79}, "more than the limit of 79");
}

/// Every system call that could make memory executable fails in this process from now on, as on a hardened system.
bool forbid_executable_memory() {
  constexpr std::uint32_t kThirdArgument = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kThirdArgument),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(KernelLimits, RunsOnAHardenedSystem) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!forbid_executable_memory()) _exit(2);
    expect_interpreted({}, "executable memory");
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(KernelLimits, AnUnavailableInstructionSetIsAnError) {
  for (const Isa isa : {Isa::Sse2, Isa::Avx2, Isa::Avx512, Isa::Neon}) {
    if (is_available(isa)) continue;
    try {
      (void)compile_kernel(test::empty_program(), {.isa = isa});
      ADD_FAILURE() << "no error for " << to_string(isa);
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(to_string(isa)), std::string::npos) << error.what();
    }
  }
}

TEST(KernelLimits, WrongLanesAreAnError) {
  EXPECT_THROW((void)compile_kernel(test::empty_program(), {.lanes = 3}), ModelError);
  EXPECT_THROW((void)compile_kernel(test::empty_program(), {.lanes = 0}), ModelError);
  EXPECT_THROW((void)compile_kernel(test::empty_program(), {.lanes = -1}), ModelError);
}

TEST(KernelLimits, MissingFunctionsAndInvalidProgramsAreErrors) {
  Program p;
  p.name = "p";
  p.functions = {{"curve", 0}};
  p.instructions = {{Code::Call, 0, 0, 0}};
  p.stage_end = {1, 1, 1};
  p.outputs = {{"y", 0}};
  EXPECT_THROW((void)compile_kernel(p), ModelError);
  p.instructions = {{Code::Add, 0, 7, 0}};
  EXPECT_THROW((void)compile_kernel(p), ModelError);
}

TEST(KernelLimits, AWorkspaceOfAnotherKernelOrWrongSpansAreRefused) {
  std::mt19937_64 random(2);
  const auto functions = test::random_program_functions();
  const Kernel a = compile_kernel(random_program(random, {}), {.functions = functions});
  const Kernel b = compile_kernel(random_program(random, {}), {.functions = functions});
  Workspace of_a(a);
  std::vector<double> state(5), outputs(8);
  a.evaluate(state, outputs, of_a);
  EXPECT_THROW(b.evaluate(state, outputs, of_a), InternalError);
  state.pop_back();
  EXPECT_THROW(a.evaluate(state, outputs, of_a), InternalError);
  state.push_back(0);
  outputs.push_back(0);
  EXPECT_THROW(a.evaluate(state, outputs, of_a), InternalError);
}

TEST(KernelLimits, EvaluationNeverAllocates) {
  std::mt19937_64 random(3);
  const auto program = random_program(random, {.instructions = 400, .outputs = 20});
  const auto functions = test::random_program_functions();
  std::vector<KernelOptions> all;
  for (const test::Way& way : test::all_ways())
    all.push_back({.isa = way.isa, .lanes = way.lanes, .functions = functions});
  all.push_back({.functions = functions, .use_interpreter = true});
  for (const KernelOptions& options : all) {
    const Kernel kernel = compile_kernel(program, options);
    Workspace workspace(kernel);
    const auto lanes = static_cast<std::size_t>(options.lanes);
    std::vector<double> values(5 * lanes, 1e9), outputs(20 * lanes);  // 1e9: the long reduction of angles, too
    const long before = test::allocation_count();
    for (int round = 0; round < 10; ++round) {
      kernel.set_parameters(values, workspace);
      kernel.set_inputs(values, workspace);
      kernel.evaluate(values, outputs, workspace);
    }
    EXPECT_EQ(test::allocation_count(), before);
  }
  const long before = test::allocation_count();
  operator delete(operator new(8));
  operator delete(operator new(64, std::align_val_t(64)), std::align_val_t(64));
  EXPECT_EQ(test::allocation_count(), before + 2) << "the counter does not count";
}

/// Permissions of the mapping that holds an address, such as "r-xp".
std::string permissions_at(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long first = 0, last = 0;
    char permissions[8] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &first, &last, permissions) != 3) continue;
    const auto at = reinterpret_cast<unsigned long>(address);
    if (at >= first && at < last) return permissions;
  }
  return "none";
}

TEST(KernelLimits, CodeIsNeverWritableAndExecutable) {
  std::mt19937_64 random(4);
  const auto program = random_program(random, {.instructions = 2000, .calls_external = false});
  const Kernel kernel = compile_kernel(program, {.functions = test::random_program_functions()});
  if (!kernel.isa()) GTEST_SKIP() << kernel.why_interpreted();
  EXPECT_EQ(permissions_at(kernel.code().data()), "r-xp");
  EXPECT_EQ(permissions_at(kernel.code().data() + kernel.code().size() - 1), "r-xp");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) EXPECT_EQ(line.find(" rwx"), std::string::npos) << line;
}

/// Callers compiled for SSE2 would wait for registers whose upper halves a kernel has left in use.
TEST(KernelLimits, UpperHalvesOfRegistersAreCleanAfterSines) {
  Program p;
  p.name = "sines";
  for (const char* name : {"a", "b", "c", "d"}) p.inputs.push_back({name, Stage::State});
  p.input_count = {0, 0, 4};
  for (ValueId i = 0; i < 4; ++i) {
    p.instructions.push_back({Code::Sin, i, 0, 0});
    p.outputs.push_back({"s" + std::to_string(i), 4 + i});
  }
  p.stage_end = {0, 0, 4};
  const std::array<std::uint8_t, 3> vzeroupper{0xc5, 0xf8, 0x77};
  for (const test::Way& way : test::all_ways()) {
    if (way.isa != Isa::Avx2 && way.isa != Isa::Avx512) continue;
    const Kernel kernel = compile_kernel(p, {.isa = way.isa, .lanes = way.lanes});
    const auto code = kernel.code();
    EXPECT_NE(std::search(code.begin(), code.end(), vzeroupper.begin(), vzeroupper.end()), code.end()) << name(way);
  }
}

}  // namespace
}  // namespace kane
