#include "kane/formats/study_file.hpp"

#include <cmath>

#include "kane/expr/measured.hpp"
#include "kane/formats/yaml/model_context.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/formats/yaml/yaml_tree.hpp"

namespace kane {

namespace {

constexpr std::string_view kStudyKeys[] = {
    "study",    "name",     "description", "model",      "cases",       "vary",        "runs",       "sampling", "seed",
    "measures", "simulate", "set",         "guess",      "state",       "correlation", "limit",      "strict",   "out",
    "search",   "minimize", "maximize",    "subject_to", "evaluations", "series",      "series_step"};
constexpr std::string_view kSimulateKeys[] = {"until", "method", "tolerance", "step", "sample"};
constexpr std::size_t kMostStudyBytes = 4U << 20U;

/// A number in SI units, perhaps with a unit of this dimension.
double study_number(const YamlNode& node, std::string_view what, Dimension dimension) {
  const std::string text = read_text(node, what, "the study");
  const MeasuredNumber number = parse_measured_number(text, text_where(node));
  if (number.dimension && !number.dimension->none() && *number.dimension != dimension)
    node.fail(fmt::format("'{}' is in {}, but {} is expected in {}", text, unit_words(*number.dimension), what,
                          dimension.none() ? "plain numbers" : unit_words(dimension)));
  if (!std::isfinite(number.value)) node.fail(fmt::format("{} must be a finite number", what));
  return number.value;
}

double study_count(const YamlNode& node, std::string_view what) {
  const double value = study_number(node, what, kNone);
  constexpr double kMost = 9e15;
  if (!(value >= 0 && value <= kMost && value == std::floor(value)))
    node.fail(fmt::format("{} is a whole number, not '{}'", what, node.text));
  return value;
}

/// A variation in the notation of the command line.
std::string variation_text(const YamlNode& node, const std::string& name) {
  if (node.is_scalar()) return node.text;
  const auto joined = [&](const YamlNode& list, std::string_view what) {
    if (!list.is_list())
      list.fail(fmt::format("'{}' of '{}' takes a list, but {} is given", what, name, list.describe()));
    std::string text;
    for (const YamlNode& item : list.items)
      text += (text.empty() ? "" : ", ") + read_text(item, "a value", "'" + name + "'");
    return text;
  };
  if (node.is_list()) return "{" + joined(node, "vary") + "}";
  if (!node.is_map() || node.entries.empty())
    node.fail(
        fmt::format("'{}' takes a range (1..2:10), a list ([1, 2]) or a distribution (normal(1, 0.1)), but {} is given",
                    name, node.describe()));
  const YamlEntry& law = node.entries.front();
  if (law.key == "values") return "{" + joined(law.value, law.key) + "}";
  std::string arguments = joined(law.value, law.key);
  for (std::size_t i = 1; i < node.entries.size(); ++i) {
    if (node.entries[i].key != "truncate")
      fail_at(node.entries[i].key_place,
              fmt::format("'{}' is not known here; a distribution may have 'truncate'", node.entries[i].key));
    arguments += ", " + joined(node.entries[i].value, "truncate");
  }
  return law.key + "(" + arguments + ")";
}

StudyFile::Entry study_entry(const YamlNode& node, std::string_view what) {
  return {std::string(what), read_text(node, what, "the study"), text_where(node)};
}

class StudyReader {
 public:
  explicit StudyReader(const YamlNode& root) : group_(root, "the study", kStudyKeys) {}

  StudyFile read() {
    const YamlNode& version = group_.need("study", "study: 1");
    if (read_text(version, "study", "the file") != "1")
      version.fail(fmt::format("this version of Kane reads study files of version 1, not '{}'", version.text));
    text("model", study_.model), text("cases", study_.cases), text("state", study_.state);
    entry("sampling", study_.sampling), entry("out", study_.out), entry("search", study_.search);
    if (const YamlNode* n = group_.find("runs")) study_.runs = study_count(*n, "runs");
    if (const YamlNode* n = group_.find("seed")) study_.seed = study_count(*n, "seed");
    if (const YamlNode* n = group_.find("evaluations")) study_.evaluations = study_count(*n, "evaluations");
    if (const YamlNode* n = group_.find("limit")) study_.limit = study_number(*n, "limit", kTime);
    if (const YamlNode* n = group_.find("strict")) study_.strict = read_flag(*n, "strict", "the study");
    if (const YamlNode* n = group_.find("vary"))
      for_each_entry(*n, "vary", [&](const YamlEntry& e) {
        study_.vary.push_back(
            {e.key, variation_text(e.value, e.key), e.value.is_scalar() ? text_where(e.value) : e.value.where()});
      });
    measures("measures", "a measure", study_.measures), measures("series", "a series", study_.series);
    if (const YamlNode* n = group_.find("series_step")) study_.series_step = study_number(*n, "series_step", kTime);
    settings("set", study_.set), settings("guess", study_.guess);
    read_correlations();
    read_simulate();
    goals("minimize", study_.minimize), goals("maximize", study_.maximize), goals("subject_to", study_.subject_to);
    return std::move(study_);
  }

