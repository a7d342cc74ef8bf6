#pragma once
// A model as the workbench runs it: compiled, with everything a page has to know of it once.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kane/model/model.hpp"
#include "kane/picture/live_picture.hpp"

namespace kane {

struct LiveModel {
  LiveModel(Model compiled, std::string text_of_it, std::uint32_t number);

  Model model;
  LivePicture picture;
  std::string text;
  std::uint32_t version;                                    ///< grows with every edit that takes effect
  std::string info;                                         ///< JSON for pages (docs/protocol.md)
  std::set<std::string> locked{};                           ///< joints
  std::vector<std::pair<std::string, bool>> constraints{};  ///< of the model, that a page may impose and release
};

/// Where the text of a model comes from.
struct LiveSource {
  std::string path;  ///< shown to the user
  std::string file;  ///< on disk, if the text is that of the file; "": the text has been edited
  std::string text;
  std::set<std::string> locked{};         ///< joints that a page has locked
  std::map<std::string, bool> imposed{};  ///< constraints that a page has imposed or released

  /// The same text, whatever is locked in it.
  [[nodiscard]] bool same_text(const LiveSource& other) const { return file == other.file && text == other.text; }
};

/// The mechanism of a source, with the locks that apply to it.
[[nodiscard]] Mechanism read_live_mechanism(const LiveSource& source);

/// Reads, derives, compiles, and looks ahead. Throws ModelError.
[[nodiscard]] std::shared_ptr<const LiveModel> make_live_model(const LiveSource& source, std::uint32_t version);
/// JSON of the equilibrium, the eigenvalues and a frequency response where the model allows it, else of a sentence.
[[nodiscard]] std::string make_live_analysis(const LiveModel& live, const StartState& start);

}  // namespace kane
