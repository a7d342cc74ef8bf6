#pragma once
// "Did you mean ...?": the nearest known name by edit distance.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kane {

/// Number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `name`, if it is near enough to be a likely misspelling.
[[nodiscard]] std::optional<std::string> find_nearest_name(std::string_view name,
                                                           const std::vector<std::string>& known);

/// "; did you mean 'x'?" or an empty string.
[[nodiscard]] std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace kane
