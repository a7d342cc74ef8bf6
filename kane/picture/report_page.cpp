#include "kane/picture/report_page.hpp"

#include <nlohmann/json.hpp>
#include <page_assets.hpp>  // written by the build from kane/picture/page

#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/picture/page_json.hpp"

namespace kane {

namespace {

using Json = nlohmann::ordered_json;

Json scene_json(const RunRecord& record) {
  const Scene& s = record.scene();
  Json scene;
  scene["size"] = s.size;
  const Vec3 up = record.up();
  scene["up"] = {up.x, up.y, up.z};
  scene["bodies"] = scene["parts"] = scene["balls"] = scene["lines"] = scene["arrows"] = scene["points"] =
      Json::array();
  for (const auto& b : s.bodies) scene["bodies"].push_back(b.name);
  for (const auto& p : s.parts) scene["parts"].push_back(part_json(p));
  for (const auto& b : s.balls)
    scene["balls"].push_back(
        {{"name", b.name}, {"point", record.point_index(b.point)}, {"radius", b.radius}, {"color", b.color}});
  for (const auto& l : s.lines)
    scene["lines"].push_back({{"name", l.name},
                              {"from", record.point_index(l.from)},
                              {"to", record.point_index(l.to)},
                              {"spring", l.spring}});
  for (const auto& a : s.arrows)
    scene["arrows"].push_back({{"name", a.name},
                               {"torque", a.torque},
                               {"reaction", a.reaction},
                               {"contact", a.contact},
                               {"point", record.point_index(a.point)}});
  for (const auto& p : s.points)
    scene["points"].push_back({{"name", p.name}, {"point", record.point_index(p.point)}, {"trail", p.trail}});
  scene["planes"] = Json::array();
  for (const auto& p : record.planes())
    scene["planes"].push_back(
        {{"name", s.planes[p.index].name}, {"normal", {p.normal.x, p.normal.y, p.normal.z}}, {"height", p.height}});
  scene["point_count"] = record.point_count();
  scene["poses"] = base64(record.poses());
  scene["positions"] = base64(record.positions());
  scene["vectors"] = base64(record.arrows());
  return scene;
}

/// [[name, text], ...], and the state of a check as the third entry.
Json rows_json(const std::vector<PageRow>& rows) {
  Json list = Json::array();
  for (const PageRow& row : rows) {
    list.push_back({row.name, row.text});
    if (row.state != CheckState::None) list.back().push_back(row.state == CheckState::Ok ? "ok" : "warn");
  }
  return list;
}

std::string escaped(const std::string& text) {
  std::string r;
  for (const char c : text) {
    if (c == '&')
      r += "&amp;";
    else if (c == '<')
      r += "&lt;";
    else
      r += c;
  }
  return r;
}

void put_text(std::string& page, std::string_view mark, std::string_view what) {
  const std::size_t at = page.find(mark);
  ensure(at != std::string::npos, "the template of the report page has no mark {}", mark);
  page.replace(at, mark.size(), what);
}

}  // namespace

std::string make_report_data(const RunRecord& record, const ReportText& text) {
  Json data;
  data["title"] = text.title;
  data["description"] = text.description;
  data["model_file"] = text.model_file;
  data["model"] = text.model;
  data["options"] = rows_json(text.options);
  data["checks"] = rows_json(text.checks);
  data["parameters"] = rows_json(text.parameters);
  data["events"] = Json::array();
  for (const PageEvent& event : text.events) data["events"].push_back({event.t, event.text});
  data["diagrams"] = Json::array();
  for (const PageDiagram& d : text.diagrams)
    data["diagrams"].push_back({{"title", d.title}, {"unit", d.unit}, {"s", d.s}, {"signals", d.signals}});
  data["warnings"] = text.warnings;
  data["failure"] = text.failure;
  if (!text.interruption.empty()) data["interruption"] = text.interruption;
  data["t"] = base64(record.times());
  data["signals"] = Json::array();
  for (const auto& signal : record.signals())
    data["signals"].push_back(
        {{"group", signal.group}, {"name", signal.name}, {"unit", signal.unit}, {"data", base64(signal.values)}});
  data["scene"] = scene_json(record);
  return embeddable(data);
}

std::string make_report_frame(const std::string& title) {
  std::string page(kReportHtml);
  put_text(page, "@TITLE@", escaped(title));
  put_text(page, "@STYLE@", kReportCss);
  put_text(page, "@VIEW@", kViewJs);
  put_text(page, "@PLOT@", kPlotJs);
  put_text(page, "@DIAGRAM@", kDiagramJs);
  put_text(page, "@SCRIPT@", kReportJs);
  return page;
}

std::string make_report_page(const RunRecord& record, const ReportText& text) {
  std::string page = make_report_frame(text.title);
  put_text(page, kReportDataMark, make_report_data(record, text));
  return page;
}

void write_report_page(const RunRecord& record, const ReportText& text, const std::string& file) {
  write_file(file, make_report_page(record, text));
}

}  // namespace kane
