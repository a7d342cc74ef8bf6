#include "kane/formats/yaml/scalar.hpp"

#include <cctype>

#include "kane/expr/infix.hpp"

namespace kane {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

/// The SI unit to show beside a number that was written with a unit.
std::string unit_of(const Dimensional& dimension, std::string_view text) {
  if (!dimension.literal) return {};
  if (!dimension.dimension.none()) return si_unit(dimension.dimension);
  return trimmed(text).ends_with('%') ? "" : "rad";
}

}  // namespace

Scalar parse_scalar(Graph& graph, const MeasuredNames& names, std::string_view text, const Where& where,
                    const Measure& measure, std::string_view what, std::string_view owner) {
  const Measured value = parse_measured(graph, text, where, names);
  if (measure.dimension && !value.dimension.fits(*measure.dimension))
    throw ModelError(where, fmt::format("{} is given {} ('{}') in {}; {} is expected, such as '{}'", what,
                                        given_words(value.dimension.dimension), InfixText::printable(trimmed(text)),
                                        owner, measure.name, measure.example));
  return {value.value, value.dimension, unit_of(value.dimension, text)};
}

}  // namespace kane
