#include "kane/formats/yaml/yaml_document.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "kane/base/suggest.hpp"
#include "kane/formats/yaml/yaml_repeat.hpp"

namespace kane {

namespace {

namespace fs = std::filesystem;

/// How a section of an included file is merged with the same section of the including file.
enum class Meeting {
  Replace,    ///< one value: that of the including file
  Join,       ///< names or list items, all different
  Override,   ///< names; the including file may override some
  OwnOnly,    ///< applies to its own file only
  Directive,  ///< include, repeat
};

struct SectionRow {
  std::string_view name;
  Meeting meeting;
  bool repeated;  ///< allowed in `repeat`
};

constexpr SectionRow kSections[] = {
    {"kane", Meeting::OwnOnly, false},
    {"name", Meeting::OwnOnly, false},
    {"description", Meeting::OwnOnly, false},
    {"include", Meeting::Directive, false},
    {"repeat", Meeting::Directive, false},
    {"ground", Meeting::Replace, false},
    {"parameters", Meeting::Override, true},
    {"inputs", Meeting::Override, true},
    {"tables", Meeting::Join, true},
    {"let", Meeting::Override, true},
    {"gravity", Meeting::Replace, false},
    {"bodies", Meeting::Join, true},
    {"particles", Meeting::Join, true},
    {"points", Meeting::Join, true},
    {"frames", Meeting::Join, true},
    {"joints", Meeting::Join, true},
    {"dh", Meeting::Join, true},
    {"loads", Meeting::Join, true},
    {"coordinates", Meeting::Join, true},
    {"extra_coordinates", Meeting::Join, true},
    {"speeds", Meeting::Join, true},
    {"equations", Meeting::Replace, false},
    {"constraints", Meeting::Join, true},
    {"dependent", Meeting::Join, true},
    {"contacts", Meeting::Join, true},
    {"friction", Meeting::Join, true},
    {"events", Meeting::Join, true},
    {"modes", Meeting::Join, true},
    {"handle", Meeting::Join, true},
    {"states", Meeting::Join, true},
    {"auxiliary", Meeting::Join, true},
    {"outputs", Meeting::Join, true},
    {"initial", Meeting::Override, true},
    {"guess", Meeting::Override, true},
    {"simulate", Meeting::Override, false},
};

const SectionRow* find_section(std::string_view name) {
  for (const auto& row : kSections)
    if (row.name == name) return &row;
  return nullptr;
}

class Loader {
 public:
  explicit Loader(ModelDocument& document) : document_(document), pool_(document.pool) {}

  void load_root(const fs::path& file, const std::string& name) {
    std::error_code error;
    const fs::path canonical = fs::canonical(file, error);
    if (error) throw ModelError({name}, "the file cannot be read: " + error.message());
    load(canonical, name, YamlPlace{});
  }

  void load_text(std::string_view text, const std::string& name) { merge_file(parse(text, name), fs::path(), 0); }

 private:
  YamlNode parse(std::string_view text, const std::string& name) {
    YamlNode root = parse_yaml(text, name, pool_);
    if (root.is_null())
      throw ModelError({name}, "the file is empty; a model has at least bodies and joints (try 'kane new')");
    if (!root.is_map())
      root.fail("a model file consists of sections such as 'bodies:', but " + root.describe() + " was found");
    return root;
  }

  void load(const fs::path& canonical, const std::string& name, const YamlPlace& from) {
    if (std::find(open_.begin(), open_.end(), canonical) != open_.end())
      fail_at(from, fmt::format("the file '{}' includes itself{}", name,
                                open_.back() == canonical ? "" : " through the files it includes"));
    if (static_cast<int>(open_.size()) > pool_.limits().max_include_depth)
      throw LimitError(from.where(), fmt::format("files include each other deeper than {} levels; this is the limit "
                                                 "max_include_depth",
                                                 pool_.limits().max_include_depth));
    pool_.use_file(from);
    const YamlNode root = parse(read_file_bytes(canonical, name, pool_.limits().max_bytes), name);
    open_.push_back(canonical);
    merge_file(root, canonical.parent_path(), static_cast<int>(open_.size()) - 1);
    open_.pop_back();
  }

  void merge_file(const YamlNode& root, const fs::path& folder, int level) {
    if (level == 0) document_.place = {root.place.file, nullptr, 1, 1};
    check_version(root);
    for (const auto& entry : root.entries) {
      const SectionRow* row = find_section(entry.key);
      if (row == nullptr)
        fail_at(entry.key_place,
                fmt::format("unknown section '{}'{}", shown(entry.key), suggestion(entry.key, section_names())));
      if (entry.key == "include") {
        include(entry.value, folder);
      } else if (entry.key == "repeat") {
        expand_repeat(entry.value, pool_, repeated_sections(),
                      [&](YamlEntry&& section) { merge_section(*find_section(section.key), section.value, level); });
      } else if (row->meeting != Meeting::OwnOnly || level == 0) {
        merge_section(*row, entry.value, level);
      }
    }
  }

  static void check_version(const YamlNode& root) {
    const YamlNode* version = root.find("kane");
    if (version == nullptr) return;
    if (!version->is_scalar() || version->text != "1")
      version->fail("this file uses version " + version->describe() + " of the format; this program reads version 1");
  }

