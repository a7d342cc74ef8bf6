#include "kane/mechanism/part_place.hpp"

#include <cctype>

namespace kane {

namespace {

/// Whether "constraint NAME" or the like stands in the sentence, NAME being a whole word (rows add ".x" to it).
bool speaks_of(std::string_view sentence, std::string_view kind, const std::string& name) {
  const std::string words = fmt::format("{} {}", kind, name);
  for (std::size_t i = sentence.find(words); i != std::string_view::npos; i = sentence.find(words, i + 1)) {
    const std::size_t end = i + words.size();
    if (end == sentence.size()) return true;
    const auto next = static_cast<unsigned char>(sentence[end]);
    if (std::isalnum(next) == 0 && next != '_') return true;
  }
  return false;
}

Where constraint_place(const Constraint& constraint) {
  const auto* rows = std::get_if<ExpressionConstraint>(&constraint.what);
  if (rows != nullptr && rows->configuration.size() + rows->motion.size() == 1)
    return (rows->motion.empty() ? rows->configuration : rows->motion).front().where;
  return constraint.where;
}

}  // namespace

Where part_place(const Mechanism& mechanism, std::string_view sentence) {
  for (const Constraint& c : mechanism.constraints)
    if (speaks_of(sentence, "constraint", c.name)) return constraint_place(c);
  for (const NamedQuantity& u : mechanism.speeds)
    if (speaks_of(sentence, "speed", u.name) || speaks_of(sentence, "speeds", u.name)) return u.value.where;
  return mechanism.where;
}

}  // namespace kane
