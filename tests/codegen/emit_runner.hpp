#pragma once
// Builds and runs exported folders.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "kane/codegen/emit/emit_export.hpp"

namespace kane::test {

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A folder that goes when the test ends.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name) {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("kane_emit_" + name + "_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  [[nodiscard]] std::string read(const std::string& name) const { return read_text(path_ / name); }

 private:
  std::filesystem::path path_;
};

struct CsvTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};

inline std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

inline double number_of(const std::string& cell) { return std::strtod(cell.c_str(), nullptr); }

inline CsvTable table_of(const std::string& text) {
  CsvTable table;
  std::istringstream in(text);
  std::string line;
  if (std::getline(in, line)) table.names = split(line);
  while (std::getline(in, line)) {
    table.rows.emplace_back();
    for (const std::string& cell : split(line)) table.rows.back().push_back(number_of(cell));
  }
  return table;
}

/// Runs a shell command in the folder; what it prints is a table.
inline CsvTable run_for_table(const std::filesystem::path& folder, const std::string& command) {
  const std::string all = "cd '" + folder.string() + "' && (" + command + ") > out.csv 2> err.txt";
  if (std::system(all.c_str()) == 0) return table_of(read_text(folder / "out.csv"));
  ADD_FAILURE() << command << "\n" << read_text(folder / "err.txt").substr(0, 4000);
  return {};
}

/// Languages whose drivers can be run here: Rust only where there is a compiler.
inline std::vector<Language> languages_to_run() {
  std::vector<Language> all{Language::C,      Language::Cpp,    Language::Fortran,
                            Language::Python, Language::Matlab, Language::JavaScript};
  if (std::system("rustc --version > /dev/null 2>&1") == 0) all.push_back(Language::Rust);
  return all;
}

/// How the tests build and run a driver; warnings are errors where the compiler has them.
inline std::string command_for(Language language, const std::string& name, bool calls) {
  switch (language) {
    case Language::C:
      return "gcc -std=c99 -Wall -Wextra -pedantic -Werror -O1 -o simulate main.c " + name + ".c" +
             (calls ? " functions.c" : "") + " -lm && ./simulate";
    case Language::Cpp: return "g++ -std=c++20 -Wall -Wextra -pedantic -Werror -O1 -o simulate main.cpp && ./simulate";
    case Language::Fortran:
      return "gfortran -std=f2008 -Wall -Werror -Wno-unused-dummy-argument -Wno-compare-reals -O1 -o simulate " +
             std::string(calls ? "functions.f90 " : "") + name + ".f90 main.f90 && ./simulate";
    case Language::Python: return "/usr/bin/python3 -W ignore main.py";
    case Language::Matlab: return "octave --no-gui --norc --quiet --eval simulate_" + name;
    case Language::JavaScript: return "node main.mjs";
    case Language::Rust: return "rustc --edition 2021 -D warnings -A dead_code -o simulate main.rs && ./simulate";
    default: return "false";
  }
}

}  // namespace kane::test
