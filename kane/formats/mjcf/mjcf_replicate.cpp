#include "kane/formats/mjcf/mjcf_replicate.hpp"

#include "kane/formats/mjcf/mjcf_bodies.hpp"

namespace kane {

namespace {

class Replicator {
 public:
  Replicator(const MjcfFile& file, const MjcfLimits& limits) : limits_(limits), compiler_(file.compiler, quiet_) {}

  void expand(MjcfElement& element) {
    std::vector<MjcfElement> children;
    for (MjcfElement& child : element.children) {
      expand(child);
      if (child.name == "replicate")
        add_copies(child, children);
      else
        children.push_back(std::move(child));
    }
    element.children = std::move(children);
  }

 private:
  void add_copies(const MjcfElement& replicate, std::vector<MjcfElement>& to) {
    const double count = replicate.number("count", 0);
    if (count < 1 || count != static_cast<double>(static_cast<long>(count)))
      replicate.fail("<replicate> needs the attribute 'count', a whole number from 1 on");
    if (count > static_cast<double>(limits_.max_elements)) too_many(replicate);
    MjcfElement step;
    step.name = "frame";
    step.where = replicate.where;
    if (const std::string* offset = replicate.find("offset")) step.attributes["pos"] = *offset;
    if (const std::string* euler = replicate.find("euler")) step.attributes["euler"] = *euler;
    const MjcfPose move = compiler_.pose(step);
    const std::size_t digits = std::to_string(static_cast<long>(count)).size();
    MjcfPose at;
    for (long i = 0; i < static_cast<long>(count); ++i, at = compose(at, move)) {
      MjcfElement copy;
      copy.name = "frame";
      copy.where = replicate.where;
      const auto q = quaternion_from_rotation(at.rotation);
      copy.attributes["pos"] = fmt::format("{:.17g} {:.17g} {:.17g}", at.position.x, at.position.y, at.position.z);
      copy.attributes["quat"] = fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q[0], q[1], q[2], q[3]);
      copy.children = replicate.children;
      const std::string suffix = replicate.text("sep") + fmt::format("{:0{}}", i, digits);
      for (MjcfElement& child : copy.children) rename(child, suffix);
      to.push_back(std::move(copy));
    }
  }

  void rename(MjcfElement& element, const std::string& suffix) {
    if (++made_ > limits_.max_elements) too_many(element);
    if (const auto name = element.attributes.find("name"); name != element.attributes.end()) name->second += suffix;
    for (MjcfElement& child : element.children) rename(child, suffix);
  }

  [[noreturn]] void too_many(const MjcfElement& element) const {
    throw LimitError(
        element.where,
        fmt::format("<replicate> makes more than {} elements; this is the limit max_elements", limits_.max_elements));
  }

  MjcfLimits limits_;
  MjcfRefusals quiet_{true};  // what the compiler refuses is said by the reader
  MjcfCompiler compiler_;
  std::size_t made_ = 0;
};

}  // namespace

void expand_replicates(MjcfFile& file, const MjcfLimits& limits) { Replicator(file, limits).expand(file.world); }

}  // namespace kane
