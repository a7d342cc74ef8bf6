#pragma once
// Reads any model file; the format follows from its name or from its first characters.

#include <filesystem>
#include <string>
#include <string_view>

#include "kane/formats/fortytwo/fortytwo_reader.hpp"
#include "kane/formats/mjcf/mjcf_reader.hpp"
#include "kane/formats/sdfast/sdfast_reader.hpp"
#include "kane/formats/urdf/urdf_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/model/model.hpp"

namespace kane {

/// The kinds of model file.
enum class ModelFormat : std::uint8_t { Yaml, Urdf, Mjcf, Sdfast, Autolev, FortyTwo, Dxf };

/// How files are read.
struct ReadOptions {
  UrdfOptions urdf = {};          ///< for URDF files
  MjcfOptions mjcf = {};          ///< for MJCF files (MuJoCo)
  SdfastOptions sdfast = {};      ///< for SD/FAST files
  FortyTwoOptions fortytwo = {};  ///< for spacecraft files of 42
  YamlLimits yaml = {};           ///< for Kane YAML files
  /// Leave out unsupported parts, with a remark in Mechanism::notes, in every format that may have such parts.
  bool lenient = false;
};

/// The format of a file: .yaml, .yml and .kane are Kane YAML, .urdf is URDF, .mjcf is MJCF, .sd is SD/FAST, .al is an
/// AUTOLEV script, .txt is a spacecraft file of 42, .dxf is a drawing. Otherwise a text that begins with '<<' is a file of 42, and one that
/// begins with '<' is MJCF if its root element is `mujoco`, and URDF if not.
[[nodiscard]] ModelFormat model_format(const std::filesystem::path& file, std::string_view text);

/// Reads, derives and compiles a model. Throws ModelError with file, line and column.
[[nodiscard]] Model read_model(const std::filesystem::path& file, const ModelOptions& options = {},
                               const ReadOptions& reading = {});
/// The same for a text; `name` is used in messages, and its extension gives the format.
[[nodiscard]] Model read_model_text(std::string_view text, const std::string& name, const ModelOptions& options = {},
                                    const ReadOptions& reading = {});

/// Reads and checks a mechanism, to inspect or modify it. Throws ModelError with file, line and column.
[[nodiscard]] Mechanism read_mechanism(const std::filesystem::path& file, const ReadOptions& options = {});
/// The same for a text, e.g. from standard input; Kane YAML cannot then include files.
[[nodiscard]] Mechanism read_mechanism_text(std::string_view text, const std::string& name,
                                            const ReadOptions& options = {});

}  // namespace kane
