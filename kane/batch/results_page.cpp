#include "kane/batch/results_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kane/base/output_mark.hpp"
#include "kane/base/page.hpp"
#include "kane/batch/statistics.hpp"

namespace kane {

extern const char* const kResultsStyle;   // results_script.cpp
extern const char* const kResultsScript;  // results_script.cpp

namespace {

/// JSON text that may be embedded in a script of a page.
std::string page_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  return out + "\"";
}

std::string page_number(double x) { return std::isfinite(x) ? fmt::format("{}", x) : "null"; }

template <class Range, class Form>
std::string page_list(const Range& range, Form form) {
  std::string text;
  for (const auto& item : range) text += (text.empty() ? "" : ",") + form(item);
  return "[" + text + "]";
}

std::string shell_word(const std::string& text) {
  if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-") ==
      std::string::npos)
    return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// Influence of the variables on a measure: Sobol's total index, Morris' mean size, or the correlation of ranks.
std::vector<double> influences(const StoreTable& table, std::size_t measure) {
  std::vector<double> list;
  try {
    if (table.identity.sampling == "saltelli") {
      for (const auto& i : calc_sobol_indices(table, measure)) list.push_back(i.total);
      return list;
    }
    if (table.identity.sampling == "morris") {
      for (const auto& e : calc_morris_effects(table, measure)) list.push_back(e.mean_size);
      return list;
    }
  } catch (const ModelError&) {  // not enough runs yet
    list.clear();
  }
  for (std::size_t v = 0; v < table.values.size(); ++v)  // words have no order
    list.push_back(table.identity.choices[v].empty() ? rank_correlation(table.values[v], table.measures[measure])
                                                     : std::nan(""));
  return list;
}

}  // namespace

std::string replay_command(const StoreTable& table, std::size_t row) {
  const StudyIdentity& identity = table.identity;
  std::string command = "kane simulate " + shell_word(identity.model_file);
  for (const std::string& argument : identity.arguments) command += " " + shell_word(argument);
  for (std::size_t i = 0; i < identity.variables.size(); ++i) {
    const std::string& name = identity.variables[i];
    const double value = table.values[i][row];
    const auto& choices = identity.choices[i];
    const std::string text = choices.empty() ? fmt::format("{}", value) : choices[static_cast<std::size_t>(value)];
    if (name == "run.active") continue;  // needs a state file
    if (name.starts_with("run."))
      command += fmt::format(" --{} {}", name.substr(4), shell_word(text));
    else
      command += " --set " + shell_word(name + "=" + text);
  }
  return command + fmt::format(" --report case_{}.html", table.k[row]);
}

PageSeries read_page_series(const std::string& file, const StoreTable& table, const PageReplays& replays) {
  PageSeries series;
  if (table.identity.series.empty()) return series;
  series.bands = calc_series_bands(file, table.identity, kPageBands);
  constexpr std::size_t kMostRuns = 300, kMostNumbers = 2'000'000;
  std::set<std::uint64_t> wanted;
  const std::size_t n = table.k.size(), stride = std::max<std::size_t>(1, (n + kMostRuns - 1) / kMostRuns);
  for (std::size_t r = 0; r < n; r += stride) wanted.insert(table.k[r]);
  for (const auto& [row, data] : replays.runs) wanted.insert(table.k[row]);
  std::size_t numbers = 0;
  read_series(file, [&](std::uint64_t k, std::span<const double> samples) {
    if (!wanted.contains(k) || numbers + samples.size() > kMostNumbers) return;
    numbers += samples.size();
    series.runs[k].assign(samples.begin(), samples.end());
  });
  return series;
}

namespace {

std::string page_series(const PageSeries& series, const std::vector<std::string>& names) {
  // Five digits are more than a picture shows.
  const auto number = [](double x) { return std::isfinite(x) ? fmt::format("{:.6g}", x) : std::string("null"); };
  const auto list = [&](const std::vector<double>& numbers) { return page_list(numbers, number); };
  const auto lists = [&](const auto& rows) { return page_list(rows, list); };
  const std::size_t width = names.size() + 1;
  std::string curves;
  for (const auto& [k, samples] : series.runs) {
    std::vector<std::vector<double>> columns(width);
    for (std::size_t i = 0; i < samples.size(); ++i) columns[i % width].push_back(samples[i]);
    curves += fmt::format("{}\"{}\":{}", curves.empty() ? "" : ",\n", k, lists(columns));
  }
  return fmt::format("const S={{\"names\":{},\"t\":{},\"mean\":{},\"q\":{},\"curves\":{{{}}}}};\n",
                     page_list(names, page_text), list(series.bands.t), lists(series.bands.mean),
                     page_list(series.bands.quantiles, lists), curves);
}

}  // namespace

