#include "kane/formats/yaml/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "kane/formats/text_check.hpp"

namespace kane {

Where YamlPlace::where() const { return {file != nullptr ? *file : std::string(), line, column}; }

void fail_at(const YamlPlace& place, const std::string& message) {
  throw ModelError(place.where(), place.note != nullptr ? message + " (repeated with " + *place.note + ")" : message);
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t length = std::min(text.size(), kLongest);
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  std::string result(text.substr(0, length));
  for (char& c : result)
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
  return length < text.size() ? result + "..." : result;
}

std::string YamlNode::describe() const {
  switch (kind) {
    case Kind::Null: return "nothing";
    case Kind::Scalar: return fmt::format("'{}'", shown(text));
    case Kind::List: return fmt::format("a list of {}", items.size());
    case Kind::Map: break;
  }
  return "a map";
}

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const auto& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::size_t YamlNode::count() const {
  constexpr std::size_t kTextOfOneValue = 64;  // bytes; longer texts count as several values
  std::size_t n = 1 + text.size() / kTextOfOneValue;
  for (const auto& item : items) n += item.count();
  for (const auto& entry : entries) n += entry.key.size() / kTextOfOneValue + entry.value.count();
  return n;
}

void check_unique_keys(const YamlNode& map) {
  std::unordered_map<std::string_view, const YamlEntry*> seen;
  for (const auto& entry : map.entries) {
    const auto [first, is_new] = seen.emplace(entry.key, &entry);
    if (!is_new)
      fail_at(entry.key_place, fmt::format("the key '{}' is given twice (first in line {})", shown(entry.key),
                                           first->second->key_place.line));
  }
}

const std::string* YamlPool::keep(std::string text) { return &texts_.emplace_back(std::move(text)); }

void YamlPool::use_nodes(std::size_t count, const YamlPlace& place) {
  nodes_ += count;
  if (nodes_ > limits_.max_nodes)
    throw LimitError(place.where(),
                     fmt::format("the model has more than {} values, with aliases, includes and repetitions "
                                 "expanded; this is the limit max_nodes",
                                 limits_.max_nodes));
}

void YamlPool::use_bytes(std::size_t count, const std::string& file) {
  bytes_ += count;
  if (bytes_ > limits_.max_bytes)
    throw LimitError({file}, fmt::format("the files of the model exceed {} bytes in total; this is the limit "
                                         "max_bytes",
                                         limits_.max_bytes));
}

void YamlPool::use_file(const YamlPlace& place) {
  if (++files_ > limits_.max_files)
    throw LimitError(place.where(), fmt::format("the model includes more than {} files; this is the limit max_files",
                                                limits_.max_files));
}

namespace {

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string* file, YamlPool& pool) : file_(file), pool_(pool) {}

