#pragma once
// modelDescription.xml, the description of an FMU by FMI 2.0.4 or FMI 3.0.

#include <cstdint>
#include <string>
#include <vector>

#include "kane/export/fmu/fmu_model.hpp"

namespace kane {

enum class FmiVersion : std::uint8_t { Two = 2, Three = 3 };

struct DescriptionOptions {
  FmiVersion version = FmiVersion::Two;
  bool model_exchange = true, co_simulation = true;
  std::string token;                   ///< GUID or instantiation token
  std::vector<std::string> sources{};  ///< files to compile; empty: there are none
};

[[nodiscard]] std::string describe_fmu(const FmuModel& model, const DescriptionOptions& options);

/// sources/buildDescription.xml of FMI 3.
[[nodiscard]] std::string describe_build(const FmuModel& model, const DescriptionOptions& options);

/// Text for an attribute or an element.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace kane