 private:
  void text(std::string_view key, std::string& to) {
    if (const YamlNode* n = group_.find(key)) to = read_text(*n, key, "the study");
  }
  void entry(std::string_view key, std::optional<StudyFile::Entry>& to) {
    if (const YamlNode* n = group_.find(key)) to = study_entry(*n, key);
  }

  /// A list of expressions, or a map that names them.
  void measures(std::string_view key, std::string_view one, std::vector<StudyFile::Entry>& to) {
    const YamlNode* n = group_.find(key);
    if (n == nullptr) return;
    if (n->is_list()) {
      for (const YamlNode& item : n->items) to.push_back({"", read_text(item, one, "the study"), text_where(item)});
      return;
    }
    for_each_entry(*n, key, [&](const YamlEntry& e) {
      to.push_back({e.key, read_text(e.value, e.key, fmt::format("'{}'", key)), text_where(e.value)});
    });
  }

  void settings(std::string_view key, std::vector<std::string>& to) {
    if (const YamlNode* n = group_.find(key))
      for_each_entry(*n, key,
                     [&](const YamlEntry& e) { to.push_back(e.key + "=" + read_text(e.value, e.key, "'set'")); });
  }

  void goals(std::string_view key, std::vector<StudyFile::Entry>& to) {
    const YamlNode* n = group_.find(key);
    if (n == nullptr) return;
    if (!n->is_list()) {
      to.push_back(study_entry(*n, key));
      return;
    }
    for (const YamlNode& item : n->items) to.push_back(study_entry(item, key));
  }

  void read_correlations() {
    const YamlNode* n = group_.find("correlation");
    if (n == nullptr) return;
    if (!n->is_list()) n->fail("'correlation' takes a list of [name, name, number]");
    for (const YamlNode& row : n->items) {
      if (!row.is_list() || row.items.size() != 3) row.fail("a correlation is written [name, name, number]");
      study_.correlations.push_back({read_name(row.items[0], "a name", "'correlation'"),
                                     read_name(row.items[1], "a name", "'correlation'"),
                                     study_number(row.items[2], "a correlation", kNone), row.where()});
    }
  }

  void read_simulate() {
    const YamlNode* n = group_.find("simulate");
    if (n == nullptr) return;
    const Group group(*n, "'simulate'", kSimulateKeys);
    if (const YamlNode* m = group.find("method")) study_.method = study_entry(*m, "method");
    const std::pair<std::string_view, std::optional<double>*> numbers[] = {
        {"until", &study_.until}, {"step", &study_.step}, {"sample", &study_.sample}, {"tolerance", &study_.tolerance}};
    for (const auto& [key, to] : numbers)
      if (const YamlNode* m = group.find(key)) *to = study_number(*m, key, key == "tolerance" ? kNone : kTime);
  }

  Group group_;
  StudyFile study_;
};

}  // namespace

bool is_study(std::string_view text) {
  try {
    YamlPool pool;
    const YamlNode root = parse_yaml(text, "", pool);
    return root.is_map() && root.find("study") != nullptr && root.find("bodies") == nullptr;
  } catch (const ModelError&) {
    // A study that is broken is still one: its reader says what is wrong.
    return text.starts_with("study:") || text.find("\nstudy:") != std::string_view::npos;
  }
}

StudyFile parse_study(std::string_view text, const std::string& file) {
  YamlPool pool;
  const YamlNode root = parse_yaml(text, file, pool);
  if (!root.is_map()) root.fail("a study file is a map: study: 1, model: ..., vary: ...");
  return StudyReader(root).read();
}

StudyFile read_study(const std::filesystem::path& file) {
  StudyFile study = parse_study(read_file_bytes(file, file.string(), kMostStudyBytes), file.string());
  for (std::string* path : {&study.model, &study.cases, &study.state})
    if (!path->empty()) *path = (file.parent_path() / *path).lexically_normal().string();
  return study;
}

}  // namespace kane
