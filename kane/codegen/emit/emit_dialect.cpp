#include "kane/codegen/emit/emit_dialect.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "kane/base/at.hpp"

namespace kane {

namespace {

/// Functions that nearly every language has under the name they have in a program.
constexpr Code kUsualFunctions[] = {Code::Sqrt, Code::Sin,  Code::Cos,  Code::Tan,  Code::Asin,
                                    Code::Acos, Code::Atan, Code::Sinh, Code::Cosh, Code::Tanh,
                                    Code::Exp,  Code::Log,  Code::Abs,  Code::Sign, Code::Floor};

constexpr std::pair<Code, std::string_view> kComparisons[] = {
    {Code::Less, "<"}, {Code::LessEqual, "<="}, {Code::Equal, "=="}};

}  // namespace

Spellings spell(const SpellingRules& rules) {
  constexpr Binding kAny = Binding::Any, kSum = Binding::Sum, kProduct = Binding::Product, kAtom = Binding::Atom;
  Spellings table;
  const auto infix = [&](Code code, std::string_view text, Binding binding, std::array<Binding, 3> needs) {
    table[code] = {fill(text, {{'a', "@a"},
                               {'b', "@b"},
                               {'c', "@c"},
                               {'*', rules.elementwise ? " .* " : "*"},
                               {'/', rules.elementwise ? " ./ " : "/"}}),
                   binding, needs};
  };
  infix(Code::Neg, "-@a", kSum, {kProduct, kAny, kAny});
  infix(Code::Add, "@a + @b", kSum, {kSum, kProduct, kAny});
  infix(Code::Sub, "@a - @b", kSum, {kSum, kProduct, kAny});
  infix(Code::Mul, "@a@*@b", kProduct, {kProduct, kAtom, kAny});
  infix(Code::Div, "@a@/@b", kProduct, {kProduct, kAtom, kAny});
  infix(Code::Fma, "@a@*@b + @c", kSum, {kProduct, kAtom, kProduct});
  infix(Code::Fms, "@a@*@b - @c", kSum, {kProduct, kAtom, kProduct});
  infix(Code::Fnma, "@c - @a@*@b", kSum, {kProduct, kAtom, kSum});
  infix(Code::Fnms, "-@a@*@b - @c", kSum, {kProduct, kAtom, kProduct});
  const auto set = [&](Code code, std::string text, Binding needs) {
    table[code] = {std::move(text), kAtom, {needs, needs, needs}};
  };
  for (const Code code : kUsualFunctions)
    set(code, fill(rules.function, {{'f', info(code).name}, {'a', "@a"}}), rules.needs);
  for (const auto& [code, sign] : kComparisons)
    set(code, fill(rules.truth, {{'o', sign}, {'a', "@a"}, {'b', "@b"}}), rules.needs);
  for (const SpellingRow& row : rules.rows) set(row.code, std::string(row.text), row.needs);
  return table;
}

std::string decimal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";  // "inf" and "nan" have an n
  return text;
}

std::string spell_number(const Dialect& dialect, double value) {
  if (dialect.write_number != nullptr) return dialect.write_number(value);
  if (std::isnan(value)) return std::string(dialect.nan);
  const std::string size =
      std::isinf(value) ? std::string(dialect.infinity) : fill(dialect.number, {{'e', decimal(std::abs(value))}});
  return std::signbit(value) ? "-" + size : size;
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

std::string fill_words(std::string_view text, const Words& words) {
  std::string result;
  while (!text.empty()) {
    const std::size_t mark = text.find('@');
    result += text.substr(0, mark);
    if (mark == std::string_view::npos) break;
    text.remove_prefix(mark + 1);
    const std::pair<std::string_view, std::string>* best = nullptr;
    for (const auto& word : words)
      if (text.starts_with(word.first) && (best == nullptr || word.first.size() > best->first.size())) best = &word;
    if (best == nullptr) {
      result += '@';
      continue;
    }
    result += best->second;
    text.remove_prefix(best->first.size());
  }
  return result;
}

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return capitals;
}

}  // namespace kane