std::string make_results_page(const StoreTable& table, const std::string& title, const PageReplays& replays,
                              const PageSeries& series) {
  const StudyIdentity& identity = table.identity;
  const std::size_t stride = (table.k.size() + kMostShownCases - 1) / kMostShownCases;
  std::string rows, commands, reasons;
  std::map<std::size_t, const std::string*> replayed;
  for (const auto& [row, data] : replays.runs) replayed[row] = &data;
  for (std::size_t r = 0; r < table.k.size(); ++r) {
    if (r % std::max<std::size_t>(stride, 1) != 0 && !replayed.contains(r) && !series.runs.contains(table.k[r]))
      continue;
    std::string row = fmt::format("[{}", table.k[r]);
    for (const auto* columns : {&table.values, &table.measures})
      for (const auto& column : *columns) row += "," + page_number(column[r]);
    rows += (rows.empty() ? "" : ",\n") + row + "]";
    commands += (commands.empty() ? "" : ",\n") + page_text(replay_command(table, r));
    const auto reason = table.reasons.find(table.k[r]);
    reasons += (r == 0 ? "" : ",") + (reason == table.reasons.end() ? std::string("0") : page_text(reason->second));
  }
  std::string summary;
  const double probabilities[] = {0.05, 0.5, 0.95};
  for (std::size_t i = 0; i < table.measures.size(); ++i) {
    const NumberSummary s = summarize(table.measures[i]);
    const auto q = calc_quantiles(table.measures[i], probabilities);
    summary += fmt::format(
        "{}{{\"name\":{},\"count\":{},\"mean\":{},\"dev\":{},\"min\":{},\"max\":{},\"q\":{},\"influence\":{}}}",
        i == 0 ? "" : ",\n", page_text(identity.measures[i]), s.count, page_number(s.mean), page_number(s.deviation),
        page_number(s.least), page_number(s.most), page_list(q, page_number),
        page_list(influences(table, i), page_number));
  }
  const auto failed = static_cast<std::size_t>(std::count(table.ok.begin(), table.ok.end(), 0));
  const Proportion p = calc_proportion(failed, table.ok.size());
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><!-- {} "
      "--><title>{}</title>\n<style>{}</style></head>\n<body>\n<h1>{}</h1>\n",
      kOutputWords, escape_html(title), kResultsStyle, escape_html(title));
  page += fmt::format(
      "<p>{} runs of {} requested, {} failed ({:.3g} %, 95 % interval {:.3g} to {:.3g} %). Sampling: {}. Model: "
      "{}.{}</p>\n",
      table.k.size(), identity.count, failed, 100 * p.share, 100 * p.low, 100 * p.high, identity.sampling,
      escape_html(identity.model_file),
      stride > 1 ? fmt::format(" The pictures show every {}th run; tables and influences are of all.", stride)
                 : std::string());
  page += "<div id=\"app\"></div>\n<script>\nconst D={\"variables\":" + page_list(identity.variables, page_text) +
          ",\"measures\":" + page_list(identity.measures, page_text);
  page += ",\"choices\":" + page_list(identity.choices, [](const auto& list) { return page_list(list, page_text); });
  page += ",\"sampling\":" + page_text(identity.sampling) + ",\"summary\":[" + summary + "],\n\"rows\":[" + rows +
          "],\n\"commands\":[" + commands + "],\n\"reasons\":[" + reasons + "]};\n";
  page += "const R={\"frame\":" + page_text(replays.frame) + ",\"mark\":" + page_text(replays.mark) +
          ",\"note\":" + page_text(replays.note) + ",\"shared\":" + replays.shared + ",\"runs\":{";
  std::string runs;
  for (const auto& [row, data] : replayed)
    runs += fmt::format("{}\"{}\":{}", runs.empty() ? "" : ",\n", table.k[row], *data);
  page += runs + "}};\n" + page_series(series, identity.series);
  return page + kResultsScript + "</script>\n</body></html>\n";
}

}  // namespace kane
