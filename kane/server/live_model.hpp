#pragma once
// A model as the workbench runs it: compiled, with everything a page has to know of it once.

#include <cstdint>
#include <memory>
#include <string>

#include "kane/model/model.hpp"
#include "kane/picture/live_picture.hpp"

namespace kane {

struct LiveModel {
  LiveModel(Model compiled, std::string text_of_it, std::uint32_t number);

  Model model;
  LivePicture picture;
  std::string text;
  std::uint32_t version;  ///< grows with every edit that takes effect
  std::string info;       ///< JSON for pages (docs/protocol.md)
};

/// Where the text of a model comes from.
struct LiveSource {
  std::string path;  ///< shown to the user
  std::string file;  ///< on disk, if the text is that of the file; "": the text has been edited
  std::string text;
};

/// Reads, derives, compiles, and looks ahead. Throws ModelError.
[[nodiscard]] std::shared_ptr<const LiveModel> make_live_model(const LiveSource& source, std::uint32_t version);
/// HTML of the equations of motion; a sentence if they cannot be shown.
[[nodiscard]] std::string make_live_equations(const LiveSource& source);
/// JSON of the equilibrium, the eigenvalues and a frequency response where the model allows it, else of a sentence.
[[nodiscard]] std::string make_live_analysis(const LiveModel& live, const StartState& start);

}  // namespace kane
