#include "kane/mechanism/text_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace kane {

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '_' || c == '\'' || byte >= 0x80) {
      word += c;
    } else if (!word.empty()) {
      if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) words.push_back(word);
      word.clear();
    }
  }
  return words;
}

/// Every text of the mechanism that gives a force, with its place.
std::vector<Quantity> force_texts(const Mechanism& mechanism) {
  std::vector<Quantity> all;
  const auto add = [&](const Quantity& q, const Where& where) {
    if (!q.empty()) all.emplace_back(q.text, q.where.line > 0 ? q.where : where);
  };
  for (const Load& load : mechanism.loads) {
    if (const auto* force = std::get_if<ForceLoad>(&load.what)) add(force->force, load.where);
    if (const auto* torque = std::get_if<TorqueLoad>(&load.what)) add(torque->torque, load.where);
    if (const auto* spring = std::get_if<SpringLoad>(&load.what)) add(spring->law, load.where);
    if (const auto* joint = std::get_if<JointLoad>(&load.what)) add(joint->law.law, load.where);
  }
  for (const Joint& joint : mechanism.joints)
    for (const auto& motion : joint.motions) add(motion.law.law, joint.where);
  for (const NamedQuantity& law : mechanism.input_laws) add(law.value, {});
  for (const StateQuantity& state : mechanism.states) add(state.rate, {});
  return all;
}

}  // namespace

std::string find_text_places(const Mechanism& mechanism, const std::string& part) {
  const std::vector<std::string> words = words_of(part);
  const bool comparison = part.find_first_of("<>=") != std::string::npos;
  std::vector<Quantity> found = force_texts(mechanism);
  std::erase_if(found, [&](const Quantity& q) {
    if (comparison) return q.text.find_first_of("<>=") == std::string::npos;
    return words.empty() || q.text.find(words.front() + "(") == std::string::npos;
  });
  const auto has_names = [&](const Quantity& q) {
    const auto own = words_of(q.text);
    return std::any_of(words.begin() + (comparison || words.empty() ? 0 : 1), words.end(),
                       [&](const std::string& word) { return std::find(own.begin(), own.end(), word) != own.end(); });
  };
  if (std::any_of(found.begin(), found.end(), has_names))
    std::erase_if(found, [&](const Quantity& q) { return !has_names(q); });
  constexpr std::size_t kMost = 3;
  std::string places;
  for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i)
    if (const std::string place = found[i].where.to_string(); !place.empty())
      places += fmt::format("{}{}", places.empty() ? "" : ", ", place);
  return places;
}

}  // namespace kane
