#pragma once
// Writing whole files, with every failure reported. A place that cannot be written is found before any work is done.

#include <string>
#include <string_view>

#include "kane/base/error.hpp"

namespace kane {

/// The input was right, but a result could not be written completely: the disk is full, or a program that writes it failed.
class OutputError : public ModelError {
 public:
  using ModelError::ModelError;
};

/// Throws ModelError if the file cannot be opened for writing. An existing file keeps its content; no new one is left.
void check_writable(const std::string& file);

/// Replaces the file. Throws ModelError if it cannot be opened, OutputError if it cannot be written completely.
void write_file(const std::string& file, std::string_view content);

/// Makes the folder and those above it. Throws ModelError if that is impossible.
void make_folder(const std::string& folder);

}  // namespace kane
