// Models whose inputs a foreign FMU drives.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "kane/base/child_process.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/fmi/archive.hpp"
#include "kane/fmi/fmu_slave.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/model/simulation.hpp"

namespace kane {
namespace {

constexpr const char* kDescription2 = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="pd" guid="{pd}">
  <CoSimulation modelIdentifier="pd"/>
  <ModelVariables>
    <ScalarVariable name="angle" valueReference="1" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="rate" valueReference="2" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="off" valueReference="3" causality="input" variability="discrete"><Boolean start="false"/></ScalarVariable>
    <ScalarVariable name="u" valueReference="4" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="steps" valueReference="5" causality="output" variability="discrete"><Integer/></ScalarVariable>
    <ScalarVariable name="kp" valueReference="6" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="kd" valueReference="7" causality="parameter" variability="fixed"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="label" valueReference="8" causality="output" variability="discrete"><String/></ScalarVariable>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>)";

constexpr const char* kDescription3 = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="pd" instantiationToken="{pd}">
  <CoSimulation modelIdentifier="pd"/>
  <ModelVariables>
    <Float64 name="angle" valueReference="1" causality="input" start="0"/>
    <Float64 name="rate" valueReference="2" causality="input" start="0"/>
    <Boolean name="off" valueReference="3" causality="input" start="false"/>
    <Float64 name="u" valueReference="4" causality="output"/>
    <Int32 name="steps" valueReference="5" causality="output"/>
    <Float64 name="kp" valueReference="6" causality="parameter" start="1"/>
    <Float64 name="kd" valueReference="7" causality="parameter" start="0"/>
    <String name="label" valueReference="8" causality="output"/>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>)";

constexpr const char* kPendulum = R"(
kane: 1
name: pendulum
parameters: {m: 1 kg, l: 0.5 m, g: 9.81 m/s^2}
inputs: {T: %s}
gravity: -g*N.y
bodies: {rod: {mass: m, com: [0, -l, 0]}}
joints: {pin: {type: revolute, parent: N, child: rod, axis: z, coordinate: q, speed: w}}
loads: [{torque: T, on: rod, axis: N.z}]
initial: {q: 0.4}
)";

class FmuController : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const int version = GetParam();
    const std::string cc = find_program("cc"), library = folder_.path() + "/pd.so";
    ASSERT_FALSE(cc.empty());
    ASSERT_EQ(run_program(cc,
                          {"-shared", "-fPIC", "-O1", fmt::format("-DVERSION={}", version), "-DTOKEN=\"{pd}\"", "-o",
                           library, KANE_SOURCE_DIR "/tests/fmu/controller.c"},
                          folder_.path() + "/log"),
              0)
        << read_whole_file(folder_.path() + "/log");
    library_ = read_whole_file(library);
    write_archive(fmu(), {{"modelDescription.xml", version == 2 ? kDescription2 : kDescription3},
                          {version == 2 ? "binaries/linux64/pd.so" : "binaries/x86_64-linux/pd.so", library_}});
  }

  [[nodiscard]] std::string fmu() const { return folder_.path() + "/pd.fmu"; }
  /// The model with this input, in a file beside the FMU.
  [[nodiscard]] std::string model(const std::string& input) const {
    const std::string file = folder_.path() + "/model.yaml";
    std::string text = kPendulum;
    text.replace(text.find("%s"), 2, input);
    std::ofstream(file) << text;
    return file;
  }
  /// q at 0.05, 0.1, ... 1 s.
  static std::vector<double> simulate(const std::string& file, bool allow, const StartState& start = {}) {
    ModelOptions options;
    options.allow_fmu = allow;
    Simulation run(read_model(file, options), start, {.tolerance = 1e-11});
    std::vector<double> q;
    for (int i = 0; i < 20; ++i) run.advance(0.05), q.push_back(run.value("q"));
    return q;
  }
  static std::string message(const std::function<void()>& act) {
    try {
      act();
    } catch (const ModelError& e) {
      return e.what();
    }
    return "";
  }

  TemporaryFolder folder_{"kane_controller"};
  std::string library_;
};

const char* const kByFmu =
    "{fmu: pd.fmu, output: u, inputs: {angle: q, rate: w}, parameters: {kp: 3, kd: 0.5}, step: 10 ms}";

TEST_P(FmuController, DrivesAnInputLikeASampledLaw) {
  const auto by_fmu = simulate(model(kByFmu), true);
  const auto by_law = simulate(model("{value: -3*q - 0.5*w, sampled: 10 ms}"), false);
  for (std::size_t i = 0; i < by_law.size(); ++i) EXPECT_NEAR(by_fmu[i], by_law[i], 1e-12) << i;
  EXPECT_GT(std::abs(by_law[5] - simulate(model("0 N*m"), false)[5]), 1e-3);  // it does something
}

