#pragma once
// The picture of a model that is running now: which numbers of the reports a page needs for one instant (a row), and what
// it needs to know once: shapes, points, arrows, signals, and how bodies can be pulled (kane/model/pull.hpp). The
// workbench and the one-file page draw from the same description (web/).

#include <string>
#include <vector>

#include "kane/picture/scene.hpp"

namespace kane {

/// Whether a page may lock a joint while the model runs.
[[nodiscard]] bool is_lockable(const Joint& joint);

class LivePicture {
 public:
  /// `parameters`: the values of all parameters.
  LivePicture(const Mechanism& mechanism, const CompiledSystem& system, const Values& parameters);

  /// The places in the reports of the numbers of a row.
  [[nodiscard]] const std::vector<std::size_t>& columns() const { return columns_; }
  [[nodiscard]] const Scene& scene() const { return scene_; }

  /// The description as JSON text. `morphs`: also how shapes change with each parameter, for pages that cannot ask again.
  [[nodiscard]] std::string to_json(bool morphs) const;

 private:
  const Mechanism& mechanism_;
  const CompiledSystem& system_;
  Values parameters_;
  Scene scene_;
  std::vector<std::size_t> columns_;
};

}  // namespace kane
