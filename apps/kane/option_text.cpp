#include "apps/kane/option_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "kane/base/error.hpp"

namespace kane {

NamedText split_assignment(const std::string& assignment, const std::string& option) {
  const auto equals = assignment.find('=');
  require(equals != std::string::npos && equals > 0 && equals + 1 < assignment.size(), "{} needs name=value, not '{}'",
          option, assignment);
  return {assignment.substr(0, equals), assignment.substr(equals + 1)};
}

std::vector<double> parse_range(const std::string& text, const std::string& option) {
  std::vector<double> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    char* rest = nullptr;
    parts.push_back(std::strtod(part.c_str(), &rest));
    require(!part.empty() && *rest == '\0' && std::isfinite(parts.back()), "{}: '{}' is not a number in '{}'", option,
            part, text);
    begin = end + 1;
  }
  if (parts.size() == 1) return parts;
  require(parts.size() == 3, "{} needs begin:end:step, not '{}'", option, text);
  const double steps = (parts[1] - parts[0]) / parts[2];
  require(parts[2] != 0 && steps >= 0 && steps < 1e6,
          "{}: '{}' is not a range: the step must lead from begin to end in at most a million steps", option, text);
  std::vector<double> values;
  const auto count = static_cast<long>(std::floor(steps + 1e-9));
  for (long k = 0; k <= count; ++k) values.push_back(parts[0] + static_cast<double>(k) * parts[2]);
  return values;
}

}  // namespace kane
