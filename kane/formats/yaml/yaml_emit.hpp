#pragma once
// A tree of nodes to YAML text: groups and lists on one line where they fit, in blocks where they do not. parse_yaml()
// gives the same tree back.

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
