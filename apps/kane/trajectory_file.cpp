#include "apps/kane/trajectory_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "apps/kane/command.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace {

/// The function of this name in the array file module. Throws ModelError if the module cannot be loaded.
WriteArrays find_writer(const char* name) {
  void* module = dlopen(kArrayModule, RTLD_NOW | RTLD_LOCAL);  // found by the run path of this program
  const char* reason = module == nullptr ? dlerror() : nullptr;
  require(module != nullptr, "HDF5 and MATLAB files need '{}', which cannot be loaded: {}; write a .csv file instead",
          kArrayModule, reason == nullptr ? "" : reason);
  const auto writer = reinterpret_cast<WriteArrays>(dlsym(module, name));
  ensure(writer != nullptr, "{} has no {}", kArrayModule, name);
  return writer;
}

}  // namespace

TrajectoryFile::TrajectoryFile(std::string file, std::vector<std::string> names)
    : file_(std::move(file)), columns_{std::move(names), {}} {
  const char* writer = nullptr;
  if (file_.ends_with(".h5") || file_.ends_with(".hdf5")) writer = kWriteHdf5;
  if (file_.ends_with(".mat")) writer = kWriteMatlab;
  static constexpr std::string_view kText[] = {"", ".", ".csv", ".txt", ".dat"};
  const std::string extension = file_ == "-" ? "" : std::filesystem::path(file_).extension().string();
  require(writer != nullptr || std::find(std::begin(kText), std::end(kText), extension) != std::end(kText),
          "'{}': Kane writes trajectories as .csv, .h5 (HDF5) or .mat (MATLAB), not as {}", file_, extension);
  if (writer == nullptr) {
    csv_.emplace(file_, columns_.names);
    return;
  }
  // Fail now, not after an hour of computing.
  std::FILE* probe = std::fopen(file_.c_str(), "ab");
  require(probe != nullptr, "'{}' cannot be written", file_);
  std::fclose(probe);
  write_arrays_ = find_writer(writer);
  columns_.values.resize(columns_.names.size());
}

void TrajectoryFile::write(std::span<const double> row) {
  if (csv_) return csv_->write(row);
  for (std::size_t i = 0; i < row.size(); ++i) columns_.values[i].push_back(row[i]);
}

void TrajectoryFile::finish() {
  const bool written = csv_ ? csv_->flush() : write_arrays_(file_.c_str(), columns_);
  if (!written) throw RunFailed(fmt::format("'{}' could not be written completely; is the disk full?", file_));
}

}  // namespace kane