  void include(const YamlNode& node, const fs::path& folder) {
    if (node.is_list()) {
      for (const auto& item : node.items) include(item, folder);
      return;
    }
    if (!node.is_scalar())
      node.fail("'include' takes the name of a file or a list of files, but " + node.describe() + " is given");
    if (folder.empty()) node.fail("a model that is not read from a file cannot include files");
    load(path_beneath(folder, node.text, node.place), display_name(node), node.place);
  }

  /// The name of an included file for messages: relative to the path given for the including file.
  static std::string display_name(const YamlNode& node) {
    return (fs::path(*node.place.file).parent_path() / node.text).string();
  }

  void merge_section(const SectionRow& row, const YamlNode& value, int level) {
    const std::string name(row.name);
    if (value.is_null()) return;  // "bodies:" with nothing under it
    const auto known = document_.sections.find(name);
    if (known == document_.sections.end()) {
      document_.sections.emplace(name, value);
      levels_[name] = level;
      remember(name, value, level);
      return;
    }
    YamlNode& section = known->second;
    if (row.meeting == Meeting::Replace || row.meeting == Meeting::OwnOnly) {
      replace(name, section, value, level);
    } else if (section.is_map() && value.is_map()) {
      join_maps(row, section, value, level);
    } else if (section.is_list() && value.is_list()) {
      section.items.insert(section.items.end(), value.items.begin(), value.items.end());
    } else {
      value.fail(fmt::format("'{}' is {} here, but {} in {}", name, value.describe(), section.describe(),
                             section.where().to_string()));
    }
  }

  void replace(const std::string& name, YamlNode& section, const YamlNode& value, int level) {
    if (level > levels_[name]) return;  // the including file takes precedence
    if (level == levels_[name])
      value.fail(fmt::format("'{}' is given twice (first in {})", name, section.where().to_string()));
    section = value;
    levels_[name] = level;
  }

  void join_maps(const SectionRow& row, YamlNode& section, const YamlNode& value, int level) {
    const std::string name(row.name);
    auto& places = entries_[name];
    for (const auto& entry : value.entries) {
      const auto [known, is_new] = places.emplace(entry.key, EntryPlace{section.entries.size(), level});
      if (is_new) {
        section.entries.push_back(entry);
        continue;
      }
      YamlEntry& old = section.entries[known->second.index];
      if (row.meeting != Meeting::Override || level == known->second.level)
        fail_at(entry.key_place, fmt::format("'{}' is given twice in '{}' (first in {})", shown(entry.key), name,
                                             old.key_place.where().to_string()));
      if (level > known->second.level) continue;
      old = entry;
      known->second.level = level;
    }
  }

  void remember(const std::string& name, const YamlNode& value, int level) {
    for (std::size_t i = 0; i < value.entries.size(); ++i) entries_[name][value.entries[i].key] = {i, level};
  }

  struct EntryPlace {
    std::size_t index;
    int level;  ///< level of inclusion: 0 is the file itself
  };

  ModelDocument& document_;
  YamlPool& pool_;
  std::vector<fs::path> open_;
  std::map<std::string, int> levels_;
  std::map<std::string, std::map<std::string, EntryPlace>> entries_;
};

}  // namespace

const YamlNode* ModelDocument::find(std::string_view section) const {
  const auto known = sections.find(section);
  return known == sections.end() ? nullptr : &known->second;
}

const std::vector<std::string>& section_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& row : kSections) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

const std::vector<std::string>& repeated_sections() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> some;
    for (const auto& row : kSections)
      if (row.repeated) some.emplace_back(row.name);
    return some;
  }();
  return names;
}

std::string read_file_bytes(const fs::path& file, const std::string& name, std::size_t max_bytes) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (error || !fs::exists(status)) throw ModelError({name}, "the file does not exist");
  if (!fs::is_regular_file(status)) throw ModelError({name}, "this is not a regular file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw ModelError({name}, "the file cannot be opened for reading");
  std::string bytes;
  std::vector<char> block(1U << 16U);
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
    bytes.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > max_bytes)
      throw LimitError({name}, fmt::format("the file is larger than {} bytes; this is the limit max_bytes", max_bytes));
  }
  return bytes;
}

fs::path path_beneath(const fs::path& folder, const std::string& name, const YamlPlace& place) {
  const fs::path relative(name);
  if (name.empty()) fail_at(place, "the name of a file is expected");
  if (relative.is_absolute() || relative.has_root_path())
    fail_at(place,
            fmt::format("'{}' is an absolute path; files are named relative to the folder of this file", shown(name)));
  for (const auto& part : relative)
    if (part == "..") fail_at(place, fmt::format("'{}' leads out of the folder of this file with '..'", shown(name)));
  std::error_code error;
  const fs::path canonical = fs::canonical(folder / relative, error);
  if (error) fail_at(place, fmt::format("the file '{}' cannot be read: {}", shown(name), error.message()));
  const fs::path base = fs::canonical(folder, error);
  const auto [end, rest] = std::mismatch(base.begin(), base.end(), canonical.begin(), canonical.end());
  if (error || end != base.end())
    fail_at(place, fmt::format("'{}' is a link that leads out of the folder of this file", shown(name)));
  if (!fs::is_regular_file(canonical, error)) fail_at(place, fmt::format("'{}' is not a regular file", shown(name)));
  return canonical;
}

void load_document(const fs::path& file, ModelDocument& document) { Loader(document).load_root(file, file.string()); }

void load_document_text(std::string_view text, const std::string& name, ModelDocument& document) {
  Loader(document).load_text(text, name);
}

}  // namespace kane
