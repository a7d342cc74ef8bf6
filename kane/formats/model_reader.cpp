#include "kane/formats/model_reader.hpp"

#include "kane/formats/autolev/script_mechanism.hpp"
#include "kane/formats/dxf/dxf_reader.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"

namespace kane {

namespace {

/// Name of the first element of an XML text: comments and declarations before it are skipped.
std::string_view root_element(std::string_view text) {
  for (std::size_t i = text.find('<'); i != std::string_view::npos; i = text.find('<', i + 1)) {
    if (text.substr(i).starts_with("<!--")) {
      i = text.find("-->", i);
      if (i == std::string_view::npos) break;
    } else if (i + 1 < text.size() && text[i + 1] != '?' && text[i + 1] != '!') {
      const std::size_t end = text.find_first_of(" \t\r\n/>", i);
      return text.substr(i + 1, end == std::string_view::npos ? end : end - i - 1);
    }
  }
  return {};
}

/// Options that belong to one format are not ignored for another.
void check_reading(ModelFormat format, const std::string& name, const ReadOptions& options) {
  require(options.mjcf.keyframe.empty() || format == ModelFormat::Mjcf,
          "a keyframe ('{}') is requested, but '{}' is not an MJCF file", options.mjcf.keyframe, name);
  require(!options.mjcf.contacts || format == ModelFormat::Mjcf,
          "the contacts of an MJCF file are requested, but '{}' is not one", name);
  require(!options.urdf.floating_base || format == ModelFormat::Urdf,
          "a floating base is requested, but '{}' is not a URDF file", name);
  require(!options.urdf.repair_inertia || format == ModelFormat::Urdf,
          "inertias are to be repaired, but '{}' is not a URDF file", name);
}

}  // namespace

ModelFormat model_format(const std::filesystem::path& file, std::string_view text) {
  const std::string extension = file.extension().string();
  for (const char* yaml : {".yaml", ".yml", ".kane"})
    if (extension == yaml) return ModelFormat::Yaml;
  if (extension == ".urdf") return ModelFormat::Urdf;
  if (extension == ".mjcf") return ModelFormat::Mjcf;
  if (extension == ".sd") return ModelFormat::Sdfast;
  if (extension == ".txt") return ModelFormat::FortyTwo;
  if (extension == ".dxf" || extension == ".DXF") return ModelFormat::Dxf;
  if (extension == ".al" || extension == ".AL") return ModelFormat::Autolev;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text.substr(first).starts_with("<<")) return ModelFormat::FortyTwo;
  const bool xml = extension == ".xml" || (first != std::string_view::npos && text[first] == '<');
  if (!xml) return ModelFormat::Yaml;
  return root_element(text) == "mujoco" ? ModelFormat::Mjcf : ModelFormat::Urdf;
}

Model read_model(const std::filesystem::path& file, const ModelOptions& options, const ReadOptions& reading) {
  return Model(read_mechanism(file, reading), options);
}

Model read_model_text(std::string_view text, const std::string& name, const ModelOptions& options,
                      const ReadOptions& reading) {
  return Model(read_mechanism_text(text, name, reading), options);
}

