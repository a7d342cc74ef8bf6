#include "kane/program/external_function.hpp"

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"

namespace kane {

std::vector<ExternalFunction> bind_functions(const Program& program, std::span<const NamedFunction> available) {
  std::vector<ExternalFunction> bound;
  bound.reserve(program.functions.size());
  for (const ProgramFunction& wanted : program.functions) {
    const auto found =
        std::find_if(available.begin(), available.end(), [&](const NamedFunction& f) { return f.name == wanted.name; });
    if (found == available.end() || found->function.call == nullptr) {
      std::vector<std::string> known;
      for (const NamedFunction& f : available) known.push_back(f.name);
      require(false, "the program '{}' calls the external function '{}', which has not been given{}", program.name,
              wanted.name, suggestion(wanted.name, known));
    }
    require(found->arity == wanted.arity,
            "the program '{}' calls the external function '{}' with {} arguments, but it takes {}", program.name,
            wanted.name, wanted.arity, found->arity);
    bound.push_back(found->function);
  }
  return bound;
}

}  // namespace kane
