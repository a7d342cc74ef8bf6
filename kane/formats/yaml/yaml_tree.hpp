#pragma once
// YAML text to a tree of nodes that know their places. Built from the events of yaml-cpp, so that every limit holds
// while the text is being read: size, nodes (copies made by aliases included), nesting. Keys are checked here to be
// words that do not repeat; what they mean is for others.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

struct YamlLimits {
  std::size_t max_bytes = 16U << 20U;  ///< of all files of a model together
  std::size_t max_nodes = 400'000;     ///< of the tree, after aliases, includes and repetitions
  int max_depth = 48;                  ///< of nesting
  int max_files = 64;                  ///< of a model, includes counted
  int max_include_depth = 8;
};

/// File, line and column of a node; for a node made by a repetition, also which one.
struct YamlPlace {
  const std::string* file = nullptr;
  const std::string* note = nullptr;  ///< e.g. "i = 3"
  int line = 0;
  int column = 0;

  [[nodiscard]] Where where() const;
};

/// Throws ModelError at the place.
[[noreturn]] void fail_at(const YamlPlace& place, const std::string& message);

struct YamlEntry;

struct YamlNode {
  enum class Kind : std::uint8_t { Null, Scalar, List, Map };

  Kind kind = Kind::Null;
  bool quoted = false;             ///< a Scalar in quotation marks, or a block of text
  std::string text;                ///< of a Scalar
  std::vector<YamlNode> items;     ///< of a List
  std::vector<YamlEntry> entries;  ///< of a Map, in the order of the file
  YamlPlace place;

  [[nodiscard]] bool is_null() const { return kind == Kind::Null; }
  [[nodiscard]] bool is_scalar() const { return kind == Kind::Scalar; }
  [[nodiscard]] bool is_list() const { return kind == Kind::List; }
  [[nodiscard]] bool is_map() const { return kind == Kind::Map; }
  [[nodiscard]] Where where() const { return place.where(); }
  /// "a list", "the text 'abc'", ... for messages.
  [[nodiscard]] std::string describe() const;
  /// Entry of a map by its key; null if there is none.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  /// Nodes of the whole subtree, this one included; a long text counts as several.
  [[nodiscard]] std::size_t count() const;
  [[noreturn]] void fail(const std::string& message) const { fail_at(place, message); }
};

struct YamlEntry {
  std::string key;
  YamlPlace key_place;
  YamlNode value;
};

/// Throws ModelError if a key of a map repeats.
void check_unique_keys(const YamlNode& map);

/// What the trees of one model share: the texts that places point to, and how much of the limits is used up.
class YamlPool {
 public:
  explicit YamlPool(const YamlLimits& limits = {}) : limits_(limits) {}

  [[nodiscard]] const YamlLimits& limits() const { return limits_; }
  const std::string* keep(std::string text);
  /// Throws LimitError past the limit.
  void use_nodes(std::size_t count, const YamlPlace& place);
  void use_bytes(std::size_t count, const std::string& file);
  void use_file(const YamlPlace& place);

 private:
  YamlLimits limits_;
  std::deque<std::string> texts_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  int files_ = 0;
};

/// Throws ModelError if the text is not one YAML document in UTF-8. An empty document is a Null node.
[[nodiscard]] YamlNode parse_yaml(std::string_view text, const std::string& file, YamlPool& pool);

/// Text for a message: cut if long, control characters shown as '?'.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace kane
