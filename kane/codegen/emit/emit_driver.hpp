#pragma once
// Texts of drivers: templates with @words for what differs from model to model.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kane/codegen/emit/emit_dialect.hpp"
#include "kane/codegen/emit/emit_export.hpp"
#include "kane/codegen/emit/emit_listing.hpp"

namespace kane {

struct DriverSetting {
  std::string name;   ///< identifier
  std::string value;  ///< number
};

struct DriverTable {
  std::string name;
  std::vector<DriverSetting> parameters;
  std::vector<DriverSetting> inputs;
  std::string state;           ///< numbers separated by ", "
  std::string time;            ///< identifier of the input that is the time; empty = none
  std::size_t time_place = 0;  ///< its index among the inputs
  std::string start, step, steps, every;
};

[[nodiscard]] DriverTable make_driver_table(const ExportModel& model, const SourceNames& names,
                                            std::string (*number)(double));

/// The values only, separated by ", ".
[[nodiscard]] std::string values_of(const std::vector<DriverSetting>& settings);

/// Replaces @include, @name, @state, @start, @step, @steps, @every and the words of `more`; the longest word that fits
/// counts.
[[nodiscard]] std::string fill_driver(std::string_view text, const DriverTable& table,
                                      const std::vector<std::pair<std::string_view, std::string>>& more = {});

}  // namespace kane
