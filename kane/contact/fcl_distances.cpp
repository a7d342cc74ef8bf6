#include "kane/contact/fcl_distances.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "kane/base/error.hpp"

namespace kane {

namespace {

/// The folder of the program or library that this code is in.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

/// By the run path of the program first, then beside it, then where it is when built or installed: ../../bin from the Python
/// package, ../lib/kane from the command.
void* open_module() {
  void* module = dlopen(kDistanceModule, RTLD_NOW | RTLD_LOCAL);
  const std::filesystem::path own = own_folder();
  for (const char* folder : {".", "../../bin", "../lib/kane"})
    if (module == nullptr) module = dlopen((own / folder / kDistanceModule).c_str(), RTLD_NOW | RTLD_LOCAL);
  return module;
}

MakeDistances load_module() {
  void* module = open_module();
  const char* reason = module == nullptr ? dlerror() : nullptr;
  require(module != nullptr, "contacts of shapes need '{}', which cannot be loaded: {}", kDistanceModule,
          reason == nullptr ? "" : reason);
  const auto make = reinterpret_cast<MakeDistances>(dlsym(module, kMakeDistances));
  ensure(make != nullptr, "{} has no {}", kDistanceModule, kMakeDistances);
  return make;
}

}  // namespace

FclDistances::FclDistances(const std::vector<ContactShape>& shapes) {
  static const MakeDistances make = load_module();
  objects_.reset(make(shapes));
}

}  // namespace kane
