#pragma once
// The module kane_array_files: columns of numbers as HDF5 files. The kane command loads it when such a file is requested:
// the library brings some thirty others with it, which would double the time every command takes to start (and one of which
// makes GMP wipe all memory it frees).

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kane {

struct ArrayColumns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;                      ///< one array per name
  std::vector<std::string> units;                               ///< one per name, "" if not known; or none at all
  std::vector<std::pair<std::string, std::string>> attributes;  ///< of the file: name, text
};

/// Gets the bytes of a file, in order.
using ByteSink = std::function<void(const void* bytes, std::size_t size)>;

/// Forms a file in memory and hands its bytes to the sink: the library itself touches no disk, since it does not survive a
/// full one. False if the file could not be formed.
using FormArrays = bool (*)(const ArrayColumns& columns, const ByteSink& sink);

inline constexpr const char* kArrayModule = "kane_array_files.so";
inline constexpr const char* kFormHdf5 = "kane_form_hdf5";

}  // namespace kane
