#include "kane/codegen/emit/emit_text.hpp"

namespace kane {

namespace {

template <class Visitor>
void for_each_line(std::string_view text, Visitor visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

void SourceText::put(std::string_view line, std::size_t depth) {
  if (!line.empty())
    for (std::size_t i = 0; i < depth; ++i) text_ += dialect_.indent;
  text_ += line;
  text_ += '\n';
}

void SourceText::raw(std::string_view line) {
  // Lines are broken at spaces. A language without a continuation mark has no limit worth minding.
  std::size_t depth = depth_;
  while (!dialect_.continuation.empty()) {
    const std::size_t used = depth * dialect_.indent.size() + dialect_.continuation.size();
    if (used + line.size() <= dialect_.width) break;
    std::size_t cut = line.rfind(' ', dialect_.width - used);
    if (cut == std::string_view::npos || cut == 0) cut = line.find(' ', dialect_.width - used);
    if (cut == std::string_view::npos) break;
    put(std::string(line.substr(0, cut)) + std::string(dialect_.continuation), depth);
    line.remove_prefix(cut + 1);
    depth = depth_ + 2;
  }
  put(line, depth);
}

void SourceText::comment(std::string_view text) {
  const std::size_t room = dialect_.width - dialect_.comment.size() - 4;
  while (text.size() > room) {
    std::size_t cut = text.rfind(' ', room);
    if (cut == std::string_view::npos || cut == 0) cut = room;
    put(fmt::format("{} {}", dialect_.comment, text.substr(0, cut)), depth_);
    text.remove_prefix(text[cut] == ' ' ? cut + 1 : cut);
  }
  put(text.empty() ? std::string(dialect_.comment) : fmt::format("{} {}", dialect_.comment, text), depth_);
}

void SourceText::comment_list(std::string_view head, const std::vector<std::string>& items) {
  std::string text(head);
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? " " : ", ") + items[i];
  if (items.empty()) text += " none";
  comment(text);
}

void SourceText::lines(std::string_view text) {
  for_each_line(text, [&](std::string_view line) { raw(line); });
}

void SourceText::block(std::string_view text) {
  for_each_line(text, [&](std::string_view line) { put(line, depth_); });
}

}  // namespace kane
