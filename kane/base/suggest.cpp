#include "kane/base/suggest.hpp"

#include <algorithm>
#include <cctype>

namespace kane {

int edit_distance(std::string_view a, std::string_view b) {
  // Damerau's distance restricted to adjacent swaps, three rows at a time.
  std::vector<int> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({replace, last[j] + 1, now[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

std::optional<std::string> find_nearest_name(std::string_view name, const std::vector<std::string>& known) {
  // A misspelling changes up to a third of the letters; a very long name is not worth the quadratic search.
  constexpr std::size_t kLongestName = 200;
  if (name.empty() || name.size() > kLongestName) return std::nullopt;
  const int allowed = std::max(1, static_cast<int>(name.size()) / 3);
  std::optional<std::string> best;
  int best_distance = allowed + 1;
  for (const auto& candidate : known) {
    if (candidate.size() > kLongestName) continue;
    int distance = edit_distance(name, candidate);
    if (lower_case(name) == lower_case(candidate))
      distance = std::min(distance, 1);
    else if (known.size() > 1 && distance >= static_cast<int>(std::max(name.size(), candidate.size())))
      continue;  // no letter in common: 'B' is not a misspelt 't', unless there is nothing else to mean
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const auto nearest = find_nearest_name(name, known);
  return nearest ? "; did you mean '" + *nearest + "'?" : std::string();
}

}  // namespace kane
