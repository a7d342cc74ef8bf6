#include "kane/simulate/motion/method.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"

namespace kane {

namespace {

struct MethodName {
  std::string_view name;
  Method method;
};

/// The first name of a method is the one it is shown with.
constexpr std::array<MethodName, 15> kNames = {{
    {"auto", Method::Automatic},
    {"automatic", Method::Automatic},
    {"rk4", Method::Rk4},
    {"dopri5", Method::Dopri5},
    {"dop853", Method::Dop853},
    {"cvode", Method::Cvode},
    {"arkode", Method::Arkode},
    {"midpoint", Method::Midpoint},
    {"gauss4", Method::Gauss4},
    {"gauss6", Method::Gauss6},
    {"gauss", Method::Gauss6},
    {"symplectic", Method::Gauss6},
    {"verlet", Method::Verlet},
    {"verlet2", Method::Verlet},
    {"verlet4", Method::Verlet4},
}};

}  // namespace

std::string_view to_string(Method method) {
  return std::find_if(kNames.begin(), kNames.end(), [&](const MethodName& n) { return n.method == method; })->name;
}

Method method_from(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& n : kNames) {
    if (n.name == name) return n.method;
    known.emplace_back(n.name);
  }
  throw ModelError(fmt::format("unknown integration method '{}'{} (known: {})", name, suggestion(name, known),
                               fmt::join(known, ", ")));
}

bool has_fixed_step(Method method) {
  switch (method) {
    case Method::Rk4:
    case Method::Midpoint:
    case Method::Gauss4:
    case Method::Gauss6:
    case Method::Verlet:
    case Method::Verlet4: return true;
    default: return false;
  }
}

double local_tolerance(double asked) {
  constexpr double kAsItIs = 1e-6, kExponent = 0.4, kLeast = 0.01;
  return asked * std::clamp(std::pow(asked / kAsItIs, kExponent), kLeast, 1.0);
}

}  // namespace kane
