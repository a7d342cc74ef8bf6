// Forces that jump where the motion comes to rest: a run either continues or reports the cause and the place within seconds.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

namespace fs = std::filesystem;

#ifdef KANE_SANITIZED
constexpr rlim_t kChatterSeconds = 200;
#else
constexpr rlim_t kChatterSeconds = 20;
#endif

/// A run to 10 s of a mass of 1 kg that begins at 1 m/s, with at most kChatterSeconds of processor time.
CommandResult run_mass(const std::string& force, const std::vector<std::string>& options = {},
                       const std::string& more = {}) {
  const std::string folder = (fs::temp_directory_path() / ("kane_chatter_" + std::to_string(getpid()))).string();
  fs::create_directories(folder);
  std::ofstream(folder + "/m.yaml")
      << "kane: 1\nbodies: {A: {mass: 1 kg}}\n"
         "joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, speed: v}}\nloads:\n"
         "  - {force: (" +
             force + ")*N.x, at: A}\ninitial: {x: 0, v: 1}\n" + more;
  std::vector<std::string> line{"simulate", folder + "/m.yaml", "--until", "10", "--out", folder + "/m.csv"};
  line.insert(line.end(), options.begin(), options.end());
  const auto limit = [] {
    const rlimit time{kChatterSeconds, kChatterSeconds};
    setrlimit(RLIMIT_CPU, &time);
  };
  auto result = run_kane_after(limit, line);
  fs::remove_all(folder);
  return result;
}

TEST(Chatter, IsNamedWithItsPlace) {
  for (const char* method : {"auto", "dopri5", "cvode"}) {
    for (const char* force :
         {"-3*sign(v) - 2*x", "-10*sign(x + v)", "2 - 4*(v > 0)", "-3*sign(v) + 1", "3 - 6*floor(v + 1)"}) {
      const auto result = run_mass(force, {"--method", method});
      EXPECT_EQ(result.exit_code, 1) << force << " by " << method << ": " << result.err;
      for (const char* part : {"m.yaml:5:", "it jumps ", "friction:"})
        EXPECT_NE(result.err.find(part), std::string::npos) << force << " by " << method << ": " << result.err;
    }
  }
}

TEST(Chatter, IsNotSuspectedWhereThereIsNone) {
  // Smoothed, crossing and going on, switching with time alone, a fixed step.
  for (const char* force :
       {"-3*tanh(v/1e-3) - 2*x", "-0.1*sign(v) - 100*x", "-x + sign(sin(300*t))", "-10*floor(10*x)"})
    EXPECT_EQ(run_mass(force).exit_code, 0) << force;
  EXPECT_EQ(run_mass("-3*sign(v) - 2*x", {"--method", "rk4"}).exit_code, 0);
}

}  // namespace
}  // namespace kane::test
