#pragma once
// Parses YAML text into a tree of nodes with their places. Built from the events of yaml-cpp, so that every limit is enforced
// while the text is read: size, nodes (including copies made by aliases), nesting. Keys are checked to be
// words that do not repeat; their meaning is left to the readers.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

struct YamlLimits {
  std::size_t max_bytes = 16U << 20U;  ///< total size of all files of a model
  std::size_t max_nodes = 400'000;     ///< nodes of the tree, after expanding aliases, includes and repetitions
  int max_depth = 48;                  ///< levels of nesting
  int max_files = 64;                  ///< files of a model, including the included ones
  int max_include_depth = 8;
};

/// File, line and column of a node; for a node created by a repetition, also which one.
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
  std::string text;                ///< text of a Scalar
  std::vector<YamlNode> items;     ///< items of a List
  std::vector<YamlEntry> entries;  ///< entries of a Map, in the order of the file
  YamlPlace place;

  [[nodiscard]] bool is_null() const { return kind == Kind::Null; }
  [[nodiscard]] bool is_scalar() const { return kind == Kind::Scalar; }
  [[nodiscard]] bool is_list() const { return kind == Kind::List; }
  [[nodiscard]] bool is_map() const { return kind == Kind::Map; }
  [[nodiscard]] Where where() const { return place.where(); }
  /// "a list", "the text 'abc'", ... for messages.
  [[nodiscard]] std::string describe() const;
  /// The entry of a map with this key; null if there is none.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  /// Number of nodes in the subtree, including this one; a long text counts as several.
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

/// Shared by the trees of one model: the texts that places refer to, and how much of the limits is used.
class YamlPool {
 public:
  explicit YamlPool(const YamlLimits& limits = {}) : limits_(limits) {}

  [[nodiscard]] const YamlLimits& limits() const { return limits_; }
  const std::string* keep(std::string text);
  /// Throws LimitError if the limit is exceeded.
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

/// Text for a message: truncated if long, control characters shown as '?'.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace kane
