#pragma once
// Which files a command may write, checked before any work is done: none that the command reads, none twice, and none that
// exists and that Kane did not write (kane/base/output_mark.hpp), unless --force is given.

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

  /// Throws ModelError unless the file may be written. "" and "-" are no files. `option`: with which the user can choose
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
