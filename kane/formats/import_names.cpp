#include "kane/formats/import_names.hpp"

#include <fmt/format.h>

#include <cctype>

#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (plain.empty() || std::isalpha(static_cast<unsigned char>(plain.front())) == 0) plain.insert(0, "r_");
  return plain;
}

std::string ImportNames::add(const std::string& name, std::string_view what, std::vector<std::string>* notes) {
  const std::string base = plain_name(name);
  std::string unique = base;
  int& number = next_.try_emplace(base, 2).first->second;
  while (!used_.insert(unique).second) unique = fmt::format("{}_{}", base, number++);
  if (unique != name && notes != nullptr)
    notes->push_back(fmt::format("the {} '{}' is called '{}' here", what, shown(name), unique));
  return unique;
}

}  // namespace kane
