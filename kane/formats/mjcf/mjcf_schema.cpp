#include "kane/formats/mjcf/mjcf_schema.hpp"

#include <array>

namespace kane {

namespace {

constexpr std::string_view kActuator =
    "name class -group ctrllimited forcelimited actlimited ctrlrange forcerange actrange lengthrange gear cranklength "
    "joint "
    "jointinparent tendon cranksite slidersite site refsite body actdim dyntype gaintype biastype dynprm gainprm "
    "biasprm "
    "actearly kp kv dampratio timeconst inheritrange -user plugin instance area diameter bias force scale lmin lmax "
    "vmax "
    "fpmax fvmax range gain nsample interp delay";
constexpr std::string_view kEquality =
    "name class active -solref -solimp body1 body2 anchor relpose -torquescale site1 site2 joint1 joint2 polycoef "
    "tendon1 "
    "tendon2 geom1 geom2 distance flex";
constexpr std::string_view kTendon =
    "name class -group limited actuatorfrclimited range actuatorfrcrange -solreflimit -solimplimit -solreffriction "
    "-solimpfriction frictionloss springlength -width -material -rgba -margin stiffness damping armature -user";

using enum MjcfUse;

constexpr auto kElements = std::to_array<MjcfElementInfo>({
    {"mujoco", "compiler", Read,
     "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle -fitaabb eulerseq "
     "meshdir "
     "-texturedir assetdir -discardvisual -usethread -fusestatic inertiafromgeom inertiagrouprange alignfree "
     "-saveinertial exactmeshinertia -convexhull -conflict"},
    {"mujoco", "option", Read,
     "-timestep -apirate -impratio -tolerance -ls_tolerance -noslip_tolerance -ccd_tolerance -mpr_tolerance "
     "-sleep_tolerance gravity wind -magnetic density viscosity -o_margin -o_solref -o_solimp -o_friction -integrator "
     "-cone "
     "-jacobian -solver -iterations -ls_iterations -noslip_iterations -ccd_iterations -mpr_iterations -sdf_iterations "
     "-sdf_initpoints actuatorgroupdisable -collision"},
    {"option", "flag", Read,
     "constraint equality frictionloss limit contact passive spring damper gravity clampctrl -warmstart -filterparent "
     "actuation -refsafe -sensor -midphase -nativeccd -eulerdamp -autoreset -override -energy -fwdinv -invdiscrete "
     "-sensornoise -multiccd -island -sleep -diagexact"},
    {"mujoco", "size", Ignored, ""},
    {"mujoco", "visual", Ignored, ""},
    {"mujoco", "statistic", Ignored, ""},
    {"mujoco", "custom", Ignored, ""},
    {"mujoco", "sensor", Ignored, ""},
    {"mujoco", "extension", Refused, ""},
    {"mujoco", "deformable", Refused, ""},
    {"mujoco", "default", Read, "class"},
    {"mujoco", "asset", Read, ""},
    {"mujoco", "worldbody", Read, ""},
    {"mujoco", "contact", Read, ""},
    {"mujoco", "equality", Read, ""},
    {"mujoco", "tendon", Read, ""},
    {"mujoco", "actuator", Read, ""},
    {"mujoco", "keyframe", Read, ""},

    {"asset", "mesh", Read,
     "name class -content_type file vertex -normal -texcoord face refpos refquat scale -smoothnormal -maxhullvert "
     "inertia "
     "builtin params -octree_maxdepth -material"},
    {"asset", "hfield", Read, "name -content_type file nrow ncol elevation size"},
    {"asset", "texture", Ignored, ""},
    {"asset", "material", Ignored, ""},
    {"asset", "skin", Ignored, ""},
    {"asset", "model", Refused, ""},

    {"body", "body", Read, "name childclass pos quat mocap axisangle xyaxes zaxis euler gravcomp -user -sleep"},
    {"body", "frame", Read, "-name childclass pos quat axisangle xyaxes zaxis euler"},
    {"body", "replicate", Read, "count sep offset euler"},
    {"body", "inertial", Read, "pos quat mass diaginertia axisangle xyaxes zaxis euler fullinertia"},
    {"body", "joint", Read,
     "name class type -group pos axis springdamper limited actuatorfrclimited -solreflimit -solimplimit "
     "-solreffriction "
     "-solimpfriction stiffness range actuatorfrcrange actuatorgravcomp -margin ref springref armature damping "
     "frictionloss "
     "-user"},
    {"body", "freejoint", Read, "name -group align"},
    {"body", "geom", Read,
     "name class type contype conaffinity condim group priority size -material rgba friction mass density "
     "shellinertia "
     "-solmix -solref -solimp -margin -gap fromto pos quat axisangle xyaxes zaxis euler hfield mesh -fitscale -user "
     "fluidshape "
     "-fluidcoef"},
    {"body", "site", Read,
     "name class -type -group pos quat -material -size fromto axisangle xyaxes zaxis euler -rgba -user"},
    {"body", "camera", Ignored, ""},
    {"body", "light", Ignored, ""},
    {"body", "attach", Refused, ""},
    {"body", "composite", Refused, ""},
    {"body", "flexcomp", Refused, ""},
    {"body", "plugin", Refused, ""},

    {"contact", "exclude", Read, "name body1 body2"},
    {"contact", "pair", Read, "name class geom1 geom2 condim friction -solref -solreffriction -solimp -gap -margin"},

    {"equality", "connect", Read, kEquality},
    {"equality", "weld", Read, kEquality},
    {"equality", "joint", Read, kEquality},
    {"equality", "tendon", Read, kEquality},
    {"equality", "distance", Refused, ""},
    {"equality", "flex", Refused, ""},
    {"equality", "flexvert", Refused, ""},
    {"equality", "flexstrain", Refused, ""},

    {"tendon", "fixed", Read, kTendon},
    {"tendon", "spatial", Read, kTendon},
    {"fixed", "joint", Read, "joint coef"},
    {"spatial", "site", Read, "site"},
    {"spatial", "geom", Read, "geom sidesite"},
    {"spatial", "pulley", Read, "divisor"},

    {"actuator", "general", Read, kActuator},
    {"actuator", "motor", Read, kActuator},
    {"actuator", "position", Read, kActuator},
    {"actuator", "velocity", Read, kActuator},
    {"actuator", "intvelocity", Read, kActuator},
    {"actuator", "damper", Read, kActuator},
    {"actuator", "cylinder", Read, kActuator},
    {"actuator", "muscle", Read, kActuator},
    {"actuator", "adhesion", Read, kActuator},
    {"actuator", "plugin", Read, kActuator},

    {"keyframe", "key", Read, "name time qpos qvel act -mpos -mquat ctrl"},

    // In a class of defaults the same elements stand without names.
    {"default", "default", Read, "class"},
    {"default", "mesh", Read, "scale -maxhullvert inertia -smoothnormal -octree_maxdepth -material"},
    {"default", "material", Ignored, ""},
    {"default", "texture", Ignored, ""},
    {"default", "camera", Ignored, ""},
    {"default", "light", Ignored, ""},
    {"default", "equality", Read, kEquality},
    {"default", "tendon", Read, kTendon},
    {"default", "pair", Read, "condim friction -solref -solreffriction -solimp -gap -margin"},
});

}  // namespace

const MjcfElementInfo* find_mjcf_element(std::string_view parent, std::string_view name) {
  if (parent == "worldbody" || parent == "frame" || parent == "replicate") parent = "body";
  for (const MjcfElementInfo& row : kElements)
    if (row.parent == parent && row.name == name) return &row;
  if (parent != "default") return nullptr;
  for (const char* other : {"body", "actuator"})
    if (const MjcfElementInfo* row = find_mjcf_element(other, name); row != nullptr && name != "body") return row;
  return nullptr;
}

std::vector<std::string> mjcf_children(std::string_view parent) {
  if (parent == "worldbody" || parent == "frame" || parent == "replicate") parent = "body";
  std::vector<std::string> names;
  for (const MjcfElementInfo& row : kElements)
    if (row.parent == parent) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> mjcf_attributes(const MjcfElementInfo& element) {
  std::vector<std::string> names;
  std::string_view rest = element.attributes;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string_view name = rest.substr(0, end);
    if (name.starts_with('-')) name.remove_prefix(1);
    names.emplace_back(name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

}  // namespace kane
