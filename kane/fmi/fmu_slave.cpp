#include "kane/fmi/fmu_slave.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "kane/base/child_process.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/base/suggest.hpp"
#include "kane/fmi/archive.hpp"

namespace kane {

namespace {

namespace fs = std::filesystem;

// Types of both standards as far as they are needed. A boolean is an int in FMI 2 and one byte in FMI 3.
using Component = void*;
using Reference = unsigned;
constexpr int kOkStatus = 0, kWarningStatus = 1;

/// Keeps the last message of an FMU for ours.
void log_fmi2(void* environment, const char*, int, const char*, const char* format, ...) {
  char text[500];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  *static_cast<std::string*>(environment) = text;
}
void log_fmi3(void* environment, int, const char*, const char* message) {
  *static_cast<std::string*>(environment) = message == nullptr ? "" : message;
}

#if defined(__aarch64__)
constexpr const char* kPlatforms[] = {"aarch64-linux"};
#else
constexpr const char* kPlatforms[] = {"linux64", "x86_64-linux"};
#endif

std::string uri_of(const std::string& path) {
  std::string uri = "file://";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                       c == '_' || c == '-' || c == '.';
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace

struct FmuSlave::Data {
  struct Callbacks2 {
    void (*logger)(void*, const char*, int, const char*, const char*, ...);
    void* (*allocate)(std::size_t, std::size_t);
    void (*release)(void*);
    void (*finished)(void*, int);
    void* environment;
  };

  std::string file;
  FmuInfo info;
  TemporaryFolder folder{"kane_fmu"};
  void* library = nullptr;
  Component instance = nullptr;
  std::string message;  ///< the last one of the FMU
  Callbacks2 callbacks{log_fmi2, std::calloc, std::free, nullptr, nullptr};

  explicit Data(const std::string& fmu) : file(fmu), info(read_fmu_info(fmu)) {
    require(info.co_simulation, "'{}' is for model exchange only; a controller must be an FMU for co-simulation", file);
    for (const ArchiveFile& entry : read_archive(file)) {
      const fs::path to = fs::path(folder.path()) / entry.name;
      make_folder(to.parent_path().string());
      write_file(to.string(), entry.content);
    }
    load();
    callbacks.environment = &message;
  }
  ~Data() {
    if (instance != nullptr) function<void (*)(Component)>("FreeInstance")(instance);
    if (library != nullptr) dlclose(library);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  void load() {
    for (const char* platform : kPlatforms) {
      const fs::path path = fs::path(folder.path()) / "binaries" / platform / (info.identifier + ".so");
      std::error_code ignored;
      if (!fs::is_regular_file(path, ignored)) continue;
      library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      const char* const why = library == nullptr ? dlerror() : nullptr;
      require(library != nullptr, "the library of '{}' cannot be loaded: {}", file, why == nullptr ? "" : why);
      return;
    }
    throw ModelError(
        fmt::format("'{}' has no library for this machine (binaries/{}/{}.so)", file, kPlatforms[0], info.identifier));
  }

  template <class F>
  [[nodiscard]] F function(const char* name) const {
    const std::string full = fmt::format("fmi{}{}", info.version, name);
    void* const f = dlsym(library, full.c_str());
    require(f != nullptr, "the library of '{}' has no function {}", file, full);
    return reinterpret_cast<F>(f);
  }

  void check(int status, std::string_view what) const {
    require(status == kOkStatus || status == kWarningStatus, "the FMU '{}' failed to {} (status {}){}{}", file, what,
            status, message.empty() ? "" : ": ", message);
  }

  void instantiate() {
    const std::string resources = folder.path() + "/resources";
    if (info.version == 2) {
      instance = function<Component (*)(const char*, int, const char*, const char*, const Callbacks2*, int, int)>(
          "Instantiate")("kane", 1, info.token.c_str(), uri_of(resources).c_str(), &callbacks, 0, 0);
    } else {
      const std::string path = resources + "/";
      std::error_code ignored;
      instance = function<Component (*)(const char*, const char*, const char*, bool, bool, bool, bool, const Reference*,
                                        std::size_t, void*, void (*)(void*, int, const char*, const char*), void*)>(
          "InstantiateCoSimulation")("kane", info.token.c_str(),
                                     fs::exists(resources, ignored) ? path.c_str() : nullptr, false, false, false,
                                     false, nullptr, 0, &message, log_fmi3, nullptr);
    }
    require(instance != nullptr, "the FMU '{}' could not be instantiated{}{}", file, message.empty() ? "" : ": ",
            message);
  }

  [[nodiscard]] FmuPort find(std::string_view name, std::string_view causality) const {
    std::vector<std::string> known;
    for (const FmuPort& port : info.variables) {
      if (port.causality != causality) continue;
      known.push_back(port.name);
      if (port.name != name) continue;
      require(port.type != FmuType::Other, "the {} '{}' of '{}' is not a number or a boolean", causality, name, file);
      return port;
    }
    std::string list;
    for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
    throw ModelError(fmt::format("the FMU '{}' has no {} '{}'{} (it has: {})", file, causality, name,
                                 suggestion(std::string(name), known), list.empty() ? "none" : list));
  }

  /// fmi2SetReal(c, vr, n, v), fmi3SetFloat64(c, vr, n, v, n) and their siblings.
  template <class T>
  int exchange(const char* name2, const char* name3, const Reference& reference, T* value) const {
    if (info.version == 2)
      return function<int (*)(Component, const Reference*, std::size_t, T*)>(name2)(instance, &reference, 1, value);
    return function<int (*)(Component, const Reference*, std::size_t, T*, std::size_t)>(name3)(instance, &reference, 1,
                                                                                               value, 1);
  }
};

FmuSlave::FmuSlave(const std::string& file) : data_(std::make_unique<Data>(file)) {}
FmuSlave::~FmuSlave() = default;

const FmuInfo& FmuSlave::info() const { return data_->info; }
FmuPort FmuSlave::input(std::string_view name) const { return data_->find(name, "input"); }
FmuPort FmuSlave::output(std::string_view name) const { return data_->find(name, "output"); }
FmuPort FmuSlave::parameter(std::string_view name) const { return data_->find(name, "parameter"); }

void FmuSlave::begin(double time) {
  Data& d = *data_;
  if (d.instance == nullptr)
    d.instantiate();
  else
    d.check(d.function<int (*)(Component)>("Reset")(d.instance), "be reset");
  if (d.info.version == 2) {
    d.check(d.function<int (*)(Component, int, double, double, int, double)>("SetupExperiment")(d.instance, 0, 0, time,
                                                                                                0, 0),
            "set up the experiment");
    d.check(d.function<int (*)(Component)>("EnterInitializationMode")(d.instance), "enter initialization");
    return;
  }
  d.check(d.function<int (*)(Component, bool, double, double, bool, double)>("EnterInitializationMode")(
              d.instance, false, 0, time, false, 0),
          "enter initialization");
}

void FmuSlave::run() {
  data_->check(data_->function<int (*)(Component)>("ExitInitializationMode")(data_->instance), "initialize");
}

void FmuSlave::set(const FmuPort& port, double value) {
  Data& d = *data_;
  const std::string what = fmt::format("take {} for '{}'", value, port.name);
  if (port.type == FmuType::Real)
    return d.check(d.exchange<const double>("SetReal", "SetFloat64", port.reference, &value), what);
  if (port.type == FmuType::Integer) {
    const int number = static_cast<int>(std::lround(std::clamp(value, -2147483647.0, 2147483647.0)));
    return d.check(d.exchange<const int>("SetInteger", "SetInt32", port.reference, &number), what);
  }
  const int flag = value != 0 ? 1 : 0;
  const bool short_flag = value != 0;
  d.check(d.info.version == 2 ? d.exchange<const int>("SetBoolean", "", port.reference, &flag)
                              : d.exchange<const bool>("", "SetBoolean", port.reference, &short_flag),
          what);
}

double FmuSlave::get(const FmuPort& port) {
  Data& d = *data_;
  const std::string what = fmt::format("tell the value of '{}'", port.name);
  double value = 0;
  int number = 0;
  bool flag = false;
  if (port.type == FmuType::Real) {
    d.check(d.exchange("GetReal", "GetFloat64", port.reference, &value), what);
  } else if (port.type == FmuType::Integer) {
    d.check(d.exchange("GetInteger", "GetInt32", port.reference, &number), what);
    value = number;
  } else {
    d.check(d.info.version == 2 ? d.exchange("GetBoolean", "", port.reference, &number)
                                : d.exchange("", "GetBoolean", port.reference, &flag),
            what);
    value = number != 0 || flag ? 1 : 0;
  }
  require(std::isfinite(value), "the FMU '{}' gives '{}' a value that is not finite", d.file, port.name);
  return value;
}

void FmuSlave::step(double time, double length) {
  Data& d = *data_;
  const std::string what = fmt::format("make a step of {} s at t = {}", length, time);
  if (d.info.version == 2)
    return d.check(d.function<int (*)(Component, double, double, int)>("DoStep")(d.instance, time, length, 1), what);
  bool event = false, terminate = false, early = false;
  double last = time;
  d.check(d.function<int (*)(Component, double, double, bool, bool*, bool*, bool*, double*)>("DoStep")(
              d.instance, time, length, true, &event, &terminate, &early, &last),
          what);
  require(!terminate, "the FMU '{}' ended the run at t = {}", d.file, last);
}

}  // namespace kane
