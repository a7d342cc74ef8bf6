#pragma once
// The elements of an MJCF file (MuJoCo's XML) with includes put in place, defaults applied and names of elements and
// attributes checked. What is left out of a file under `lenient` is listed in the notes; nothing is skipped silently.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

struct MjcfLimits {
  std::size_t max_bytes = 16U << 20U;  ///< of each file
  std::size_t max_files = 200;         ///< that are included
  std::size_t max_elements = 200'000;  ///< after includes and replication
  std::size_t max_bodies = 4000;
};

/// One element with its attributes as text.
struct MjcfElement {
  std::string name;
  Where where;
  std::map<std::string, std::string, std::less<>> attributes;
  std::vector<MjcfElement> children;

  /// Null if the attribute is absent.
  [[nodiscard]] const std::string* find(std::string_view attribute) const;
  /// "the joint 'hip'", or "this joint" without a name.
  [[nodiscard]] std::string describe() const;
  [[noreturn]] void fail(const std::string& message) const;
  /// Numbers of an attribute, of which there must be `least` to `most`; nothing if the attribute is absent.
  [[nodiscard]] std::optional<std::vector<double>> numbers(std::string_view attribute, std::size_t least,
                                                           std::size_t most) const;
  [[nodiscard]] double number(std::string_view attribute, double otherwise) const;
  /// true, false, or `otherwise` (also for "auto").
  [[nodiscard]] bool flag(std::string_view attribute, bool otherwise) const;
  [[nodiscard]] std::string text(std::string_view attribute, std::string_view otherwise = "") const;
  /// One of these words; the first if the attribute is absent.
  [[nodiscard]] std::string word(std::string_view attribute, const std::vector<std::string>& known) const;
};

/// How the reader treats what Kane cannot represent: an error at its line, or a note if `lenient`.
class MjcfRefusals {
 public:
  explicit MjcfRefusals(bool lenient) : lenient_(lenient) {}
  /// Throws ModelError, or notes that `what` is left out.
  void refuse(const MjcfElement& element, const std::string& what);
  void note(const MjcfElement& element, const std::string& text);
  void note(const std::string& text) { notes_.push_back(text); }
  [[nodiscard]] std::vector<std::string>& notes() { return notes_; }

 private:
  bool lenient_;
  std::vector<std::string> notes_;
};

/// An actuator and the defaults of its class, outermost first. All kinds of actuators share one record of defaults, so they
/// cannot be merged as text.
struct MjcfActuatorText {
  MjcfElement element;
  std::vector<MjcfElement> defaults;
};

/// The whole file: sections of the same name are joined, and elements have the attributes of their classes.
struct MjcfFile {
  std::string model;
  Where where;
  std::filesystem::path folder;  ///< of the top file; "" if the text does not come from a file
  MjcfElement compiler, option, flags, world;
  std::vector<MjcfElement> meshes, heightfields, equalities, tendons, excludes, pairs, keys;
  std::vector<MjcfActuatorText> actuators;
  std::size_t sensors = 0;
};

/// Reads, checks and completes a text. `file` is the path it came from, or just a name for messages if `from_file` is false:
/// it cannot include other files then.
[[nodiscard]] MjcfFile read_mjcf_tree(std::string_view text, const std::filesystem::path& file, bool from_file,
                                      const MjcfLimits& limits, MjcfRefusals& refusals);

}  // namespace kane
