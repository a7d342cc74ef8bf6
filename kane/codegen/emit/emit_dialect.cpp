#include "kane/codegen/emit/emit_dialect.hpp"

#include <fmt/format.h>

namespace kane {

Spellings spell(std::initializer_list<SpellingRow> rows, bool elementwise) {
  constexpr Binding kAny = Binding::Any, kSum = Binding::Sum, kProduct = Binding::Product, kAtom = Binding::Atom;
  Spellings table;
  const auto set = [&](Code code, std::string_view text, std::string_view by_element, Binding binding,
                       std::array<Binding, 3> needs) {
    table[static_cast<std::size_t>(code)] = {elementwise ? by_element : text, binding, needs};
  };
  set(Code::Neg, "-@a", "-@a", kSum, {kProduct, kAny, kAny});
  set(Code::Add, "@a + @b", "@a + @b", kSum, {kSum, kProduct, kAny});
  set(Code::Sub, "@a - @b", "@a - @b", kSum, {kSum, kProduct, kAny});
  set(Code::Mul, "@a*@b", "@a .* @b", kProduct, {kProduct, kAtom, kAny});
  set(Code::Div, "@a/@b", "@a ./ @b", kProduct, {kProduct, kAtom, kAny});
  set(Code::Fma, "@a*@b + @c", "@a .* @b + @c", kSum, {kProduct, kAtom, kProduct});
  set(Code::Fms, "@a*@b - @c", "@a .* @b - @c", kSum, {kProduct, kAtom, kProduct});
  set(Code::Fnma, "@c - @a*@b", "@c - @a .* @b", kSum, {kProduct, kAtom, kSum});
  set(Code::Fnms, "-@a*@b - @c", "-@a .* @b - @c", kSum, {kProduct, kAtom, kProduct});
  for (const SpellingRow& row : rows)
    table[static_cast<std::size_t>(row.code)] = {row.text, kAtom, {row.needs, row.needs, row.needs}};
  return table;
}

std::string decimal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";  // "inf" and "nan" have an n
  return text;
}

std::string fill(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> pieces) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '@' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    ++i;
    for (const auto& [key, piece] : pieces)
      if (key == text[i]) result += piece;
  }
  return result;
}

}  // namespace kane
