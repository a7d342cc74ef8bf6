// Wrong MJCF files: each is refused with a sentence at its place.

#include <gtest/gtest.h>

#include "bad_input.hpp"
#include "kane/formats/mjcf/mjcf_reader.hpp"

namespace kane::test {
namespace {

constexpr BadInput kBadMjcf[] = {
    {R"(@<mujoco/>)", "the model has no bodies besides the world"},
    {R"(<?xml version="1.0"?>
  @<!DOCTYPE a [<!ENTITY x "y">]><mujoco/>)",
     "document types and entities are not allowed in an MJCF file"},
    {R"(<mujoco><compiler coordinate="global"/><worldbody>
@<body><freejoint/><geom size="1"/></body>
</worldbody></mujoco>)",
     "this <body> needs 'pos' where coordinates are global: its joint has the axes of the body"},
    {R"(<mujoco><worldbody>
  @<body na me="x"/>
</worldbody></mujoco>)",
     "this is not well-formed XML: an attribute is not of the form"},
    {R"(<mujoco>
  @<worldbdy/>
</mujoco>)",
     "<worldbdy> is not known inside <mujoco>; did you mean 'worldbody'?"},
    {R"(<mujoco><worldbody>
  <body><joint name="j"/>@<geom szie="1"/></body>
</worldbody></mujoco>)",
     "this <geom> has no attribute 'szie'; did you mean 'size'?"},
    {R"(<mujoco><worldbody>
  <body>@<joint name="j" axis="0 0 0"/><geom size="1"/></body>
</worldbody></mujoco>)",
     "the axis of the joint 'j' is zero"},
    {R"(<mujoco><worldbody>
  <body>@<joint name="j" axis="0 0"/><geom size="1"/></body>
</worldbody></mujoco>)",
     "'axis' of the joint 'j' needs 3 numbers, but 2 are given"},
    {R"(<mujoco><worldbody>
  <body>@<joint name="j" damping="1e999"/><geom size="1"/></body>
</worldbody></mujoco>)",
     "'damping' of the joint 'j' must consist of numbers"},
    {R"(<mujoco><worldbody>
  <body>@<joint name="j" class="arm"/><geom size="1"/></body>
</worldbody></mujoco>)",
     "there is no class of defaults named 'arm'"},
    {R"(<mujoco><worldbody>
  <body><joint/>@<geom size="-1"/></body>
</worldbody></mujoco>)",
     "a size of this <geom> is not positive"},
    {R"(<mujoco><worldbody>
  <body><joint/>@<geom type="box" size="1 1"/></body>
</worldbody></mujoco>)",
     "needs 3 numbers for a box"},
    {R"(<mujoco><worldbody>
  <body><joint/>@<geom type="mesh" mesh="arm"/></body>
</worldbody></mujoco>)",
     "there is no mesh 'arm'"},
    {R"(<mujoco><worldbody>
  @<body name="b"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>
</worldbody></mujoco>)",
     "are impossible: one exceeds the sum of the others"},
    {R"(<mujoco><worldbody>
  <body name="b"><joint/>@<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/></body>
</worldbody></mujoco>)",
     "the mass is negative"},
    {R"(<mujoco><worldbody>
  <body><joint name="a"/><geom size="1"/><body>@<freejoint/><geom size="1"/></body></body>
</worldbody></mujoco>)",
     "a free joint must be the only joint of its body"},
    {R"(<mujoco><worldbody>
  <body name="a"><joint/><geom size="1"/></body>
  @<body name="a"><joint/><geom size="1"/></body>
</worldbody></mujoco>)",
     "there are two <body> elements named 'a'"},
    {R"(<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
<actuator>@<motor joint="i"/></actuator></mujoco>)",
     "there is no joint with one degree of freedom 'i'"},
    {R"(<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
<actuator>@<muscle joint="j"/></actuator></mujoco>)",
     "actuators of the kind <muscle> are not supported (--lenient"},
    {R"(<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
<tendon><spatial name="s">@<geom geom="g"/></spatial></tendon></mujoco>)",
     "wraps around the geom 'g', which is not supported"},
    {R"(<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
<equality>@<joint joint1="j" joint2="k"/></equality></mujoco>)",
     "there is no joint with one degree of freedom 'k'"},
    {R"(<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1"/></body></worldbody>
<equality>@<connect body1="c" anchor="0 0 0"/></equality></mujoco>)",
     "there is no body 'c'"},
    {R"(<mujoco><option density="1.2"/><worldbody><body><joint/>
@<geom size="1" fluidshape="ellipsoid"/></body></worldbody></mujoco>)",
     "'fluidshape' is not supported"},
    {R"(<mujoco>@<compiler eulerseq="xyw"/><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>)",
     "'eulerseq' must be three of the letters"},
    {R"(<mujoco><worldbody>@<include file="arm.xml"/></worldbody></mujoco>)",
     "a model that is not read from a file cannot include others"},
    {R"(<mujoco><worldbody><body><joint/><geom size="1"/>@<composite type="rope"/></body></worldbody></mujoco>)",
     "<composite> is not supported"},
    {R"(<mujoco><worldbody>
  @<body quat="1 0 0 0" euler="0 0 0"><joint/><geom size="1"/></body>
</worldbody></mujoco>)",
     "the orientation of this <body> is given in two ways"},
};

TEST(BadMjcf, All) { expect_refused(kBadMjcf, "model.xml"); }

TEST(BadMjcf, LenientReadsTheRest) {
  const char* text = R"(<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
<actuator><muscle joint="j"/><motor name="m" joint="j"/></actuator></mujoco>)";
  MjcfOptions options;
  options.lenient = true;
  const Mechanism m = read_mjcf_text(text, "model.xml", options);
  ASSERT_EQ(m.inputs.size(), 1U);
  ASSERT_FALSE(m.notes.empty());
  EXPECT_NE(m.notes.front().find("model.xml:2:11: left out: actuators of the kind <muscle>"), std::string::npos);
}

}  // namespace
}  // namespace kane::test
