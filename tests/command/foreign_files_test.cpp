// Commands on files of other programs: what kane check prints for them, and options that concern some of them.

#include <gtest/gtest.h>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

/// The last joint of the example in papers on constraint equations: two free rotations, the other axes constrained.
TEST(ForeignFiles, TablesOfFortyTwo) {
  const CommandResult r = run_kane({"check", kModels + "fortytwo/SC_Slider.txt"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  for (const char* line : {"  Trn1    F     05    06        06       07                --\n",
                           "  Rot3    C     --    --        --       --                01\n",
                           "9 free, 9 constrained: 6 axes for each of 3 bodies\n"})
    EXPECT_NE(r.out.find(line), std::string::npos) << line << r.out;
  const auto a = run_json({"check", kModels + "osiris_tree.yaml", "--tables"});
  const auto& table = a.at("freedom_table");
  ASSERT_EQ(table.size(), 30U);
  EXPECT_EQ(table[24].at("axis"), "Rot1");  // J3, as in the listing of the paper
  EXPECT_EQ(table[24].at("u"), 4);
  EXPECT_EQ(table[24].at("x"), 5);
  EXPECT_EQ(table[26].at("constraint"), 17);
  EXPECT_EQ(run_kane({"check", kModels + "planar2r.yaml"}).out.find("RotSeq"), std::string::npos);
}

TEST(ForeignFiles, RoadmapOfSdfast) {
  const CommandResult r = run_kane({"check", kModels + "sdfast/chain.sd"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  for (const char* line :
       {"     5  tail            0  ball        13:15,32\n", "     8  cart            7  rbearing    21:24\n",
        "     32      5     3  ball        4th Euler    q33         tail\n", "nq = 33, nu = 31\n"})
    EXPECT_NE(r.out.find(line), std::string::npos) << line << r.out;
  const CommandResult loop = run_kane({"check", kModels + "sdfast/fourbar.sd"});
  EXPECT_NE(loop.out.find("outboard body 2"), std::string::npos) << loop.out;
}

TEST(ForeignFiles, LenientSaysWhereItHasNoEffect) {
  const auto a = run_json({"check", kModels + "planar2r.yaml", "--lenient"});
  ASSERT_EQ(a.at("notes").size(), 1U);
  EXPECT_NE(a.at("notes")[0].get<std::string>().find("--lenient has no effect"), std::string::npos);
}

}  // namespace
}  // namespace kane::test
