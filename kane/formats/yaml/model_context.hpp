#pragma once
// Shared by the readers of all sections: the mechanism being built, the names known so far, and functions that read and
// check values. All of them throw ModelError at the place of the value.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/expr/evaluate.hpp"
#include "kane/formats/yaml/scalar.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// A YAML map whose keys are all known and that belongs to something with a name.
class Group {
 public:
  /// `owner` is for messages: "the body 'A'". A Null node is an empty map.
  Group(const YamlNode& node, std::string owner, std::span<const std::string_view> keys);

  [[nodiscard]] const YamlNode& node() const { return *node_; }
  [[nodiscard]] const std::string& owner() const { return owner_; }
  [[nodiscard]] const YamlNode* find(std::string_view key) const { return node_->find(key); }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Throws if the key is missing; `example` shows what to write.
  [[nodiscard]] const YamlNode& need(std::string_view key, std::string_view example) const;
  /// Throws if more than one of the keys is given.
  void check_only_one(std::span<const std::string_view> keys) const;
  void check_only_one(std::initializer_list<std::string_view> keys) const {
    check_only_one(std::span(keys.begin(), keys.size()));
  }
  /// The first of the keys that is given; "" if none is.
  [[nodiscard]] std::string_view which(std::span<const std::string_view> keys) const;

 private:
  const YamlNode* node_;
  std::string owner_;
};

/// A named expression of the section `let`, read when it is first needed: the order of names is free.
struct LetExpression {
  const YamlEntry* entry = nullptr;
  bool motion = false;  ///< contains vectors or the motion of parts, so that only quantities may use it
  bool reading = false;
  std::optional<Measured> value = {};
};

struct ModelContext {
  explicit ModelContext(Mechanism& m);
  ModelContext(const ModelContext&) = delete;
  ModelContext& operator=(const ModelContext&) = delete;
  ~ModelContext() = default;

  Mechanism& mechanism;
  Graph& graph;
  ScalarNames names;
  Values defaults;          ///< values of the parameters, once they are read
  Values input_defaults;    ///< values of constant inputs, while initial values are read
  FunctionTable functions;  ///< the tables
  mutable std::map<std::string, LetExpression, std::less<>> lets;
  std::map<std::string, FlexibleBeam, std::less<>> beams;  ///< by body: modes and their names, before the rest is read

  // ---- names ----------------------------------------------------------------------------------------------------
  /// Declares a scalar name; throws if it is not a valid name or is already in use.
  void declare(const std::string& name, std::string_view what, const Expr& value, const Dimensional& dimension,
               const YamlPlace& place);
  /// Makes the names of a section `let` known.
  void declare_lets(const YamlNode& section, const YamlNode* outputs);
  /// Reads those that nothing has used yet, so that mistakes in them are found.
  void read_lets() const;
  [[nodiscard]] std::vector<std::string> names_of(std::string_view what) const;

  // ---- values ---------------------------------------------------------------------------------------------------
  [[nodiscard]] Scalar measured(const YamlNode& node, const Measure& measure, std::string_view what,
                                std::string_view owner) const;
  [[nodiscard]] Expr scalar(const YamlNode& node, const Measure& measure, std::string_view what,
                            std::string_view owner) const;
  /// Zero if the key is missing.
  [[nodiscard]] Expr scalar(const Group& group, std::string_view key, const Measure& measure) const;
  [[nodiscard]] Expr3 vector(const YamlNode& node, const Measure& measure, std::string_view what,
                             std::string_view owner) const;
  /// A number: an expression of parameters at their default values.
  [[nodiscard]] double number(const YamlNode& node, const Measure& measure, std::string_view what,
                              std::string_view owner) const;

  /// Text that kane/mechanism will read; a number with a unit becomes a number in SI units.
  [[nodiscard]] Quantity quantity(const YamlNode& node, const Measure& measure, std::string_view what,
                                  std::string_view owner) const;
  /// The same for a vector: text, or a list of three scalars along the axes of `frame`.
  [[nodiscard]] Quantity vector_quantity(const YamlNode& node, const std::string& frame, const Measure& measure,
                                         std::string_view what, std::string_view owner) const;
  /// A unit vector: "N.z", or "z" of `frame`, or a list of three numbers, or any text.
  [[nodiscard]] Quantity direction(const YamlNode& node, const std::string& frame, std::string_view what,
                                   std::string_view owner) const;

 private:
  [[nodiscard]] bool is_plain_scalar(const YamlNode& node) const;
  [[nodiscard]] std::optional<Measured> find_name(std::string_view name) const;
  [[nodiscard]] Measured let_value(const std::string& name, LetExpression& let) const;
  void check_name(const std::string& name, std::string_view what, const YamlPlace& place) const;

  MeasuredNames measured_names_;
  mutable std::vector<std::string> reading_;  ///< named expressions that are being read, for messages about circles
};

/// Whether a text consists of numbers and units alone.
[[nodiscard]] bool is_literal(std::string_view text);

// ---- plain values -----------------------------------------------------------------------------------------------------
[[nodiscard]] std::string read_text(const YamlNode& node, std::string_view what, std::string_view owner);
/// A name: one word.
[[nodiscard]] std::string read_name(const YamlNode& node, std::string_view what, std::string_view owner);
[[nodiscard]] std::vector<std::string> read_names(const YamlNode& node, std::string_view what, std::string_view owner);
[[nodiscard]] bool read_flag(const YamlNode& node, std::string_view what, std::string_view owner);
[[nodiscard]] int read_count(const YamlNode& node, std::string_view what, std::string_view owner);

/// Where the text of a node begins: after the quotation mark, if it is quoted.
[[nodiscard]] Where text_where(const YamlNode& node);

/// Runs `work`; an error without a place is given `place`.
template <class Work>
auto at_place(const YamlPlace& place, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const LimitError& error) {
    if (error.where().line != 0) throw;
    throw LimitError(place.where(), error.message());
  } catch (const ModelError& error) {
    if (error.where().line != 0) throw;
    throw ModelError(place.where(), error.message());
  }
}

/// Calls read(key, key place, value) for each entry of a section that maps names to values.
template <class Read>
void for_each_entry(const YamlNode& section, std::string_view name, Read read) {
  if (!section.is_map())
    section.fail(fmt::format("'{}' takes a map of names, but {} is given", name, section.describe()));
  for (const auto& entry : section.entries) read(entry);
}

}  // namespace kane
