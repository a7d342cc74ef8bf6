#include "apps/kane/trajectory_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <matio.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "apps/kane/command.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace {

bool ends_with(const std::string& text, std::string_view end) { return text.ends_with(end); }

/// Closes an HDF5 handle at the end of its scope.
struct Handle {
  hid_t id;
  herr_t (*close)(hid_t);
  Handle(hid_t i, herr_t (*c)(hid_t)) : id(i), close(c) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id >= 0) close(id);
  }
};

bool write_hdf5(const std::string& file, const std::vector<std::string>& names,
                const std::vector<std::vector<double>>& columns) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // our own message is enough
  const Handle out(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), &H5Fclose);
  if (out.id < 0) return false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const hsize_t size = columns[i].size();
    const Handle space(H5Screate_simple(1, &size, nullptr), &H5Sclose);
    const Handle data(
        H5Dcreate2(out.id, names[i].c_str(), H5T_IEEE_F64LE, space.id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        &H5Dclose);
    if (data.id < 0) return false;
    if (size > 0 && H5Dwrite(data.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, columns[i].data()) < 0)
      return false;
  }
  return H5Fflush(out.id, H5F_SCOPE_LOCAL) >= 0;
}

/// Names of MATLAB variables are letters, digits and _, beginning with a letter.
std::string matlab_name(const std::string& name) {
  std::string r;
  for (const char c : name) r += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  return r.empty() || std::isalpha(static_cast<unsigned char>(r.front())) == 0 ? "x" + r : r;
}

bool write_matlab(const std::string& file, const std::vector<std::string>& names,
                  const std::vector<std::vector<double>>& columns) {
  const std::unique_ptr<mat_t, int (*)(mat_t*)> out(Mat_CreateVer(file.c_str(), nullptr, MAT_FT_MAT5), &Mat_Close);
  if (out == nullptr) return false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::size_t shape[2] = {columns[i].size(), 1};
    // matio takes what it only reads by a pointer that is not const.
    auto* data = const_cast<double*>(columns[i].data());
    const std::unique_ptr<matvar_t, void (*)(matvar_t*)> variable(
        Mat_VarCreate(matlab_name(names[i]).c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, 2, shape, data, MAT_F_DONT_COPY_DATA),
        &Mat_VarFree);
    if (variable == nullptr || Mat_VarWrite(out.get(), variable.get(), MAT_COMPRESSION_NONE) != 0) return false;
  }
  return true;
}

}  // namespace

TrajectoryFile::TrajectoryFile(std::string file, std::vector<std::string> names)
    : file_(std::move(file)), names_(std::move(names)), kind_(Kind::Csv) {
  if (ends_with(file_, ".h5") || ends_with(file_, ".hdf5")) kind_ = Kind::Hdf5;
  if (ends_with(file_, ".mat")) kind_ = Kind::Matlab;
  static constexpr std::string_view kText[] = {"", ".", ".csv", ".txt", ".dat"};
  const std::string extension = file_ == "-" ? "" : std::filesystem::path(file_).extension().string();
  require(kind_ != Kind::Csv || std::find(std::begin(kText), std::end(kText), extension) != std::end(kText),
          "'{}': Kane writes trajectories as .csv, .h5 (HDF5) or .mat (MATLAB), not as {}", file_, extension);
  if (kind_ == Kind::Csv) {
    csv_.emplace(file_, names_);
    return;
  }
  // Now, not after an hour of computing.
  std::FILE* probe = std::fopen(file_.c_str(), "ab");
  require(probe != nullptr, "'{}' cannot be written", file_);
  std::fclose(probe);
  columns_.resize(names_.size());
}

void TrajectoryFile::write(std::span<const double> row) {
  if (csv_) return csv_->write(row);
  for (std::size_t i = 0; i < row.size(); ++i) columns_[i].push_back(row[i]);
}

void TrajectoryFile::finish() {
  const bool written = kind_ == Kind::Csv    ? csv_->flush()
                       : kind_ == Kind::Hdf5 ? write_hdf5(file_, names_, columns_)
                                             : write_matlab(file_, names_, columns_);
  if (!written) throw RunFailed(fmt::format("'{}' could not be written completely; is the disk full?", file_));
}

}  // namespace kane
