// Each pass on examples small enough to be checked by hand.

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "kane/program/check_program.hpp"
#include "kane/program/contract.hpp"
#include "kane/program/dead_code.hpp"
#include "kane/program/interleave.hpp"
#include "kane/program/liveness.hpp"
#include "kane/program/merge_chains.hpp"
#include "kane/program/pace.hpp"
#include "kane/program/program_text.hpp"
#include "kane/program/schedule.hpp"
#include "tests/program/small_programs.hpp"

namespace kane {
namespace {

using test::count_code;
using test::kNoPasses;
using test::lower_texts;
using test::only;
using test::state_operations;

LowerOptions plain() { return only(kNoPasses); }

LowerOptions strict() {
  LowerOptions options;
  options.strict = true;
  return options;
}

OperationCount ops(int mul, int add, int div = 0, int func = 0) { return {mul, add, div, func}; }

TEST(Passes, WithoutAnyTheProgramIsTheExpression) {
  const Program p = lower_texts({"a*(x*b) + y/x"}, plain());
  EXPECT_EQ(state_operations(p), ops(2, 1, 1));
  EXPECT_EQ(p.stage_end[0], 0U);
}

TEST(Passes, FactorsOfParametersAreMultipliedFirst) {
  const Program p = lower_texts({"a*(x*b)*y*c"}, strict());
  EXPECT_EQ(state_operations(p), ops(2, 0));  // x y (a b c)
  EXPECT_EQ(p.operations(Stage::Parameters), ops(2, 0));
}

TEST(Passes, EachStageTakesItsShare) {
  const Program p = lower_texts({"x*(t*(a*b))*f"}, strict());
  EXPECT_EQ(p.operations(Stage::Parameters), ops(1, 0));
  EXPECT_EQ(p.operations(Stage::Inputs), ops(2, 0));
  EXPECT_EQ(state_operations(p), ops(1, 0));
}

TEST(Passes, TermsOfParametersAreAddedFirst) {
  const Program p = lower_texts({"a + (x + b) - c"}, strict());
  EXPECT_EQ(state_operations(p), ops(0, 1));
  EXPECT_EQ(p.operations(Stage::Parameters), ops(0, 2));
}

TEST(Passes, DivisionByAParameterBecomesAMultiplication) {
  const Program p = lower_texts({"x/a", "y/a"}, strict());
  EXPECT_EQ(state_operations(p), ops(2, 0));
  EXPECT_EQ(p.operations(Stage::Parameters), ops(0, 0, 1));
}

TEST(Passes, ParametersAreMultipliedThroughASum) {
  // a (b x + c y) = (a b) x + (a c) y
  const Program p = lower_texts({"a*(b*x + c*y)"}, strict());
  EXPECT_EQ(state_operations(p), ops(2, 1));
  // Not if a term has no coefficient: a (b x + y z) is cheaper as it is.
  EXPECT_EQ(state_operations(lower_texts({"a*(b*x + y*z)"}, strict())), ops(3, 1));
  // Not if the sum is needed elsewhere.
  EXPECT_EQ(state_operations(lower_texts({"a*(b*x + c*y)", "sin(b*x + c*y)"}, strict())), ops(3, 1, 0, 1));
}

TEST(Passes, SharedProductsGiveUpTheirParameters) {
  // a (m x y) and b (m x y): m goes to a and b, x y is shared.
  const Program p = lower_texts({"a*(m*x*y)", "b*(m*x*y)"}, strict());
  EXPECT_EQ(state_operations(p), ops(3, 0));
}

TEST(Passes, CommonFactorsAreTakenOut) {
  EXPECT_EQ(state_operations(lower_texts({"x*y + x*z"}, strict())), ops(1, 1));
  // x (y z + w (z + a))
  EXPECT_EQ(state_operations(lower_texts({"x*(y*z) + x*(w*z) + x*(w*a)"}, strict())), ops(3, 2));
  // The coefficients add up where they can be known early: x a + x b = x (a + b).
  const Program p = lower_texts({"x*a + b*x + c*x"}, strict());
  EXPECT_EQ(state_operations(p), ops(1, 0));
  EXPECT_EQ(p.operations(Stage::Parameters), ops(0, 2));
}

TEST(Passes, AProductNeededElsewhereIsNotTakenApart) {
  const Program p = lower_texts({"x*y + x*z", "sin(x*y)"}, strict());
  EXPECT_EQ(state_operations(p), ops(2, 1, 0, 1));
}

TEST(Passes, HornersScheme) {
  // ((d x + c) x + b) x + a
  EXPECT_EQ(state_operations(lower_texts({"a + b*x + c*x^2 + d*x^3"}, strict())), ops(3, 3));
}

TEST(Passes, DivisionsByTheSameValueShareAReciprocal) {
  EXPECT_EQ(state_operations(lower_texts({"x/w", "y/w", "z/w"}, strict())), ops(3, 0, 1));
  EXPECT_EQ(state_operations(lower_texts({"x/w"}, strict())), ops(0, 0, 1));
  // A fraction of fractions has one division.
  EXPECT_EQ(state_operations(lower_texts({"(x/y)/(z/w)"}, strict())), ops(2, 0, 1));
  // A common divisor of terms is divided by once.
  EXPECT_EQ(state_operations(lower_texts({"x/w + y/w"}, strict())), ops(0, 1, 1));
}

TEST(Passes, DivisionsThatDecideAJumpStayDivisions) {
  // 49 (1/49) < 1 in doubles: floor(x/a) must not become floor(x (1/a)).
  const Program p = lower_texts({"floor(x/a)"});
  EXPECT_EQ(count_code(p, Code::Div), 1);
  EXPECT_EQ(p.stage_end[0], 0U);
}

TEST(Passes, PowersShareAChain) {
  EXPECT_EQ(state_operations(lower_texts({"x^2", "x^3", "x^5"}, strict())), ops(3, 0));
  EXPECT_EQ(state_operations(lower_texts({"x^8"}, strict())), ops(3, 0));
  EXPECT_EQ(state_operations(lower_texts({"x^7"}, strict())), ops(4, 0));
  EXPECT_EQ(state_operations(lower_texts({"x^2*y^2"}, strict())), ops(2, 0));  // (x y)^2
  EXPECT_EQ(state_operations(lower_texts({"x^3/y^3"}, strict())), ops(4, 0, 1));
  EXPECT_EQ(state_operations(lower_texts({"1/x^4"}, strict())), ops(2, 0, 1));
}

TEST(Passes, TangentUsesSineAndCosineIfTheyAreThere) {
  const Program p = lower_texts({"tan(x)", "sin(x)"}, strict());
  EXPECT_EQ(count_code(p, Code::Tan), 0);
  EXPECT_EQ(state_operations(p), ops(0, 0, 1, 2));
  EXPECT_EQ(count_code(lower_texts({"tan(x)", "sin(y)"}, strict()), Code::Tan), 1);
}

TEST(Passes, NegationsAreAbsorbed) {
  for (const char* text : {"x + (-y)", "(-x)*y + z", "-(x - y)", "-x*(y - z)", "z - (-x)*(-y)", "z - sin(-x)*y", "-a*x",
                           "-(x*y - z)", "x*(-(y + z)) + w", "-(x - y)/(z - w)", "abs(-x)", "cos(y - x)"}) {
    const Program p = lower_texts({text}, strict());
    EXPECT_EQ(count_code(p, Code::Neg), count_code(p, Code::Neg) == 1 && p.stage_end[0] == 1 ? 1 : 0) << text << "\n"
                                                                                                      << to_text(p);
  }
  // Nothing can absorb these.
  EXPECT_EQ(count_code(lower_texts({"-x"}, strict()), Code::Neg), 1);
  EXPECT_EQ(count_code(lower_texts({"exp(-x)"}, strict()), Code::Neg), 1);
}

TEST(Contract, ProductsFuseWithTheirOnlyAddition) {
  EXPECT_EQ(count_code(lower_texts({"x*y + z"}), Code::Fma), 1);
  EXPECT_EQ(count_code(lower_texts({"x*y - z"}), Code::Fms), 1);
  EXPECT_EQ(count_code(lower_texts({"z - x*y"}), Code::Fnma), 1);
  const Program p = lower_texts({"-(x*y) - z"});
  EXPECT_EQ(count_code(p, Code::Fnms), 1) << to_text(p);
  EXPECT_EQ(p.instructions.size(), 1U);
  EXPECT_EQ(state_operations(p), ops(1, 1));
}

TEST(Contract, LeavesProductsWithOtherUses) {
  const Program p = lower_texts({"x*y + z", "sin(x*y)"});
  EXPECT_EQ(count_code(p, Code::Mul), 1);
  EXPECT_EQ(count_code(p, Code::Add), 1);
}

TEST(Contract, LeavesProductsOfEarlierStages) {
  const Program p = lower_texts({"a*b + x"});
  EXPECT_EQ(count_code(p, Code::Fma), 0);
  EXPECT_EQ(state_operations(p), ops(0, 1));
}

TEST(Contract, OfTwoProductsTheLaterOneIsFused) {
  // x0 x1 + sin(x2) x3: the sine takes long, so its product is the fused one.
  Program p = test::hand_made(4, {}, {{Code::Mul, 0, 1}, {Code::Sin, 2}, {Code::Mul, 5, 3}, {Code::Add, 4, 6}});
  contract(p);
  remove_dead_code(p);
  ASSERT_EQ(p.instructions.size(), 3U);
  EXPECT_EQ(p.instructions[2].code, Code::Fma);
  EXPECT_EQ(p.instructions[2].a, 5U);  // the sine
  EXPECT_EQ(p.instructions[2].c, 4U);  // x0 x1
}

TEST(Contract, ASquaredProductIsNotTakenTwice) {
  // x0 x1 + x0 x1 has two uses of one product.
  Program p = test::hand_made(2, {}, {{Code::Mul, 0, 1}, {Code::Add, 2, 2}});
  contract(p);
  EXPECT_EQ(p.instructions[1].code, Code::Add);
}

TEST(Contract, SharedProductsFuseWithAllTheirAdditions) {
  Program p = lower_texts({"x*y + z", "w - x*y", "x*y - sin(w)"});
  EXPECT_EQ(count_code(p, Code::Mul), 1);
  fuse_shared_products(p);
  remove_dead_code(p);
  EXPECT_EQ(count_code(p, Code::Mul), 0);
  EXPECT_EQ(count_code(p, Code::Fma), 1);
  EXPECT_EQ(count_code(p, Code::Fnma), 1);
  EXPECT_EQ(count_code(p, Code::Fms), 1);
}

TEST(Contract, SharedProductsStayWhereOneUseNeedsThem) {
  for (const char* other : {"x*y", "sin(x*y)", "x*y*w", "x*y + x*y*z"}) {
    Program p = lower_texts({"x*y + z", "w - x*y", other});
    fuse_shared_products(p);
    remove_dead_code(p);
    EXPECT_GE(count_code(p, Code::Mul), 1) << other;
  }
  // x0 x1 + x2 x3, both used again: one of them must be computed.
  Program p = test::hand_made(5, {},
                              {{Code::Mul, 0, 1},
                               {Code::Mul, 2, 3},
                               {Code::Add, 5, 6},
                               {Code::Sub, 5, 4},
                               {Code::Sub, 6, 4},
                               {Code::Mul, 7, 8},
                               {Code::Mul, 10, 9}});
  fuse_shared_products(p);
  remove_dead_code(p);
  EXPECT_EQ(p.instructions.size(), 6U);
  EXPECT_EQ(count_code(p, Code::Fma), 1);
  EXPECT_EQ(count_code(p, Code::Fms), 1);
}

TEST(MergeChains, AChainTakesOverTheAdditionOfItsSumWithAnySigns) {
  // +-(x2 x3 +- (x4 x5 +- x0 x1)) +- x6, with numbers that leave no rounding.
  const std::vector<double> x{3, 5, 7, 11, 13, 17, 1000};
  for (const Code outer : {Code::Fma, Code::Fms, Code::Fnma, Code::Fnms})
    for (const Code inner : {Code::Fma, Code::Fms, Code::Fnma, Code::Fnms})
      for (const Instruction sum :
           {Instruction{Code::Add, 6, 9}, {Code::Add, 9, 6}, {Code::Sub, 6, 9}, {Code::Sub, 9, 6}}) {
        Program p = test::hand_made(7, {}, {{Code::Mul, 0, 1}, {inner, 4, 5, 7}, {outer, 2, 3, 8}, sum});
        const double expected = test::run_state(p, x);
        merge_chains(p);
        check_program(p);
        EXPECT_EQ(p.instructions.size(), 3U);
        EXPECT_EQ(test::run_state(p, x), expected) << to_text(p);
      }
}

TEST(MergeChains, OnlyOfItsOwnAndAfterWhatIsAdded) {
  const auto size_of = [](Program p) {
    merge_chains(p);
    check_program(p);
    return p.instructions.size();
  };
  const std::vector<Instruction> chain{{Code::Mul, 0, 1}, {Code::Fma, 2, 3, 4}};
  const auto with = [&](std::vector<Instruction> more) {
    more.insert(more.begin(), chain.begin(), chain.end());
    return test::hand_made(4, {}, more);
  };
  EXPECT_EQ(size_of(with({{Code::Add, 0, 5}})), 2U);
  EXPECT_EQ(size_of(with({{Code::Add, 0, 5}, {Code::Mul, 6, 5}})), 4U);                     // used twice
  EXPECT_EQ(size_of(with({{Code::Mul, 0, 4}, {Code::Add, 0, 5}, {Code::Sub, 7, 6}})), 5U);  // its product is
  EXPECT_EQ(size_of(with({{Code::Sqrt, 0}, {Code::Add, 6, 5}})), 4U);  // the root comes after the chain
  EXPECT_EQ(size_of(test::hand_made(4, {}, {{Code::Fma, 2, 3, 1}, {Code::Add, 0, 4}})),
            2U);                                      // ends with no product
  EXPECT_EQ(size_of(with({{Code::Add, 5, 5}})), 3U);  // twice the same
}

TEST(Contract, StrictProgramsHaveNoFusedOperation) {
  for (const Code code : {Code::Fma, Code::Fms, Code::Fnma, Code::Fnms})
    EXPECT_EQ(count_code(lower_texts({"x*y + z", "x*y - z*w", "z - x*y", "-x*y - w"}, strict()), code), 0);
}

TEST(DeadCode, OnlyWhatOutputsNeedStays) {
  Program p = test::hand_made(2, {3, 4, 5}, {{Code::Mul, 0, 2}, {Code::Mul, 1, 3}, {Code::Add, 0, 4}});
  remove_dead_code(p);
  EXPECT_EQ(p.instructions.size(), 1U);
  EXPECT_EQ(p.constants, std::vector<double>{5});
  EXPECT_EQ(p.inputs.size(), 2U);
  EXPECT_EQ(test::run_state(p, {1, 2}), 6);
}

TEST(Schedule, SinesAndCosinesComeFirstInPairs) {
  const Program p = lower_texts(
      {"x*y*sin(x) + z*cos(y)", "cos(x)*sin(y) + x*y*z", "sin(x + y)*w + cos(x + y)", "exp(x*z) + sqrt(z*z + 1)"});
  // x + y, then six functions of angles, then exp after its product.
  ASSERT_GE(p.instructions.size(), 8U);
  std::vector<Code> codes;
  for (const Instruction& i : p.instructions) codes.push_back(i.code);
  const auto first = std::find(codes.begin(), codes.end(), Code::Sin);
  for (int k = 0; k < 6; k += 2) {
    EXPECT_EQ(first[k], Code::Sin) << to_text(p);
    EXPECT_EQ(first[k + 1], Code::Cos) << to_text(p);
    const auto i = static_cast<std::size_t>(first - codes.begin() + k);
    EXPECT_EQ(p.instructions[i].a, p.instructions[i + 1].a);
  }
  EXPECT_EQ(first[6], Code::Exp);
  EXPECT_LE(first - codes.begin(), 2);
}

TEST(Schedule, AnglesOfAnglesFormTheNextGroup) {
  const Program p = lower_texts({"sin(x + sin(y)) + cos(z + cos(w))", "sin(z)"});
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < p.instructions.size(); ++i)
    if (p.instructions[i].code == Code::Sin || p.instructions[i].code == Code::Cos) places.push_back(i);
  ASSERT_EQ(places.size(), 5U);
  EXPECT_EQ(places[2], places[0] + 2);  // three that need nothing
  EXPECT_EQ(places[4], places[3] + 1);  // two that need those
}

TEST(Schedule, KeepsFewValuesAlive) {
  // A balanced sum of 64 products: depth first needs 7 values, in order of levels 64.
  std::string text = "(x+1)*(y+1)";
  for (int i = 2; i <= 64; ++i) text += " + (x+" + std::to_string(i) + ")*(y+" + std::to_string(i) + ")";
  LowerReport report;
  (void)lower_texts({text}, strict(), &report);
  EXPECT_LE(report.max_live[2], 10U);
}

TEST(Liveness, CountsValuesStillToBeUsed) {
  // v0 = x0+x1, v1 = x0*x1, v2 = v0*v1, v3 = v2+x0
  const Program p =
      test::hand_made(2, {}, {{Code::Add, 0, 1}, {Code::Mul, 0, 1}, {Code::Mul, 2, 3}, {Code::Add, 4, 0}});
  EXPECT_EQ(calc_liveness(p, Stage::State).max_live, 2U);
}

// ---- interleave ---------------------------------------------------------------------------------------------------------

TEST(Interleave, LongChainsStartEarlyAndNothingElseChanges) {
  // 60 products that nothing waits for, then a chain of 10 divisions; x0 = 3, x1 = 2.
  std::vector<Instruction> list;
  for (std::uint32_t i = 0; i < 60; ++i) list.push_back({Code::Mul, 0, 1});
  for (std::uint32_t i = 0; i < 10; ++i) list.push_back({Code::Div, i == 0 ? 0 : 61 + i, 1});
  Program p = test::hand_made(2, {}, list);
  interleave(p);
  check_program(p);
  EXPECT_EQ(p.instructions.size(), list.size());
  EXPECT_EQ(test::run_state(p, {3, 2}), 3.0 / 1024);
  const auto is_division = [](const Instruction& i) { return i.code == Code::Div; };
  const auto first = std::find_if(p.instructions.begin(), p.instructions.end(), is_division);
  EXPECT_GE(std::count_if(first, p.instructions.end(), std::not_fn(is_division)), 10);  // done while it divides
  EXPECT_EQ(p.instructions.back().code, Code::Div);
}

TEST(Interleave, NothingMovesAcrossACall) {
  // Products, a sine, products, and a division that could have been first.
  const Program before = test::hand_made(
      2, {},
      {{Code::Mul, 0, 0}, {Code::Mul, 1, 1}, {Code::Sin, 0}, {Code::Mul, 0, 1}, {Code::Div, 0, 1}, {Code::Add, 4, 6}});
  Program p = before;
  interleave(p);
  check_program(p);
  EXPECT_EQ(p.instructions[2].code, Code::Sin);
  EXPECT_EQ(test::run_state(p, {3, 2}), test::run_state(before, {3, 2}));
}

// ---- pace ---------------------------------------------------------------------------------------------------------------

Pace pace_of(const std::vector<Instruction>& instructions) {
  const Program p = test::hand_made(2, {}, instructions);
  std::vector<std::uint32_t> order(instructions.size());
  std::iota(order.begin(), order.end(), 0U);
  return estimate_pace(StageGraph(p, Stage::State), order);
}

TEST(Pace, DependentInstructionsTakeTheirLatenciesAndOthersTheirPorts) {
  std::vector<Instruction> chain{{Code::Mul, 0, 1}}, row;
  for (std::uint32_t i = 0; i < 99; ++i) chain.push_back({Code::Mul, 2 + i, 1});
  for (std::uint32_t i = 0; i < 100; ++i) row.push_back({Code::Mul, 0, 1});
  EXPECT_NEAR(pace_of(chain).cycles, 400, 10);  // four cycles each
  EXPECT_NEAR(pace_of(row).cycles, 50, 10);     // two per cycle
  EXPECT_EQ(pace_of(chain).far_uses, 0U);
  chain.push_back({Code::Add, 2, 101});  // the first product again
  EXPECT_EQ(pace_of(chain).far_uses, 1U);
}

}  // namespace
}  // namespace kane
