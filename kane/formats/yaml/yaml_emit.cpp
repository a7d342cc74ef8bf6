#include "kane/formats/yaml/yaml_emit.hpp"

#include <cctype>

namespace kane {

namespace {

constexpr std::size_t kLineLength = 110;

/// Whether a text needs no quotation marks, even inside braces.
bool is_plain(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return false;
  if (text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (std::string_view("?:,[]{}#&*!|>'\"%@`=<").find(text.front()) != std::string_view::npos) return false;
  if (text.front() == '-' && (text.size() == 1 || text[1] == ' ' || text[1] == '-')) return false;
  if (text.find_first_of(",[]{}#:\"\\") != std::string_view::npos) return false;
  for (const char c : text)
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) return false;
  return true;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\n')
      result += "\\n";
    else if (std::iscntrl(static_cast<unsigned char>(c)) != 0)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + "\"";
}

std::string word(std::string_view text) { return is_plain(text) ? std::string(text) : quoted(text); }

std::string one_line(const YamlNode& node) {
  std::string result;
  switch (node.kind) {
    case YamlNode::Kind::Null: return "~";
    case YamlNode::Kind::Scalar: return word(node.text);
    case YamlNode::Kind::List:
      for (const auto& item : node.items) result += (result.empty() ? "" : ", ") + one_line(item);
      return "[" + result + "]";
    case YamlNode::Kind::Map: break;
  }
  for (const auto& entry : node.entries)
    result += (result.empty() ? "" : ", ") + word(entry.key) + ": " + one_line(entry.value);
  return "{" + result + "}";
}

void emit_block(const YamlNode& node, std::size_t indent, std::string& out);

/// The value after "key:" or "-".
void emit_value(const YamlNode& value, std::size_t indent, std::size_t used, std::string& out) {
  const std::string line = one_line(value);
  const bool empty = value.items.empty() && value.entries.empty();
  if (empty || used + line.size() + 1 <= kLineLength) {
    out += " " + line + "\n";
    return;
  }
  out += "\n";
  emit_block(value, indent + 2, out);
}

void emit_block(const YamlNode& node, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  for (const auto& entry : node.entries) {
    const std::string key = word(entry.key) + ":";
    out += margin + key;
    // Sections are written as blocks, their entries on separate lines.
    const bool section = indent == 0 && entry.value.is_map() && entry.value.entries.size() > 1 &&
                         !entry.value.entries.front().value.is_scalar();
    if (section) {
      out += "\n";
      emit_block(entry.value, indent + 2, out);
    } else {
      emit_value(entry.value, indent, indent + key.size(), out);
    }
  }
  for (const auto& item : node.items) {
    const std::string line = one_line(item);
    if (item.entries.empty() || indent + line.size() + 2 <= kLineLength) {
      out += margin + "-";
      emit_value(item, indent, indent + 1, out);
      continue;
    }
    // The first key follows the dash on the same line.
    std::string block;
    emit_block(item, indent + 2, block);
    block[indent] = '-';
    out += block;
  }
}

}  // namespace

std::string emit_yaml(const YamlNode& root) {
  std::string out;
  emit_block(root, 0, out);
  return out;
}

YamlNode yaml_scalar(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::Scalar;
  node.text = std::move(text);
  return node;
}

YamlNode yaml_list(std::vector<YamlNode> items) {
  YamlNode node;
  node.kind = YamlNode::Kind::List;
  node.items = std::move(items);
  return node;
}

YamlNode yaml_map() {
  YamlNode node;
  node.kind = YamlNode::Kind::Map;
  return node;
}

void add_entry(YamlNode& map, std::string key, YamlNode value) {
  map.entries.push_back({std::move(key), {}, std::move(value)});
}

void add_entry(YamlNode& map, std::string key, std::string text) {
  add_entry(map, std::move(key), yaml_scalar(std::move(text)));
}

}  // namespace kane
