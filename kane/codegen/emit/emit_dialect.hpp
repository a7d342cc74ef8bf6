#pragma once
// How a language spells numbers, operators and statements: one table each. Everything the languages share is in
// emit_listing.hpp (statements) and emit_frame.hpp (types and functions around them); emit_<language>.cpp states only
// what is particular to its language.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kane/codegen/emit/emit_names.hpp"
#include "kane/program/code.hpp"

namespace kane {

/// How tightly a piece of text binds; a looser one is put in parentheses where a tighter one is needed.
enum class Binding : std::uint8_t { Any, Sum, Product, Atom };

/// Text with @a, @b, @c for the operands (and @n for the index of a Root), how tightly it binds, and how tightly its
/// operands have to bind.
struct Spelling {
  std::string text;
  Binding binding = Binding::Atom;
  std::array<Binding, 3> needs{};
};

using Spellings = PerCode<Spelling>;

struct SpellingRow {
  Code code;
  std::string_view text;
  /// Needed by every operand: Atom if a method is called on it, as in x.sin().
  Binding needs = Binding::Any;
};

/// The rules that most of a language's spellings follow, and the exceptions to them.
struct SpellingRules {
  /// A function of one operand @a, with @f for its usual name: "@f(@a)" gives sin(x), floor(x) and so on.
  std::string_view function = "@f(@a)";
  /// A comparison as a number, with @o for the operator.
  std::string_view truth = "";
  /// Needed by the operands of functions and comparisons.
  Binding needs = Binding::Any;
  /// Products and quotients of arrays by element, as in MATLAB.
  bool elementwise = false;
  std::vector<SpellingRow> rows = {};
};

/// Infix arithmetic as in nearly all languages, functions and comparisons by rule, and then the exceptions.
[[nodiscard]] Spellings spell(const SpellingRules& rules);

struct Dialect {
  std::string_view indent = "  ";
  std::string_view comment = "//";
  /// Statements: @n is the name, @e the expression, @i an index.
  std::string_view declare = "@n = @e";  ///< a new name for a value
  std::string_view assign = "@n = @e";   ///< a value to something that exists
  std::string_view stored = "";          ///< an element of the workspace
  std::string_view output = "y_[@i]";    ///< an element of the results
  std::uint32_t first_index = 0;         ///< index of the first element of an array
  std::string_view call = "@f(@e)";      ///< call of an external function
  std::string_view temporary = "@n@i";   ///< a value with its own name
  std::size_t width = 110;
  std::string_view continuation = "";  ///< at the end of a line that is continued
  NamingRules naming = {};
  std::string_view number = "@e";  ///< a literal, with @e for the digits; the sign stands before it
  std::string_view nan = "NaN";
  std::string_view infinity = "Inf";
  /// Instead of the three above, for a notation that is not a matter of affixes.
  std::string (*write_number)(double value) = nullptr;
  Spellings spellings = {};
};

/// The shortest decimal that reads back as `value`, with a point or an exponent: "0.1", "2.0", "1e-05". Infinities and
/// NaN are "inf", "-inf", "nan".
[[nodiscard]] std::string decimal(double value);

/// `value` as a literal of the language.
[[nodiscard]] std::string spell_number(const Dialect& dialect, double value);

/// Replaces each @x by its text; an @x that is not in `pieces` disappears.
[[nodiscard]] std::string fill(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> pieces);

using Words = std::vector<std::pair<std::string_view, std::string>>;

/// Replaces each @word by its text; of several words that fit, the longest counts. Any other @ stays.
[[nodiscard]] std::string fill_words(std::string_view text, const Words& words);

[[nodiscard]] std::string in_capitals(std::string_view text);

}  // namespace kane
