#include "apps/kane/trajectory_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "apps/kane/matlab_file.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_mark.hpp"

namespace kane {

namespace {

namespace fs = std::filesystem;

/// While arrays are written anew, FILE.part keeps what was written before.
constexpr std::string_view kSecondEnding = ".part2";

/// The function of the array file module. Throws ModelError if the module cannot be loaded.
FormArrays find_hdf5() {
  void* module = dlopen(kArrayModule, RTLD_NOW | RTLD_LOCAL);  // found by the run path of this program
  const char* reason = module == nullptr ? dlerror() : nullptr;
  require(module != nullptr, "HDF5 files need '{}', which cannot be loaded: {}; write a .csv file instead",
          kArrayModule, reason == nullptr ? "" : reason);
  const auto form = reinterpret_cast<FormArrays>(dlsym(module, kFormHdf5));
  ensure(form != nullptr, "{} has no {}", kArrayModule, kFormHdf5);
  return form;
}

}  // namespace

TrajectoryFile::TrajectoryFile(std::string file, std::vector<std::string> names, const std::string& model,
                               std::vector<std::string> units)
    : file_(std::move(file)), columns_{std::move(names), {}, std::move(units), {}} {
  const bool hdf5 = file_.ends_with(".h5") || file_.ends_with(".hdf5"), matlab = file_.ends_with(".mat");
  static constexpr std::string_view kText[] = {"", ".", ".csv", ".txt", ".dat"};
  const std::string extension = file_ == "-" ? "" : fs::path(file_).extension().string();
  require(hdf5 || matlab || std::find(std::begin(kText), std::end(kText), extension) != std::end(kText),
          "'{}': Kane writes trajectories as .csv, .h5 (HDF5) or .mat (MATLAB), not as {}", file_, extension);
  if (!hdf5 && !matlab) {
    csv_.emplace(file_, columns_.names);
    return;
  }
  check_writable(file_);  // fail now, not after an hour of computing
  if (hdf5) form_hdf5_ = find_hdf5();
  columns_.values.resize(columns_.names.size());
  std::set<std::string> taken;  // an output may be called like a coordinate
  for (std::string& name : columns_.names)
    while (!taken.insert(name).second) name += "_";
  columns_.attributes.push_back({"origin", std::string(kOutputWords)});
  if (!model.empty()) columns_.attributes.push_back({"model", model});
  next_part_ = Clock::now() + pause_;
}

void TrajectoryFile::write(std::span<const double> row) {
  if (csv_) return csv_->write(row);
  for (std::size_t i = 0; i < row.size(); ++i) columns_.values[i].push_back(row[i]);
  constexpr long kFirstRows = 1024, kRowsBetweenLooks = 16;
  const bool look = ++rows_ <= kFirstRows || rows_ % kRowsBetweenLooks == 0;
  if (look && Clock::now() >= next_part_) write_part();
}

void TrajectoryFile::write_arrays(const std::string& file) {
  OutputFile out(file, kSecondEnding);
  const ByteSink sink = [&](const void* bytes, std::size_t size) {
    out.write({static_cast<const char*>(bytes), size});
  };
  if (form_hdf5_ == nullptr)
    form_matlab(columns_, sink);
  else if (!form_hdf5_(columns_, sink))
    throw OutputError(
        fmt::format("'{}' could not be formed: the HDF5 library failed, perhaps for lack of memory", file_));
  out.commit();
}

/// Soon after the start, then less often, and so seldom that it costs a fiftieth of the time. A disk too full for it may be large enough for the result.
void TrajectoryFile::write_part() {
  const auto begin = Clock::now();
  try {
    write_arrays(part());
    has_part_ = true;
  } catch (const ModelError&) {
  }
  const auto end = Clock::now();
  pause_ = std::min<Clock::duration>(2 * pause_, std::chrono::seconds(2));
  next_part_ = end + std::max<Clock::duration>(pause_, 50 * (end - begin));
}

/// The disk may have room for the file in place of its part, but not for both.
bool TrajectoryFile::fits_without_part() const {
  std::error_code no_space, no_size;
  const fs::path path(part());
  const auto free = fs::space(path, no_space).available;
  const auto used = fs::file_size(path, no_size);
  const std::uintmax_t needed = 8 * columns_.names.size() * (columns_.values.front().size() + 512) + (1U << 16U);
  return !no_space && !no_size && free + used > needed;
}

void TrajectoryFile::finish() {
  if (csv_) return csv_->finish();
  std::error_code ignored;
  try {
    write_arrays(file_);
  } catch (const OutputError& error) {
    if (!has_part_) throw;
    if (!fits_without_part())
      throw OutputError(fmt::format("{}; the first part of the run is in '{}'", error.message(), part()), error.code());
    fs::remove(part(), ignored);
    write_arrays(file_);
  }
  if (has_part_) fs::remove(part(), ignored);
}

void TrajectoryFile::finish_interrupted() {
  finish();
  fmt::print(stderr, "interrupted; the samples so far are in {}\n", file_ == "-" ? "standard output" : file_);
}

}  // namespace kane
