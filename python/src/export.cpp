// Models to carry away in other forms than source code with a driver: a page, an FMU, code in the form of SD/FAST.

#include "kane/base/error.hpp"
#include "kane/export/fmu/fmu_export.hpp"
#include "kane/export/page_export.hpp"
#include "kane/export/sdfast_export.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "python/src/model.hpp"

namespace kane::python {
namespace {

py::dict export_page(const PyModel& m, const std::string& state, std::optional<double> until) {
  const PageExport page = unlocked([&] {
    PageOptions options;
    options.until = until;
    options.file = m.file;
    options.equations = form_equation_html(copy_mechanism(m.model.mechanism()));
    const StartState start = read_start(state);
    return plan_page(with_reports(m.model.driving(start), [](Mechanism& mechanism) { prepare_page(mechanism); }), start,
                     options);
  });
  py::dict d;
  d["html"] = page.html, d["notes"] = page.notes;
  return d;
}

py::dict export_fmu(const PyModel& m, const std::string& state, const std::string& file, const py::dict& given) {
  FmuOptions options;
  const auto take_into = [&](const char* key, auto& to) {
    if (given.contains(key)) to = option<std::decay_t<decltype(to)>>(given, key);
  };
  int version = 2;
  std::string kind = "both";
  bool force = false;
  take_into("fmi", version), take_into("kind", kind), take_into("force", force);
  require(version == 2 || version == 3, "there are FMI 2 and 3, not {}", version);
  require(kind == "me" || kind == "cs" || kind == "both", "the kind of an FMU is me, cs or both, not '{}'", kind);
  options.version = version == 3 ? FmiVersion::Three : FmiVersion::Two;
  options.model_exchange = kind != "cs", options.co_simulation = kind != "me";
  take_into("sources", options.sources), take_into("binary", options.binary);
  take_into("name", options.model.name), take_into("inputs", options.model.inputs);
  take_into("leave_out", options.model.leave_out);
  if (given.contains("until")) options.model.until = option<double>(given, "until");
  if (given.contains("output_step")) options.model.step = option<double>(given, "output_step");
  const FmuPlan plan = unlocked([&] {
    FmuPlan made = plan_fmu(m.model, read_start(state), options);
    write_fmu(made, file.empty() ? made.model.identifier + ".fmu" : file,
              force ? ExistingFiles::Replace : ExistingFiles::Refuse);
    return made;
  });
  py::dict d;
  std::vector<std::string> names;
  for (const ArchiveFile& f : plan.files) names.push_back(f.name);
  d["contents"] = names, d["notes"] = plan.model.notes;
  d["written"] = std::vector<std::string>{file.empty() ? plan.model.identifier + ".fmu" : file};
  return d;
}

py::dict export_sdfast_code(const PyModel& m, const std::string& name, const std::string& folder, bool force) {
  ExportPlan plan;
  std::vector<std::string> written;
  unlocked([&] {
    SdfastExport made = export_sdfast(copy_mechanism(m.model.mechanism()), name);
    plan.title = m.model.name(), plan.files = std::move(made.files), plan.notes = std::move(made.notes);
    if (!folder.empty()) written = write_export(plan, folder, force ? ExistingFiles::Replace : ExistingFiles::Refuse);
  });
  py::dict files, d;
  for (const SourceFile& file : plan.files) files[py::str(file.name)] = file.text;
  d["files"] = files, d["notes"] = plan.notes, d["written"] = written;
  return d;
}

}  // namespace

void bind_export(py::module_& m) {
  m.def("export_page", &export_page);
  m.def("export_fmu", &export_fmu);
  m.def("export_sdfast", &export_sdfast_code);
}

}  // namespace kane::python