TEST_P(FmuController, MustBeAllowed) {
  const std::string file = model(kByFmu);
  const std::string said = message([&] { simulate(file, false); });
  EXPECT_NE(said.find("--allow-fmu"), std::string::npos) << said;
  EXPECT_NE(said.find("pd.fmu"), std::string::npos) << said;
  // An input with a value of its own needs no FMU.
  StartState start;
  start.inputs["T"] = 0;
  const auto still = simulate(file, false, start), wanted = simulate(model("0 N*m"), false);
  for (std::size_t i = 0; i < still.size(); ++i) EXPECT_NEAR(still[i], wanted[i], 1e-12);
  const Model model_without = read_model(model(kByFmu));
  const auto& notes = model_without.notes();
  EXPECT_TRUE(
      std::any_of(notes.begin(), notes.end(), [](const auto& n) { return n.find("pd.fmu") != std::string::npos; }));
}

TEST_P(FmuController, StaysBeneathTheFolderOfTheModel) {
  for (const std::string name : {"../pd.fmu", "/tmp/pd.fmu", "missing.fmu"})
    EXPECT_NE(message([&] { (void)read_model(model("{fmu: " + name + ", output: u, step: 10 ms}")); }).find(name),
              std::string::npos)
        << name;
}

TEST_P(FmuController, MistakesAreNamed) {
  const auto said = [&](const std::string& input) { return message([&] { simulate(model(input), true); }); };
  EXPECT_NE(said("{fmu: pd.fmu, output: v, step: 10 ms}").find("no output 'v'"), std::string::npos);
  EXPECT_NE(said("{fmu: pd.fmu, output: label, step: 10 ms}").find("'label'"), std::string::npos);
  EXPECT_NE(said("{fmu: pd.fmu, output: u, inputs: {angel: q}, step: 10 ms}").find("angle"), std::string::npos);
  EXPECT_NE(said("{fmu: pd.fmu, output: u, parameters: {ki: 1}, step: 10 ms}").find("ki"), std::string::npos);
  EXPECT_NE(said("{fmu: pd.fmu, output: u}").find("step"), std::string::npos);
  EXPECT_NE(said("{fmu: pd.fmu, output: u, step: -1}").find("positive"), std::string::npos);
  EXPECT_NE(said("{fmu: pd.fmu, output: u, step: 10 ms, value: q}").find("value"), std::string::npos);
  EXPECT_NE(said("{value: q, output: u}").find("output"), std::string::npos);
}

TEST_P(FmuController, OtherTypesAndBeginningAgain) {
  FmuSlave slave(fmu());
  const FmuPort angle = slave.input("angle"), off = slave.input("off"), u = slave.output("u"),
                steps = slave.output("steps");
  for (int round = 0; round < 2; ++round) {
    slave.begin(1.0);
    slave.set(slave.parameter("kp"), 2);
    slave.set(angle, 0.25);
    slave.run();
    slave.step(1.0, 0.5);
    EXPECT_EQ(slave.get(u), -0.5);
    slave.set(off, 1);
    slave.step(1.5, 0.5);
    EXPECT_EQ(slave.get(u), 0);
    EXPECT_EQ(slave.get(steps), 2);
    EXPECT_NE(message([&] { slave.step(7, 0.5); }).find("step"), std::string::npos);
  }
}

TEST_P(FmuController, SurvivesWritingAndReading) {
  const std::string text = write_yaml(read_mechanism(model(kByFmu)));
  const std::string file = folder_.path() + "/again.yaml";
  std::ofstream(file) << text;
  const auto first = simulate(model(kByFmu), true), again = simulate(file, true);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(again[i], first[i], 1e-12) << text;
}

TEST_P(FmuController, DamagedArchivesAreRefused) {
  const auto said = [&](const std::vector<ArchiveFile>& files) {
    const std::string file = folder_.path() + "/bad.fmu";
    std::filesystem::remove(file);
    write_archive(file, files);
    return message([&] { FmuSlave slave(file); });
  };
  const std::string description = GetParam() == 2 ? kDescription2 : kDescription3;
  EXPECT_NE(said({{"else.xml", "x"}}).find("modelDescription.xml"), std::string::npos);
  EXPECT_NE(said({{"modelDescription.xml", "<no"}}).find("cannot be read"), std::string::npos);
  EXPECT_NE(said({{"modelDescription.xml", description}}).find("no library"), std::string::npos);
  EXPECT_NE(said({{"modelDescription.xml", description}, {"../evil", "x"}}).find("leads out"), std::string::npos);
  EXPECT_NE(
      said({{"modelDescription.xml", description}, {"binaries/linux64/pd.so", "no library"}}).find("cannot be loaded"),
      std::string::npos);
  std::ofstream(folder_.path() + "/text.fmu") << "no archive";
  EXPECT_NE(message([&] { FmuSlave slave(folder_.path() + "/text.fmu"); }).find("ZIP"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Versions, FmuController, ::testing::Values(2, 3));

}  // namespace
}  // namespace kane
