#include "kane/export/fmu/fmu_units.hpp"

#include <cstdlib>
#include <utility>

namespace kane {

namespace {

/// The exponent of rad: words are joined by '*', ' ' and '/', a division counts for the next word only.
int radians_in(std::string_view text) {
  int sum = 0, sign = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_of("*/ ()", i), text.size());
    const std::string word(text.substr(i, end - i));
    if (word.starts_with("rad") && (word.size() == 3 || word[3] == '^'))
      sum += sign * (word.size() > 4 ? std::atoi(word.c_str() + 4) : 1);
    if (!word.empty()) sign = 1;
    if (end < text.size() && text[end] == '/') sign = -1;
    i = end + 1;
  }
  return sum;
}

}  // namespace

FmuUnit fmu_unit(std::string_view text) {
  const Unit unit = parse_unit(text);
  return {unit.dimension, radians_in(text), unit.factor()};
}

std::string_view quantity_of(std::string_view unit) {
  static constexpr std::pair<std::string_view, std::string_view> kKnown[] = {{"s", "Time"},
                                                                             {"rad", "Angle"},
                                                                             {"rad/s", "AngularVelocity"},
                                                                             {"m", "Length"},
                                                                             {"m/s", "Velocity"},
                                                                             {"rad/s^2", "AngularAcceleration"},
                                                                             {"m/s^2", "Acceleration"},
                                                                             {"N", "Force"},
                                                                             {"N*m", "Torque"},
                                                                             {"kg", "Mass"},
                                                                             {"J", "Energy"},
                                                                             {"kg*m^2", "MomentOfInertia"},
                                                                             {"W", "Power"}};
  for (const auto& [name, quantity] : kKnown)
    if (name == unit) return quantity;
  return "";
}

}  // namespace kane
