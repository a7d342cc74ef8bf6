#pragma once
// The module kane_array_files: columns of numbers as HDF5 and MATLAB files. The kane command loads it when such a file
// is asked for: the two libraries bring some thirty others with them, which would double the time every command takes
// to start (and one of which makes GMP wipe all memory it frees).

#include <string>
#include <vector>

namespace kane {

struct ArrayColumns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  ///< one array per name
};

/// Writes all columns to `file`; false if that failed.
using WriteArrays = bool (*)(const char* file, const ArrayColumns& columns);

inline constexpr const char* kArrayModule = "kane_array_files.so";
inline constexpr const char* kWriteHdf5 = "kane_write_hdf5";
inline constexpr const char* kWriteMatlab = "kane_write_matlab";

}  // namespace kane
