#include "apps/array_files/array_files.hpp"

#include <hdf5.h>
#include <matio.h>

#include <cctype>
#include <memory>

namespace kane {

namespace {

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

/// In place of the library's own, which tells the time.
constexpr const char* kMatHeader = "MATLAB 5.0 MAT-file, written by Kane";

/// Names of MATLAB variables are letters, digits and _, beginning with a letter.
std::string matlab_name(const std::string& name) {
  std::string r;
  for (const char c : name) r += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  return r.empty() || std::isalpha(static_cast<unsigned char>(r.front())) == 0 ? "x" + r : r;
}

}  // namespace

}  // namespace kane

extern "C" bool kane_write_hdf5(const char* file, const kane::ArrayColumns& columns) {
  using kane::Handle;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // our own message is enough
  // The same numbers give the same bytes: no times of creation in the file.
  const Handle timeless(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
  if (timeless.id < 0 || H5Pset_obj_track_times(timeless.id, false) < 0) return false;
  const Handle out(H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), &H5Fclose);
  if (out.id < 0) return false;
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    const hsize_t size = columns.values[i].size();
    const Handle space(H5Screate_simple(1, &size, nullptr), &H5Sclose);
    const Handle data(
        H5Dcreate2(out.id, columns.names[i].c_str(), H5T_IEEE_F64LE, space.id, H5P_DEFAULT, timeless.id, H5P_DEFAULT),
        &H5Dclose);
    if (data.id < 0) return false;
    if (size > 0 && H5Dwrite(data.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, columns.values[i].data()) < 0)
      return false;
  }
  return H5Fflush(out.id, H5F_SCOPE_LOCAL) >= 0;
}

extern "C" bool kane_write_matlab(const char* file, const kane::ArrayColumns& columns) {
  const std::unique_ptr<mat_t, int (*)(mat_t*)> out(Mat_CreateVer(file, kane::kMatHeader, MAT_FT_MAT5), &Mat_Close);
  if (out == nullptr) return false;
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    std::size_t shape[2] = {columns.values[i].size(), 1};
    // matio takes what it only reads by a pointer that is not const.
    auto* data = const_cast<double*>(columns.values[i].data());
    const std::unique_ptr<matvar_t, void (*)(matvar_t*)> variable(
        Mat_VarCreate(kane::matlab_name(columns.names[i]).c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, 2, shape, data,
                      MAT_F_DONT_COPY_DATA),
        &Mat_VarFree);
    if (variable == nullptr || Mat_VarWrite(out.get(), variable.get(), MAT_COMPRESSION_NONE) != 0) return false;
  }
  return true;
}
