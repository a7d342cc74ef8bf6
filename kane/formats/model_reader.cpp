#include "kane/formats/model_reader.hpp"

#include "kane/formats/yaml/yaml_document.hpp"

namespace kane {

ModelFormat model_format(const std::filesystem::path& file, std::string_view text) {
  const std::string extension = file.extension().string();
  for (const char* yaml : {".yaml", ".yml", ".kane"})
    if (extension == yaml) return ModelFormat::Yaml;
  for (const char* urdf : {".urdf", ".xml"})
    if (extension == urdf) return ModelFormat::Urdf;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<' ? ModelFormat::Urdf : ModelFormat::Yaml;
}

Model read_model(const std::filesystem::path& file, const ModelOptions& options, const ReadOptions& reading) {
  return Model(read_mechanism(file, reading), options);
}

Model read_model_text(std::string_view text, const std::string& name, const ModelOptions& options,
                      const ReadOptions& reading) {
  return Model(read_mechanism_text(text, name, reading), options);
}

Mechanism read_mechanism(const std::filesystem::path& file, const ReadOptions& options) {
  const std::string text = read_file_bytes(file, file.string(), options.yaml.max_bytes);
  if (model_format(file, text) == ModelFormat::Urdf) return read_urdf_text(text, file.string(), options.urdf);
  return read_yaml_model(file, options.yaml);
}

Mechanism read_mechanism_text(std::string_view text, const std::string& name, const ReadOptions& options) {
  if (model_format(name, text) == ModelFormat::Urdf) return read_urdf_text(text, name, options.urdf);
  return read_yaml_text(text, name, options.yaml);
}

}  // namespace kane