  [[nodiscard]] YamlNode take() { return std::move(root_); }
  /// Beginning of the innermost list or map that has not ended yet; null if there is none.
  [[nodiscard]] const YamlNode* innermost_open() const { return open_.empty() ? nullptr : &open_.back().node; }
  /// Beginning of the last text in quotation marks.
  [[nodiscard]] const YamlPlace& last_quoted() const { return last_quoted_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node;
    node.place = place(mark);
    complete(std::move(node), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node;
    node.kind = YamlNode::Kind::Scalar;
    node.quoted = tag == "!";
    node.text = value;
    node.place = place(mark);
    if (node.quoted) last_quoted_ = node.place;
    complete(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) fail_at(place(mark), "the alias is inside the node that it refers to");
    pool_.use_nodes(known->second.size, place(mark));
    complete(known->second.node, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::List, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::Map, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override {
    merge(open_.back().node);
    check_unique_keys(open_.back().node);
    close();
  }

 private:
  struct OpenNode {
    YamlNode node;
    YAML::anchor_t anchor;
    std::optional<YamlNode> key;
  };
  struct Anchored {
    YamlNode node;
    std::size_t size;
  };

  [[nodiscard]] YamlPlace place(const YAML::Mark& mark) const {
    return {file_, nullptr, mark.line + 1, mark.column + 1};
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    OpenNode node;
    node.node.kind = kind;
    node.node.place = place(mark);
    node.anchor = anchor;
    if (static_cast<int>(open_.size()) >= pool_.limits().max_depth)
      throw LimitError(node.node.where(), fmt::format("the file is nested deeper than {} levels; this is the limit "
                                                      "max_depth",
                                                      pool_.limits().max_depth));
    open_.push_back(std::move(node));
  }

  void close() {
    OpenNode done = std::move(open_.back());
    open_.pop_back();
    complete(std::move(done.node), done.anchor);
  }

  void complete(YamlNode node, YAML::anchor_t anchor) {
    pool_.use_nodes(1, node.place);
    if (anchor != 0) {
      const std::size_t size = node.count();
      pool_.use_nodes(size, node.place);
      anchors_[anchor] = {node, size};
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.is_list()) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      if (!node.is_scalar()) node.fail(fmt::format("a key must be a word, but {} is given", node.describe()));
      if (!node.quoted &&
          std::count(node.text.begin(), node.text.end(), ')') > std::count(node.text.begin(), node.text.end(), '('))
        node.fail(fmt::format("a comma ends the value before '{}'; quote an expression that contains a comma",
                              shown(node.text)));
      parent.key = std::move(node);
    } else {
      parent.node.entries.push_back({parent.key->text, parent.key->place, std::move(node)});
      parent.key.reset();
    }
  }

  /// "<<: *base" adds those entries of `base` that are not given.
  static void merge(YamlNode& map) {
    std::vector<YamlEntry> merged;
    for (auto it = map.entries.begin(); it != map.entries.end();) {
      if (it->key != "<<") {
        ++it;
        continue;
      }
      std::vector<YamlNode> sources;
      if (it->value.is_list())
        sources = std::move(it->value.items);
      else
        sources.push_back(std::move(it->value));
      for (auto& source : sources) {
        if (!source.is_map()) fail_at(it->key_place, "'<<' takes an alias of a map");
        for (auto& entry : source.entries) merged.push_back(std::move(entry));
      }
      it = map.entries.erase(it);
    }
    std::unordered_map<std::string, bool> given;
    if (!merged.empty())
      for (const auto& entry : map.entries) given[entry.key] = true;
    for (auto& entry : merged)
      if (given.emplace(entry.key, true).second) map.entries.push_back(std::move(entry));
  }

  const std::string* file_;
  YamlPool& pool_;
  std::vector<OpenNode> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  YamlPlace last_quoted_;
  YamlNode root_;
};

/// yaml-cpp accepts the end of the file as the end of a quotation.
void check_quotation_ends(std::string_view text, const YamlPlace& last) {
  if (last.line == 0) return;
  std::size_t start = 0;
  for (int line = 1; line < last.line; ++line) start = text.find('\n', start) + 1;
  start += static_cast<std::size_t>(last.column) - 1;
  if (last.line == 1 && text.starts_with("\xEF\xBB\xBF")) start += 3;
  if (start >= text.size() || (text[start] != '"' && text[start] != '\'')) return;  // a block of text
  const char quote = text[start];
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == quote && quote == '\'' && i + 1 < text.size() && text[i + 1] == quote)
      ++i;
    else if (text[i] == quote)
      return;
    else if (text[i] == '\\' && quote == '"')
      ++i;
  }
  fail_at(last, "this is not valid YAML: the quotation that begins here has no end");
}

}  // namespace

YamlNode parse_yaml(std::string_view text, const std::string& file, YamlPool& pool) {
  pool.use_bytes(text.size(), file);
  check_text(text, file);
  const std::string* name = pool.keep(file);
  TreeBuilder builder(name, pool);
  TreeBuilder second(name, pool);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder) && parser.HandleNextDocument(second)) {
      const YamlNode next = second.take();
      if (!next.is_null()) next.fail("a model file contains one document, but a second one begins here");
    }
    check_quotation_ends(text, builder.last_quoted());
  } catch (const YAML::Exception& error) {
    const YamlNode* open = builder.innermost_open();
    if (open != nullptr &&
        (error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW || error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW))
      open->fail(
          fmt::format("this is not valid YAML: the '{}' that begins here is not closed", open->is_map() ? '{' : '['));
    Where place{file, error.mark.line + 1, error.mark.column + 1};
    if (error.mark.is_null()) place = {file};
    throw ModelError(place, "this is not valid YAML: " + error.msg);
  }
  return builder.take();
}

}  // namespace kane
