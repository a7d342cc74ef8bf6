#include "kane/formats/mjcf/mjcf_reader.hpp"

#include "kane/formats/mjcf/mjcf_builder.hpp"
#include "kane/formats/mjcf/mjcf_replicate.hpp"
#include "kane/formats/yaml/yaml_document.hpp"

namespace kane {

std::string mjcf_vector_text(const Vec3& v, const std::string& frame) {
  std::string text;
  for (std::size_t i = 0; i < 3; ++i) {
    if (v[i] == 0) continue;
    if (!text.empty()) text += " + ";
    text += fmt::format("{}*{}.{}", number_text(v[i]), frame, "xyz"[i]);
  }
  return text.empty() ? fmt::format("0*{}.x", frame) : text;
}

MjcfBuilder::MjcfBuilder(const MjcfFile& file, const MjcfOptions& options, MjcfRefusals& refusals)
    : file_(file),
      options_(options),
      refusals_(refusals),
      compiler_(file.compiler, refusals),
      bodies_(collect_bodies(file, compiler_, options.limits, refusals)),
      m_(plain_name(file.model)),
      graph_(*m_.graph),
      body_names_({m_.ground}) {
  m_.where = file.where;
}

Mechanism MjcfBuilder::build() {
  if (bodies_.size() < 2) throw ModelError(file_.where, "the model has no bodies besides the world");
  set_gravity();
  name_bodies();
  for (std::size_t i = 1; i < bodies_.size(); ++i) add_body(i);
  for (std::size_t i = 0; i < bodies_.size(); ++i) add_sites(i);
  if (options_.geometry) add_ground_shapes();
  find_spring_dampers();
  for (std::size_t i = 1; i < bodies_.size(); ++i) add_joints(i);
  weigh_axes();
  if (enabled("actuation") && options_.actuators) add_actuators();
  add_tendon_forces();
  add_fluid();
  finish_laws();
  if (enabled("equality") && enabled("constraint")) add_equalities();
  if (options_.contacts && enabled("contact") && enabled("constraint")) add_contacts();
  use_keyframe();
  if (options_.within_ranges) begin_within_ranges();
  add_notes();
  m_.description = fmt::format("'{}', imported from MJCF", shown(file_.model));
  m_.notes = std::move(refusals_.notes());
  (void)check_mechanism(m_);
  return std::move(m_);
}

Mechanism read_mjcf_text(std::string_view text, const std::string& file_name, const MjcfOptions& options) {
  MjcfRefusals refusals(options.lenient);
  MjcfFile file = read_mjcf_tree(text, file_name, false, options.limits, refusals);
  expand_replicates(file, options.limits);
  return MjcfBuilder(file, options, refusals).build();
}

Mechanism read_mjcf(const std::filesystem::path& path, const MjcfOptions& options) {
  MjcfRefusals refusals(options.lenient);
  const std::string text = read_file_bytes(path, path.string(), options.limits.max_bytes);
  MjcfFile file = read_mjcf_tree(text, path, true, options.limits, refusals);
  expand_replicates(file, options.limits);
  return MjcfBuilder(file, options, refusals).build();
}

}  // namespace kane
