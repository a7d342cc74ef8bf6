// Wrong robots: each is refused with a sentence at its place.

#include <gtest/gtest.h>

#include "bad_input.hpp"
#include "kane/formats/urdf/urdf_reader.hpp"

namespace kane::test {
namespace {

// A, B, J alone in a line stand for valid links a and b, and a valid joint j from a to b.
constexpr BadInput kCases[] = {
    {R"()", "the file has no <robot> element"},
    {R"(@not xml at all)", "this is not well-formed XML: there is text where an element is expected"},
    {R"(@<robot)", "not well-formed XML: an element is incomplete"},
    {R"(@<robot name="r"><link name="a"></robot>)", "not well-formed XML: an element is not closed"},
    {R"(@<robt name="r"/>)", "a URDF file begins with <robot>, but <robt> was found"},
    {R"(@<sdf version="1.6"/>)", "this is an SDF file"},
    {R"(@<mujoco/>)", "this is an MJCF file"},
    {R"(@<robot><link name="a"/></robot>)", "the robot needs the attribute 'name'"},
    {R"(@<robot name="r"/>)", "the robot has no <link>"},
    {R"(<robot name="r">
  @<xacro:include filename="a"/>
</robot>)",
     "expand the file with xacro first"},
    {R"(@<!DOCTYPE a [<!ENTITY x "y">]><robot name="r"/>)", "document types and entities are not allowed"},
    {R"(<robot name="r">
  @<link/>
</robot>)",
     "a link needs the attribute 'name'"},
    {R"(<robot name="r">
  A
  @<link name="a"/>
</robot>)",
     "there are two links named 'a'"},
    {R"(<robot name="r">
  A
  B
  @<joint type="fixed"/>
</robot>)",
     "a joint needs the attribute 'name'"},
    {R"(<robot name="r">
  A
  B
  @<joint name="j"><parent link="a"/><child link="b"/></joint>
</robot>)",
     "the joint 'j' needs the attribute 'type'"},
    {R"(<robot name="r">
  A
  B
  @<joint name="j" type="revolut"><parent link="a"/><child link="b"/></joint>
</robot>)",
     "unknown type 'revolut'; did you mean 'revolute'?"},
    {R"(<robot name="r">
  A
  B
  @<joint name="j" type="fixed"><child link="b"/></joint>
</robot>)",
     R"(the joint 'j' needs <parent link="..."/>)"},
    {R"(<robot name="r">
  A
  B
  @<joint name="j" type="fixed"><parent link="a"/></joint>
</robot>)",
     R"(the joint 'j' needs <child link="..."/>)"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="fixed">@<parent link="base"/><child link="b"/></joint>
</robot>)",
     "is the link 'base', which does not exist"},
    {R"(<robot name="r">
  <link name="elbow"/>
  B
  <joint name="j" type="fixed"><parent link="b"/>@<child link="elbo"/></joint>
</robot>)",
     "did you mean 'elbow'?"},
    {R"(<robot name="r">
  A
  B
  @<joint name="j" type="fixed"><parent link="b"/><child link="b"/></joint>
</robot>)",
     "connects the link 'b' with itself"},
    {R"(<robot name="r">
  A
  B
  J
  @<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>)",
     "the link 'b' has two parents: the joint 'j' attaches it to 'a' and the joint 'k' to 'a'"},
    {R"(<robot name="r">
  A
  B
  J
  @<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>)",
     "there are two joints named 'j'"},
    {R"(<robot name="r">
  A
  @<link name="b"/>
</robot>)",
     "the robot is not connected: 'a' and 'b' are both links without a parent"},
    {R"(<robot name="r">
  A
  B
  @<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
  <joint name="k" type="continuous"><parent link="b"/><child link="a"/></joint>
</robot>)",
     "the joints form a cycle"},
    {R"(<robot name="r">
  <link name="c"/>
  @<link name="a"/>
  B
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
  <joint name="k" type="continuous"><parent link="b"/><child link="a"/></joint>
</robot>)",
     "the joints form a cycle through the link 'a'"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>@<axis xyz="0 0 0"/></joint>
