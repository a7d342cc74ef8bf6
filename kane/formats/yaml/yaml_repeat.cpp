#include "kane/formats/yaml/yaml_repeat.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/infix.hpp"
#include "kane/formats/yaml/model_context.hpp"

namespace kane {

namespace {

/// Keeps integers in `from`, `to` and braces far from the limits of long.
constexpr long kLargestIndex = 1'000'000'000;

using Texts = std::map<std::string, std::string, std::less<>>;
using Numbers = std::map<std::string, long, std::less<>>;

/// Integer arithmetic with indices, for the grammar of infix.hpp.
struct WholeNumbers {
  using Value = long;
  using Operand = InfixOperand<long>;

  const Numbers& numbers;
  const Texts& texts;

  static long checked(const Rational& value) {
    require(value.is_whole() && abs(value) <= kLargestIndex, "{} is not an integer up to {}", shown(to_text(value)),
            kLargestIndex);
    return value.small_num();
  }
  [[nodiscard]] static long number(const Rational& value) { return checked(value); }
  [[nodiscard]] long name(std::string_view name) const {
    if (const auto known = numbers.find(name); known != numbers.end()) return known->second;
    std::vector<std::string> names;
    for (const auto& [key, value] : numbers) names.push_back(key);
    for (const auto& [key, value] : texts) names.push_back(key);
    throw ModelError(fmt::format("'{}' is not an index of this repetition{}", shown(name), suggestion(name, names)));
  }
  [[nodiscard]] static long call(std::string_view function, std::span<const Operand>) {
    throw ModelError(
        fmt::format("'{}' cannot be called here; braces contain integers and indices only", shown(function)));
  }
  [[nodiscard]] static long unary(std::string_view sign, const Operand& x) { return sign == "-" ? -x.value : x.value; }
  [[nodiscard]] static long binary(std::string_view sign, const Operand& a, const Operand& b) {
    const Rational x(a.value), y(b.value);
    if (sign == "+") return checked(x + y);
    if (sign == "-") return checked(x - y);
    if (sign == "*") return checked(x * y);
    require(sign == "/" && y != 0, "'{}' cannot be used here; braces contain integers and indices only", sign);
    return checked(x / y);
  }
};

class Expander {
 public:
  Expander(YamlPool& pool, const std::vector<std::string>& sections, const std::function<void(YamlEntry&&)>& emit)
      : pool_(pool), sections_(sections), emit_(emit) {}

  void expand(const YamlNode& node) {
    if (node.is_list()) {
      for (const auto& group : node.items) expand_group(group);
      return;
    }
    expand_group(node);
  }

 private:
  struct Range {
    long from = 0, to = 0, step = 1;
    [[nodiscard]] long count() const { return (to - from) / step + 1; }
  };

  void expand_group(const YamlNode& group) {
    if (!group.is_map())
      group.fail("'repeat' takes a map with 'index', 'from' and 'to', but " + group.describe() + " is given");
    check_keys(group, repeat_keys());
    const std::string index = read_index(group);
    const Range range = read_range(group);
    const auto lists = read_lists(group, range, index);
    const std::string* outer_note = note_;
    for (long k = 0; k < range.count(); ++k) {
      const long value = range.from + k * range.step;
      numbers_[index] = value;
      for (const auto& [name, items] : lists) texts_[name] = items->items[at(k)].text;
      note_ = pool_.keep((outer_note != nullptr ? *outer_note + ", " : "") + fmt::format("{} = {}", index, value));
      pool_.use_nodes(1, group.place);
      repeat_once(group, k == 0, k + 1 == range.count());
    }
    note_ = outer_note;
    numbers_.erase(index);
    for (const auto& [name, items] : lists) texts_.erase(name);
  }

  void repeat_once(const YamlNode& group, bool first, bool last) {
    const YamlNode* over_first = first ? group.find("first") : nullptr;
    const YamlNode* over_last = last ? group.find("last") : nullptr;
    for (const auto& entry : group.entries) {
      if (entry.key == "repeat") {
        expand(entry.value);
      } else if (std::find(sections_.begin(), sections_.end(), entry.key) != sections_.end()) {
        pool_.use_nodes(entry.value.count(), entry.value.place);
        YamlEntry copy = entry;
        for (const YamlNode* over : {over_first, over_last})
          if (over != nullptr)
            if (const YamlNode* section = over->find(entry.key)) overlay(copy.value, *section);
        substitute(copy.value);
        copy.key_place.note = note_;
        emit_(std::move(copy));
      }
    }
  }

  void check_keys(const YamlNode& group, const std::vector<std::string>& own) const {
    std::vector<std::string> known = own;
    known.insert(known.end(), sections_.begin(), sections_.end());
    for (const auto& entry : group.entries) {
      if (std::find(known.begin(), known.end(), entry.key) == known.end())
        fail_at(entry.key_place,
                fmt::format("unknown key '{}' in 'repeat'{}", shown(entry.key), suggestion(entry.key, known)));
      if (entry.key != "first" && entry.key != "last") continue;
      if (!entry.value.is_map()) entry.value.fail(fmt::format("'{}' takes a map of sections", entry.key));
      check_keys(entry.value, {});
      for (const auto& section : entry.value.entries)
        if (group.find(section.key) == nullptr)
          fail_at(section.key_place, fmt::format("'{}' overrides the section '{}', which the repetition does not have",
                                                 entry.key, section.key));
    }
  }

