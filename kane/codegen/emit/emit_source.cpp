#include "kane/codegen/emit/emit_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "kane/codegen/emit/emit_frame.hpp"

namespace kane {

namespace {

/// In the order of the enumeration Language.
constexpr const LanguageRow& (*kLanguages[])() = {c_language,      cpp_language,    fortran_language,
                                                  python_language, matlab_language, javascript_language,
                                                  rust_language,   julia_language,  latex_language};

constexpr std::size_t kCount = std::size(kLanguages);

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    if (words.substr(0, end) == word) return true;
    if (end == std::string_view::npos) break;
    words.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace

const LanguageRow& row_of(Language language) { return kLanguages[at(language)](); }

std::span<const LanguageInfo> languages() {
  static const std::array<LanguageInfo, kCount> kInfos = [] {
    std::array<LanguageInfo, kCount> infos{};
    for (std::size_t i = 0; i < kCount; ++i) infos[i] = kLanguages[i]().info;
    return infos;
  }();
  return kInfos;
}

const LanguageInfo& info(Language language) { return row_of(language).info; }

std::optional<Language> find_language(std::string_view name) {
  const std::string wanted = lower_case(name);
  for (const auto language : kLanguages) {
    const LanguageRow& row = language();
    if (row.info.name == wanted || has_word(row.aliases, wanted)) return row.info.language;
  }
  return std::nullopt;
}

std::vector<SourceFile> emit_source(const Program& program, Language language, const EmitOptions& options) {
  const LanguageRow& row = row_of(language);
  return row.emit(make_model(program, row.dialect(), options));
}

}  // namespace kane
