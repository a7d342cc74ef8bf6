#include "kane/export/fmu/fmu_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "kane/base/child_process.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/export/fmu/fmu_sources.hpp"

namespace kane {

namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
constexpr std::string_view kPlatform2 = "linux64", kPlatform3 = "x86_64-linux";
#elif defined(__aarch64__)
constexpr std::string_view kPlatform2 = "aarch64-linux", kPlatform3 = "aarch64-linux";
#else
constexpr std::string_view kPlatform2 = "", kPlatform3 = "";
#endif

/// FNV-1a, 64 bits; `seed` makes several of it.
std::uint64_t hash_of(const std::string& text, std::uint64_t seed) {
  std::uint64_t h = 14695981039346656037ULL ^ seed;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return h;
}

/// In the form of a GUID: the same model gives the same one, any other model another one.
std::string token_of(const FmuModel& model, const DescriptionOptions& options) {
  std::string all = describe_fmu(model, options);
  for (const SourceFile& file : emit_fmu_sources(model, options)) all += file.name + "\n" + file.text;
  const std::uint64_t a = hash_of(all, 0), b = hash_of(all, 0x9e3779b97f4a7c15ULL);
  return fmt::format("{{{:08x}-{:04x}-{:04x}-{:04x}-{:012x}}}", a >> 32U, (a >> 16U) & 0xffffU, a & 0xffffU, b >> 48U,
                     b & 0xffffffffffffULL);
}

std::string compile_library(const FmuPlan& plan, const std::vector<SourceFile>& sources) {
  require(!kPlatform2.empty(), "libraries for this kind of processor are not known to FMI; use --sources alone");
  require(
      !plan.compiler.empty(),
      "there is no C compiler here (cc, gcc or clang) to make the library of an FMU; --sources --no-binary makes one "
      "with C code only, which many tools compile themselves");
  const TemporaryFolder folder("kane_fmu");
  const std::string library = folder.path() + "/library.so", log = folder.path() + "/log";
  std::vector<std::string> words{"-std=c99",
                                 "-O2",
                                 "-fPIC",
                                 "-shared",
                                 "-fvisibility=hidden",
                                 "-ffp-contract=off",
                                 "-w",
                                 "-DFMI2_OVERRIDE_FUNCTION_PREFIX",
                                 "-DFMI3_OVERRIDE_FUNCTION_PREFIX",
                                 "-s",
                                 "-o",
                                 library};
  for (const SourceFile& file : sources) {
    const std::string path = folder.path() + "/" + file.name;
    write_file(path, file.text);
    if (file.name.ends_with(".c")) words.push_back(path);
  }
  words.emplace_back("-lm");
  const int code = run_program(plan.compiler, words, log);
  require(code == 0, "the C compiler '{}' failed ({}) on the code of the FMU: {}", plan.compiler, code,
          read_whole_file(log).substr(0, 2000));
  return read_whole_file(library);
}

std::string index_page(const FmuModel& model) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title></head><body>\n<h1>{0}</h1>\n"
      "<p>{1}</p>\n<p>Equations of motion by Kane's method, exported by "
      "Kane.</p>\n<table>\n<tr><th>variable</th><th>unit"
      "</th></tr>\n",
      xml_text(model.name), xml_text(model.description));
  for (const FmuVariable& v : model.variables)
    text += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", xml_text(v.name), xml_text(v.unit));
  text += "</table>\n";
  for (const std::string& note : model.notes) text += fmt::format("<p>{}.</p>\n", xml_text(note));
  return text + "</body></html>\n";
}

}  // namespace

std::string find_c_compiler() {
  if (const char* const chosen = std::getenv("CC"); chosen != nullptr && *chosen != '\0') {
    const std::string name = chosen;
    return name.find('/') == std::string::npos ? find_program(name) : name;
  }
  for (const char* name : {"cc", "gcc", "clang"})
    if (std::string found = find_program(name); !found.empty()) return found;
  return {};
}

FmuPlan plan_fmu(const Model& model, const StartState& start, const FmuOptions& options) {
  require(options.model_exchange || options.co_simulation, "an FMU is for model exchange, co-simulation, or both");
  require(options.sources || options.binary, "an FMU needs a library or C code; --no-binary goes with --sources");
  FmuPlan plan;
  plan.options = options;
  plan.model = form_fmu_model(model, start, options.model);
  if (options.binary) plan.compiler = find_c_compiler();
  DescriptionOptions description{options.version, options.model_exchange, options.co_simulation, "", {}};
  if (options.sources)
    for (const SourceFile& file : emit_fmu_sources(plan.model, description))
      if (file.name.ends_with(".c")) description.sources.push_back(file.name);
  description.token = token_of(plan.model, description);
  const std::vector<SourceFile> sources = emit_fmu_sources(plan.model, description);
  const bool two = options.version == FmiVersion::Two;
  plan.files.push_back({"modelDescription.xml", describe_fmu(plan.model, description)});
  plan.files.push_back({"documentation/index.html", index_page(plan.model)});
  if (options.binary)
    plan.files.push_back({fmt::format("binaries/{}/{}.so", two ? kPlatform2 : kPlatform3, plan.model.identifier),
                          compile_library(plan, sources)});
  if (!options.sources) return plan;
  for (const SourceFile& file : sources) plan.files.push_back({"sources/" + file.name, file.text});
  if (!two) plan.files.push_back({"sources/buildDescription.xml", describe_build(plan.model, description)});
  return plan;
}

void write_fmu(const FmuPlan& plan, const std::string& file, ExistingFiles existing) {
  std::error_code error;
  const auto status = fs::symlink_status(file, error);
  require(!fs::exists(status) || existing == ExistingFiles::Replace,
          "the file '{}' exists; choose another name, or use --force to replace it", file);
  require(!fs::exists(status) || fs::is_regular_file(status),
          "'{}' exists and is not a regular file; it is not replaced", file);
  write_archive(file, plan.files);
}

}  // namespace kane
