#pragma once
// Names of other formats as names of a Mechanism that can be used in expressions.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kane {

/// Letters, digits and underscores, beginning with a letter.
[[nodiscard]] std::string plain_name(std::string_view name);

/// Names that must differ from each other.
class ImportNames {
 public:
  /// Reserved names.
  explicit ImportNames(std::set<std::string> used = {}) : used_(std::move(used)) {}
  /// A plain name that no other part has. If it differs from the given one, `notes` says so: "the joint 'a b' is called ...".
  std::string add(const std::string& name, std::string_view what, std::vector<std::string>* notes = nullptr);

 private:
  std::set<std::string> used_;
  std::map<std::string, int> next_;  ///< number to try next, so that many equal names take linear time
};

}  // namespace kane
