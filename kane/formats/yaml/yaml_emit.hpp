#pragma once
// Writes a tree of nodes as YAML text: maps and lists on one line if they fit, otherwise in blocks. parse_yaml()
// returns the same tree.

#include <string>
#include <utility>

#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

[[nodiscard]] std::string emit_yaml(const YamlNode& root);

// ---- building ---------------------------------------------------------------------------------------------------------
[[nodiscard]] YamlNode yaml_scalar(std::string text);
[[nodiscard]] YamlNode yaml_list(std::vector<YamlNode> items = {});
[[nodiscard]] YamlNode yaml_map();
/// Appends an entry to a map.
void add_entry(YamlNode& map, std::string key, YamlNode value);
void add_entry(YamlNode& map, std::string key, std::string text);

}  // namespace kane
