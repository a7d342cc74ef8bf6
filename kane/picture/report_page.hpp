#pragma once
// One page that describes a run: plots, a moving picture, checks, options, the model. It is self-contained: it needs no
// other file and no network. Style and script are in kane/picture/page and are embedded when Kane is built.

#include <string>
#include <string_view>
#include <vector>

#include "kane/picture/run_record.hpp"

namespace kane {

enum class CheckState { None, Ok, Warning };

/// A row of a table on the page; with a state if it is the result of a check.
struct PageRow {
  std::string name, text;
  CheckState state = CheckState::None;
};

/// Something that happened during the run; marked in the plots.
struct PageEvent {
  double t = 0;
  std::string text;
};

/// A quantity along a beam: signals of the record by their names, at the arc lengths s.
struct PageDiagram {
  std::string title, unit;
  std::vector<double> s;
  std::vector<std::string> signals;
};

/// The words on the page.
struct ReportText {
  std::string title, description;
  std::string model_file, model;  ///< name and text of the model file
  std::vector<PageRow> options, checks, parameters;
  std::vector<PageEvent> events;
  std::vector<std::string> warnings;
  std::vector<PageDiagram> diagrams{};
  std::string failure{};       ///< "": the run came to its end
  std::string interruption{};  ///< from outside; "": none
};

/// The same run gives the same bytes.
[[nodiscard]] std::string make_report_page(const RunRecord& record, const ReportText& text);

/// The two parts of a page, for pages that show several runs: the data of a run as JSON, and a page in which they replace
/// kReportDataMark.
[[nodiscard]] std::string make_report_data(const RunRecord& record, const ReportText& text);
[[nodiscard]] std::string make_report_frame(const std::string& title);
inline constexpr std::string_view kReportDataMark = "@DATA@";

/// Throws ModelError if the file cannot be written.
void write_report_page(const RunRecord& record, const ReportText& text, const std::string& file);

}  // namespace kane
