#pragma once
// Checks the files that a command is to write before any work is done: none may be read by the command or written twice, and
// none may exist unless Kane wrote it (kane/base/output_mark.hpp) or --force is given.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kane {

/// Adds --force.
void add_force_option(CLI::App& command, bool& force);

class OutputGuard {
 public:
  /// `inputs`: files the command reads; "" and "-" are none.
  OutputGuard(bool force, std::vector<std::string> inputs) : force_(force), inputs_(std::move(inputs)) {}

  /// Throws ModelError unless the file may be written. "" and "-" are not files. `option`: with which the user can choose
  /// another name, if the name is not the user's own choice.
  void claim(const std::string& file, const char* option = nullptr);
  /// A folder for files whose names begin with `stem`.
  void claim_folder(const std::string& folder, const std::string& stem);

 private:
  void refuse_foreign(const std::string& file, const char* option) const;

  bool force_;
  std::vector<std::string> inputs_, outputs_;
};

}  // namespace kane