  [[nodiscard]] std::string read_index(const YamlNode& group) const {
    const YamlNode* node = group.find("index");
    if (node == nullptr) return "i";
    const bool is_word = node->is_scalar() && !node->text.empty() &&
                         std::all_of(node->text.begin(), node->text.end(),
                                     [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
    if (!is_word) node->fail("'index' takes a name made of letters, but " + node->describe() + " is given");
    if (numbers_.contains(node->text) || texts_.contains(node->text))
      node->fail(fmt::format("the index '{}' is already used by the enclosing repetition", node->text));
    return node->text;
  }

  [[nodiscard]] Range read_range(const YamlNode& group) {
    Range range;
    range.from = read_whole(group, "from", 1);
    if (group.find("to") == nullptr) group.fail("'repeat' needs 'to', the last value of its index");
    range.to = read_whole(group, "to", 0);
    range.step = read_whole(group, "step", 1);
    if (range.step == 0) group.find("step")->fail("'step' must not be 0");
    if ((range.to - range.from) / range.step < 0 || (range.to - range.from) * (range.step > 0 ? 1 : -1) < 0)
      range.to = range.from - range.step;  // nothing to repeat
    if (static_cast<std::size_t>(range.count()) > pool_.limits().max_nodes)
      throw LimitError(group.find("to")->where(),
                       fmt::format("this repetition counts to {}; the limit max_nodes allows {} values", range.count(),
                                   pool_.limits().max_nodes));
    return range;
  }

  [[nodiscard]] long read_whole(const YamlNode& group, std::string_view key, long otherwise) {
    const YamlNode* node = group.find(key);
    if (node == nullptr) return otherwise;
    if (!node->is_scalar()) node->fail(fmt::format("'{}' takes an integer, but {} is given", key, node->describe()));
    const std::string text = substituted(node->text, node->place);
    return whole_number(text, node->place);
  }

  /// An integer written as an expression of the indices.
  [[nodiscard]] long whole_number(std::string_view text, const YamlPlace& place) const {
    WholeNumbers semantics{numbers_, texts_};
    constexpr int kMaxDepth = 50;
    return at_place(place, [&] { return InfixParser(semantics, text, place.where(), kMaxDepth).parse_all(); });
  }

  [[nodiscard]] std::vector<std::pair<std::string, const YamlNode*>> read_lists(const YamlNode& group,
                                                                                const Range& range,
                                                                                const std::string& index) const {
    std::vector<std::pair<std::string, const YamlNode*>> lists;
    const YamlNode* node = group.find("lists");
    if (node == nullptr) return lists;
    if (!node->is_map()) node->fail("'lists' maps names to lists of values");
    for (const auto& entry : node->entries) {
      if (!entry.value.is_list())
        entry.value.fail(fmt::format("'{}' must be a list, but {} is given", shown(entry.key), entry.value.describe()));
      if (static_cast<long>(entry.value.items.size()) != range.count())
        entry.value.fail(fmt::format("'{}' has {} entries, but the repetition counts to {}", shown(entry.key),
                                     entry.value.items.size(), range.count()));
      for (const auto& item : entry.value.items)
        if (!item.is_scalar())
          item.fail("the lists of a repetition contain plain values, but " + item.describe() + " is given");
      if (entry.key == index || numbers_.contains(entry.key) || texts_.contains(entry.key))
        fail_at(entry.key_place, fmt::format("the name '{}' is already in use", shown(entry.key)));
      lists.emplace_back(entry.key, &entry.value);
    }
    return lists;
  }

  // ---- copies ---------------------------------------------------------------------------------------------------
  void overlay(YamlNode& node, const YamlNode& over) {
    if (!node.is_map() || !over.is_map()) {
      pool_.use_nodes(over.count(), over.place);
      node = over;
      return;
    }
    for (const auto& entry : over.entries) {
      const auto place = std::find_if(node.entries.begin(), node.entries.end(),
                                      [&](const YamlEntry& e) { return e.key == entry.key; });
      if (place != node.entries.end()) {
        overlay(place->value, entry.value);
        continue;
      }
      pool_.use_nodes(entry.value.count(), entry.value.place);
      node.entries.push_back(entry);
    }
  }

  void substitute(YamlNode& node) {
    node.place.note = note_;
    if (node.is_scalar()) node.text = substituted(node.text, node.place);
    for (auto& item : node.items) substitute(item);
    for (auto& entry : node.entries) {
      entry.key_place.note = note_;
      entry.key = substituted(entry.key, entry.key_place);
      substitute(entry.value);
    }
    check_unique_keys(node);
  }

  [[nodiscard]] std::string substituted(const std::string& text, const YamlPlace& place) const {
    if (text.find('{') == std::string::npos) return text;
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] != '{') {
        result += text[i++];
        continue;
      }
      const std::size_t end = text.find('}', i);
      if (end == std::string::npos) fail_at(place, fmt::format("'{{' without '}}' in '{}'", shown(text)));
      const std::string inside = text.substr(i + 1, end - i - 1);
      const auto listed = texts_.find(inside);
      result += listed != texts_.end() ? listed->second : std::to_string(whole_number(inside, place));
      i = end + 1;
    }
    return result;
  }

  YamlPool& pool_;
  const std::vector<std::string>& sections_;
  const std::function<void(YamlEntry&&)>& emit_;
  Numbers numbers_;
  Texts texts_;
  const std::string* note_ = nullptr;
};

}  // namespace

const std::vector<std::string>& repeat_keys() {
  static const std::vector<std::string> keys{"index", "from", "to", "step", "lists", "first", "last", "repeat"};
  return keys;
}

void expand_repeat(const YamlNode& repeat, YamlPool& pool, const std::vector<std::string>& sections,
                   const std::function<void(YamlEntry&&)>& emit) {
  Expander(pool, sections, emit).expand(repeat);
}

}  // namespace kane
