#pragma once
// A model file with all includes and repetitions expanded: one node per section.
//
// `include` names files inside the folder of the file itself (no absolute paths, no "..", no links that lead
// outside). Its sections are treated as if they were written there; if a file and one it includes both give a
// parameter, an input, an initial value or a setting of the simulation, the including file takes precedence.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

struct ModelDocument {
  YamlPool pool;
  YamlPlace place;  ///< beginning of the file
  std::map<std::string, YamlNode, std::less<>> sections;

  /// Null if there is no such section.
  [[nodiscard]] const YamlNode* find(std::string_view section) const;
};

/// All keys at the top of a model file.
[[nodiscard]] const std::vector<std::string>& section_names();
/// The sections that `repeat` may contain.
[[nodiscard]] const std::vector<std::string>& repeated_sections();

/// Reads a file. Throws ModelError, or LimitError if a limit is exceeded.
void load_document(const std::filesystem::path& file, ModelDocument& document);
/// Reads a text that does not come from a file and therefore cannot include any.
void load_document_text(std::string_view text, const std::string& name, ModelDocument& document);

/// The bytes of a regular file of at most `max_bytes`. Throws ModelError; messages call the file `name`.
[[nodiscard]] std::string read_file_bytes(const std::filesystem::path& file, const std::string& name,
                                          std::size_t max_bytes);

/// The canonical path of `name`, as written in a file in `folder`. Throws ModelError at `place` if it is absolute,
/// leads outside the folder, or is not a regular file.
[[nodiscard]] std::filesystem::path path_beneath(const std::filesystem::path& folder, const std::string& name,
                                                 const YamlPlace& place);

}  // namespace kane