namespace {

ReadOptions leniency_spread(ReadOptions options) {
  options.mjcf.lenient = options.mjcf.lenient || options.lenient;
  options.fortytwo.lenient = options.fortytwo.lenient || options.lenient;
  return options;
}

/// In the other formats everything is read or refused.
Mechanism with_leniency_told(Mechanism mechanism, ModelFormat format, const ReadOptions& options) {
  if (options.lenient && format != ModelFormat::Mjcf && format != ModelFormat::FortyTwo)
    mechanism.notes.emplace_back("--lenient has no effect: only files of MuJoCo and 42 have parts that it leaves out");
  return mechanism;
}

/// Elements of the same name have the places of the file that they come from.
template <class Elements>
void copy_places(const Elements& from, Elements& to) {
  for (std::size_t i = 0; i < from.size() && i < to.size(); ++i)
    if (from[i].name == to[i].name) to[i].where = from[i].where;
}

/// The model as `kane import` writes it, read again. A sum is evaluated in the order in which its terms first appeared, which
/// is another one in some readers; so that a model and its imported file agree to the last bit, both take the same way. (The
/// readers of robots and of SD/FAST write terms in the order of YAML: they need not.)
Mechanism as_imported(Mechanism mechanism, ModelFormat format, const std::string& name, const ReadOptions& options) {
  if (format != ModelFormat::Autolev && format != ModelFormat::Mjcf) return mechanism;
  try {
    Mechanism again = read_yaml_text(write_yaml(mechanism), name + " (imported)", options.yaml);
    again.notes = mechanism.notes;
    again.where = mechanism.where;
    copy_places(mechanism.bodies, again.bodies);
    copy_places(mechanism.particles, again.particles);
    copy_places(mechanism.points, again.points);
    copy_places(mechanism.frames, again.frames);
    copy_places(mechanism.joints, again.joints);
    copy_places(mechanism.loads, again.loads);
    copy_places(mechanism.constraints, again.constraints);
    return again;
  } catch (const ModelError&) {
    // The command that needs what the mechanism lacks says so, with its place in the file that the user has.
    return mechanism;
  }
}

Mechanism read_mechanism_as(ModelFormat format, const std::filesystem::path& file, const std::string& text,
                            const ReadOptions& options);
Mechanism read_mechanism_text_as(ModelFormat format, std::string_view text, const std::string& name,
                                 const ReadOptions& options);

}  // namespace

Mechanism read_mechanism(const std::filesystem::path& file, const ReadOptions& options) {
  const std::string text = read_file_bytes(file, file.string(), options.yaml.max_bytes);
  const ModelFormat format = model_format(file, text);
  check_reading(format, file.string(), options);
  Mechanism mechanism = read_mechanism_as(format, file, text, leniency_spread(options));
  mechanism = as_imported(std::move(mechanism), format, file.string(), options);
  return with_leniency_told(std::move(mechanism), format, options);
}

Mechanism read_mechanism_text(std::string_view text, const std::string& name, const ReadOptions& options) {
  const ModelFormat format = model_format(name, text);
  check_reading(format, name, options);
  Mechanism mechanism = read_mechanism_text_as(format, text, name, leniency_spread(options));
  mechanism = as_imported(std::move(mechanism), format, name, options);
  return with_leniency_told(std::move(mechanism), format, options);
}

namespace {

Mechanism read_mechanism_as(ModelFormat format, const std::filesystem::path& file, const std::string& text,
                            const ReadOptions& options) {
  switch (format) {
    case ModelFormat::Urdf: return read_urdf_text(text, file.string(), options.urdf);
    case ModelFormat::Mjcf: return read_mjcf(file, options.mjcf);
    case ModelFormat::Sdfast: return read_sdfast_text(text, file.string(), options.sdfast);
    case ModelFormat::Autolev: return autolev::read_script_model(file);
    case ModelFormat::FortyTwo: return read_fortytwo(file, options.fortytwo);
    case ModelFormat::Dxf: return read_dxf_text(text, file.string());
    case ModelFormat::Yaml: break;
  }
  return read_yaml_model(file, options.yaml);
}

Mechanism read_mechanism_text_as(ModelFormat format, std::string_view text, const std::string& name,
                                 const ReadOptions& options) {
  switch (format) {
    case ModelFormat::Urdf: return read_urdf_text(text, name, options.urdf);
    case ModelFormat::Mjcf: return read_mjcf_text(text, name, options.mjcf);
    case ModelFormat::Sdfast: return read_sdfast_text(text, name, options.sdfast);
    case ModelFormat::Autolev: return autolev::read_script_model_text(text, name);
    case ModelFormat::FortyTwo: return read_fortytwo_text(text, name, options.fortytwo);
    case ModelFormat::Dxf: return read_dxf_text(text, name);
    case ModelFormat::Yaml: break;
  }
  return read_yaml_text(text, name, options.yaml);
}

}  // namespace

}  // namespace kane
