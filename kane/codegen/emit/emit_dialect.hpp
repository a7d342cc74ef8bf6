#pragma once
// How a language spells numbers, operators and statements: one table each. Whatever is the same for all languages is
// in emit_listing.hpp; the frame around the statements (types, function heads) is in emit_<language>.cpp.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "kane/codegen/emit/emit_names.hpp"
#include "kane/program/code.hpp"

namespace kane {

/// How tightly a piece of text binds; a looser one is put in parentheses where a tighter one is needed.
enum class Binding : std::uint8_t { Any, Sum, Product, Atom };

/// Text with @a, @b, @c for the operands (and @n for the index of a Root), what it binds like, and what it needs of
/// its operands.
struct Spelling {
  std::string_view text;
  Binding binding = Binding::Atom;
  std::array<Binding, 3> needs{};
};

using Spellings = std::array<Spelling, kCodeCount>;

struct SpellingRow {
  Code code;
  std::string_view text;
  /// Of all operands: Atom for operands that a method is called on, as in x.sin().
  Binding needs = Binding::Any;
};

/// Infix arithmetic as in nearly all languages (with other signs for product and quotient, if need be), and `rows` for
/// the functions.
[[nodiscard]] Spellings spell(std::initializer_list<SpellingRow> rows, bool elementwise = false);

struct Dialect {
  std::string_view indent = "  ";
  std::string_view comment = "//";
  /// Statements: @n is the name, @e the expression, @i an index.
  std::string_view declare;             ///< a new name for a value
  std::string_view assign;              ///< a value to something that exists
  std::string_view stored;              ///< an element of the workspace
  std::string_view output;              ///< an element of the results
  int first_index = 0;                  ///< of arrays
  std::string_view call = "@f(@e)";     ///< of an external function
  std::string_view temporary = "@n@i";  ///< a value with a name of its own
  std::size_t width = 110;
  std::string_view continuation = "";  ///< at the end of a line that goes on
  NamingRules naming;
  std::string (*number)(double value) = nullptr;
  Spellings spellings;
};

/// The shortest decimal that reads back as `value`, with a point or an exponent: "0.1", "2.0", "1e-05". Infinities and
/// NaN are "inf", "-inf", "nan".
[[nodiscard]] std::string decimal(double value);

/// Replaces each @x by its text.
[[nodiscard]] std::string fill(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> pieces);

}  // namespace kane
