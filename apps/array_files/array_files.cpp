#include "apps/array_files/array_files.hpp"

#include <hdf5.h>

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

bool write_attribute(hid_t file, const std::string& name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), &H5Tclose);
  if (type.id < 0 || H5Tset_size(type.id, text.size() + 1) < 0 || H5Tset_cset(type.id, H5T_CSET_UTF8) < 0) return false;
  const Handle space(H5Screate(H5S_SCALAR), &H5Sclose);
  const Handle attribute(H5Acreate2(file, name.c_str(), type.id, space.id, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
  return attribute.id >= 0 && H5Awrite(attribute.id, type.id, text.c_str()) >= 0;
}

bool write_column(hid_t file, const std::string& name, const std::vector<double>& values, const std::string& unit,
                  hid_t creation) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), &H5Sclose);
  const Handle data(H5Dcreate2(file, name.c_str(), H5T_IEEE_F64LE, space.id, H5P_DEFAULT, creation, H5P_DEFAULT),
                    &H5Dclose);
  if (data.id < 0 || (!unit.empty() && !write_attribute(data.id, "unit", unit))) return false;
  return size == 0 || H5Dwrite(data.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0;
}

}  // namespace

}  // namespace kane

extern "C" bool kane_form_hdf5(const kane::ArrayColumns& columns, const kane::ByteSink& sink) {
  using kane::Handle;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // our own message is enough
  // The same numbers give the same bytes: no times of creation in the file.
  const Handle timeless(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
  if (timeless.id < 0 || H5Pset_obj_track_times(timeless.id, false) < 0) return false;
  constexpr std::size_t kGrowth = 1U << 20U;  // of the file in memory
  const Handle memory(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  if (memory.id < 0 || H5Pset_fapl_core(memory.id, kGrowth, false) < 0) return false;
  const Handle out(H5Fcreate("kane.h5", H5F_ACC_TRUNC, H5P_DEFAULT, memory.id), &H5Fclose);
  if (out.id < 0) return false;
  for (const auto& [name, text] : columns.attributes)
    if (!kane::write_attribute(out.id, name, text)) return false;
  for (std::size_t i = 0; i < columns.names.size(); ++i)
    if (!kane::write_column(out.id, columns.names[i], columns.values[i], columns.units.empty() ? "" : columns.units[i],
                            timeless.id))
      return false;
  if (H5Fflush(out.id, H5F_SCOPE_LOCAL) < 0) return false;
  void* bytes = nullptr;
  const ssize_t size = H5Fget_file_image(out.id, nullptr, 0);
  if (size <= 0 || H5Fget_vfd_handle(out.id, memory.id, &bytes) < 0) return false;
  sink(*static_cast<void**>(bytes),
       static_cast<std::size_t>(size));  // the handle of this kind of file points to its bytes
  return true;
}