</robot>)",
     "the axis of the joint 'j' has length zero"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>@<axis xyz="0 1"/></joint>
</robot>)",
     "must have three numbers, but 2 are given"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>@<axis xyz="0 1 nan"/></joint>
</robot>)",
     "must be a number, but 'nan' is given"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>@<origin xyz="0 0 0 0"/></joint>
</robot>)",
     "must have three numbers, but more are given"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>@<origin rpy="0 0 1e400"/></joint>
</robot>)",
     "must be a number, but '1e400' is given"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>@<limit lower="1" upper="-1"/></joint>
</robot>)",
     "the lower limit 1 of the joint 'j' is above its upper limit -1"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>@<limit lower="low"/></joint>
</robot>)",
     "must be a number, but 'low' is given"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>@<dynamics damping="-1"/></joint>
</robot>)",
     "the damping of the joint 'j' is negative: -1"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>@<mimic joint="jj"/></joint>
</robot>)",
     "the joint 'jj', which does not exist; did you mean 'j'?"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>@<mimic joint="j"/></joint>
</robot>)",
     "leads back to the joint itself"},
    {R"(<robot name="r">
  A
  B
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin/>@<origin/></joint>
</robot>)",
     "has two <origin> elements"},
    {R"(<robot name="r">
  <link name="a"><inertial>@<mass value="-2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
</robot>)",
     "the mass of the link 'a' is negative: -2 kg"},
    {R"(<robot name="r">
  <link name="a"><inertial>@<mass value="2 kg"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
</robot>)",
     "must be a number, but '2 kg' is given"},
    {R"(<robot name="r">
  <link name="a"><inertial>@<mass/></inertial></link>
</robot>)",
     "needs the attribute 'value'"},
    {R"(<robot name="r">
  <link name="a">@<inertial></inertial></link>
</robot>)",
     "needs <mass>"},
    {R"(<robot name="r">
  <link name="a">@<inertial><mass value="1"/></inertial></link>
</robot>)",
     "needs <inertia>"},
    {R"(<robot name="r">
  <link name="a"><inertial><mass value="1"/>@<inertia ixx="1"/></inertial></link>
</robot>)",
     "needs the attribute 'ixy'"},
    {R"(<robot name="r">
  <link name="a"><inertial><mass value="1"/>@<inertia ixx="-1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
</robot>)",
     "'ixx' of the link 'a' is negative: -1 kg m^2"},
    {R"(<robot name="r">
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>@<inertial/></link>
</robot>)",
     "has two <inertial> elements"},
    {R"(<robot name="r">
  @<link name="a"/>
</robot>)",
     "no link that could move has a mass"},
    {R"(<robot name="r">
  @<link name="a"/>
  <link name="b"/>
  J
</robot>)",
     "no link that could move has a mass"},
    {"<robot name=\"r\">\n  <link name=\"caf@\xe9\"/>\n</robot>\n", "the file is not text in UTF-8: byte 0xe9"},
    {"<robot name=\"@\x1b[31m\"/>", "the file is not text in UTF-8: byte 0x1b"},
};

constexpr std::string_view kLink =
    R"(<link name="?"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>)";

std::string written_out(std::string_view text) {
  std::string all(text);
  const auto put = [&](const std::string& sign, std::string with) {
    const std::size_t at = all.find("\n  " + sign + "\n");
    if (at != std::string::npos) all.replace(at + 3, 1, with);
  };
  for (const char name : {'a', 'b'}) {
    std::string link(kLink);
    link[link.find('?')] = name;
    put(name == 'a' ? "A" : "B", link);
  }
  put("J", R"(<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>)");
  return all;
}

TEST(BadUrdf, All) {
  std::vector<std::string> texts;
  std::vector<BadInput> cases;
  texts.reserve(std::size(kCases));
  for (const BadInput& row : kCases) {
    texts.push_back(written_out(row.text));
    cases.push_back({texts.back(), row.sentence});
  }
  expect_refused(cases, "robot.urdf");
}

}  // namespace
}  // namespace kane::test
