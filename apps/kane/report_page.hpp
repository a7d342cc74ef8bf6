#pragma once
// One page that tells a run: plots, moving picture, checks, options, model. Self-contained: it needs no other file and no
// network. Style and script are in apps/kane/page and are embedded when Kane is built.

#include <nlohmann/json.hpp>
#include <string>

#include "apps/kane/run_record.hpp"

namespace kane {

/// What stands in words on the page.
struct ReportText {
  std::string title, description;
  std::string model_file, model;  ///< name and text of the model file
  /// Tables: [[name, value], ...] under a heading; and "ok", "warn" or "bad" where a row is a check.
  nlohmann::ordered_json options, checks, parameters;
  /// [[t, what happened], ...]; marked in the plots.
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  std::vector<std::string> warnings;
  std::string failure;
};

/// The same run gives the same bytes.
[[nodiscard]] std::string make_report_page(const RunRecord& record, const ReportText& text);

}  // namespace kane
