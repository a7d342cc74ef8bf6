#include "kane/codegen/emit/emit_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "kane/codegen/emit/emit_frame.hpp"

namespace kane {

namespace {

const LanguageRow kLanguages[] = {
    {{Language::C, "c", "C99"},
     "c99",
     ".c",
     emit_c,
     emit_c_driver,
     "cc -std=c99 -O2 -o simulate main.c @name.c -lm\n./simulate > result.csv"},
    {{Language::Cpp, "cpp", "C++20"},
     "c++ cxx c++20",
     ".hpp",
     emit_cpp,
     emit_cpp_driver,
     "c++ -std=c++20 -O2 -o simulate main.cpp\n./simulate > result.csv"},
    {{Language::Fortran, "fortran", "Fortran 2008"},
     "f90 f95 f2008",
     ".f90",
     emit_fortran,
     emit_fortran_driver,
     "gfortran -O2 -o simulate @name.f90 main.f90\n./simulate > result.csv"},
    {{Language::Python, "python", "Python with NumPy"},
     "py numpy",
     ".py",
     emit_python,
     emit_python_driver,
     "python3 main.py > result.csv"},
    {{Language::Matlab, "matlab", "MATLAB and Octave"},
     "octave m",
     "_evaluate.m",
     emit_matlab,
     emit_matlab_driver,
     "octave --eval simulate_@name > result.csv"},
    {{Language::JavaScript, "javascript", "JavaScript"},
     "js node mjs",
     ".mjs",
     emit_javascript,
     emit_javascript_driver,
     "node main.mjs > result.csv"},
    {{Language::Rust, "rust", "Rust"},
     "rs",
     ".rs",
     emit_rust,
     emit_rust_driver,
     "rustc -O -o simulate main.rs\n./simulate > result.csv"},
    {{Language::Julia, "julia", "Julia"}, "jl", ".jl", emit_julia, emit_julia_driver, "julia main.jl > result.csv"},
    {{Language::Latex, "latex", "LaTeX"}, "tex", ".tex", emit_latex, nullptr, "pdflatex @name.tex"},
};

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

const LanguageRow& row_of(Language language) { return kLanguages[static_cast<std::size_t>(language)]; }

std::span<const LanguageInfo> languages() {
  static const std::array<LanguageInfo, kCount> kInfos = [] {
    std::array<LanguageInfo, kCount> infos{};
    for (std::size_t i = 0; i < kCount; ++i) infos[i] = kLanguages[i].info;
    return infos;
  }();
  return kInfos;
}

const LanguageInfo& info(Language language) { return row_of(language).info; }

std::optional<Language> find_language(std::string_view name) {
  const std::string wanted = lower_case(name);
  for (const LanguageRow& row : kLanguages)
    if (row.info.name == wanted || has_word(row.aliases, wanted)) return row.info.language;
  return std::nullopt;
}

std::vector<SourceFile> emit_source(const Program& program, Language language, const EmitOptions& options) {
  return row_of(language).emit(program, options);
}

}  // namespace kane
