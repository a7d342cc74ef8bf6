// Variables of a study and files of cases, from text.

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kane/batch/study.hpp"
#include "kane/expr/measured.hpp"

namespace kane {

namespace {

constexpr std::size_t kMostGridValues = 10'000'000;

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// The parts between commas that no bracket encloses.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '(' || text[i] == '{' || text[i] == '[')) ++depth;
    if (i < text.size() && (text[i] == ')' || text[i] == '}' || text[i] == ']')) --depth;
    if (i < text.size() && (text[i] != ',' || depth != 0)) continue;
    parts.push_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

bool plain_digit(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.'; }

class VariableParser {
 public:
  VariableParser(const std::string& name, const std::string& text, const Where& where) : text_(text) {
    v_.name = name;
    v_.where = where;
  }

  StudyVariable parse() {
    const std::string_view text = trim(text_);
    if (text.empty()) fail("nothing is given; write a range 1..2:10, a list {1, 2}, or a distribution normal(1, 0.1)");
    const bool list = (text.front() == '{' && text.back() == '}') || (text.front() == '[' && text.back() == ']');
    if (list)
      read_list(text.substr(1, text.size() - 2));
    else if (text.find("..") != std::string_view::npos)
      read_range(text);
    else if (const auto open = text.find('('); open != std::string_view::npos && open > 0 && text.back() == ')' &&
                                               is_distribution(trim(text.substr(0, open))))
      read_distribution(trim(text.substr(0, open)), text.substr(open + 1, text.size() - open - 2));
    else
      read_list(text);
    return std::move(v_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    const std::string whole = fmt::format("'{}' in the study: {}", v_.name, message);
    if (v_.where.line > 0) throw ModelError(v_.where, whole);
    throw ModelError(whole);
  }

  /// A word before a bracket that is not a function of numbers.
  static bool is_distribution(std::string_view word) {
    static constexpr std::string_view kFunctions[] = {"sqrt", "sin", "cos",  "tan",  "exp",
                                                      "log",  "abs", "atan", "asin", "acos"};
    return std::find(std::begin(kFunctions), std::end(kFunctions), word) == std::end(kFunctions) &&
           std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  }

  double number(std::string_view text) {
    if (text.empty()) fail("a number is missing");
    MeasuredNumber value;
    try {
      value = parse_measured_number(text, {});
    } catch (const LimitError&) {
      throw;
    } catch (const ModelError& error) {
      fail(fmt::format("'{}': {}", text, error.message()));
    }
    if (!std::isfinite(value.value)) fail(fmt::format("'{}' is not a finite number", text));
    if (value.dimension && !value.dimension->none()) {
      if (v_.dimension && *v_.dimension != *value.dimension)
        fail(fmt::format("'{}' is in {}, other numbers are in {}", text, unit_words(*value.dimension),
                         unit_words(*v_.dimension)));
      v_.dimension = value.dimension;
    }
    return value.value;
  }

  static bool is_word(std::string_view text) {
    return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
             return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '+' || c == '-';
           });
  }

  void read_list(std::string_view text) {
    const auto parts = split_list(text);
    const bool words =
        std::all_of(parts.begin(), parts.end(), [](std::string_view p) { return is_word(p) && p != "pi"; });
    for (const std::string_view part : parts) {
      if (words)
        v_.choices.emplace_back(part);
      else
        v_.values.push_back(number(part));
    }
  }

  void read_range(std::string_view text) {
    const auto dots = text.find("..");
    const std::string_view first = trim(text.substr(0, dots));
    std::string_view rest = text.substr(dots + 2);
    std::string_view parts[3] = {rest, {}, {}};
    for (int i = 0; i < 2; ++i)
      if (const auto colon = parts[i].find(':'); colon != std::string_view::npos) {
        parts[i + 1] = trim(parts[i].substr(colon + 1));
        parts[i] = trim(parts[i].substr(0, colon));
        if (parts[i + 1].empty()) fail("after ':' the number of values is missing: 1..2:10");
      }
    double a = number(first), b = number(trim(parts[0]));
    // 20..40 deg: a unit at the end is that of both.
    if (const double plain = plain_number(first); v_.dimension || b != plain_number(trim(parts[0])))
      if (std::isfinite(plain)) a = number(std::string(first) + " " + unit_of(trim(parts[0])));
    if (parts[1].empty()) {
      if (!(a < b)) fail(fmt::format("a range a..b needs a < b, but {} and {} are given", a, b));
      const double ends[] = {a, b};
      v_.distribution = make_distribution("uniform", ends);
      v_.range = true;
      return;
    }
    const bool logarithmic = parts[2] == "log";
    if (!parts[2].empty() && !logarithmic) fail(fmt::format("'{}' is not known; a grid may end in ':log'", parts[2]));
    std::size_t count = 0;
    const auto read = std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), count);
    if (read.ec != std::errc() || read.ptr != parts[1].data() + parts[1].size() || count < 1 || count > kMostGridValues)
      fail(fmt::format("'{}' is not a number of values from 1 to {}", parts[1], kMostGridValues));
    if (logarithmic && !(a > 0 && b > 0)) fail("a logarithmic grid needs positive ends");
    if (count == 1 && a != b) fail("one value cannot have two ends; give a count of at least two");
    for (std::size_t i = 0; i < count; ++i) {
      const double s = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
      v_.values.push_back(i + 1 == count ? b : logarithmic ? a * std::pow(b / a, s) : a + s * (b - a));
    }
  }

  /// The text as a number without a unit; not-a-number if it has one.
  static double plain_number(std::string_view text) {
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? value : std::nan("");
  }
  static std::string unit_of(std::string_view text) {
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() ? std::string(trim(std::string_view(
                                        read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr))))
                                  : std::string();
  }

  void read_distribution(std::string_view name, std::string_view arguments) {
    std::vector<double> numbers;
    for (const std::string_view part : split_list(arguments)) numbers.push_back(number(part));
    try {
      v_.distribution = make_distribution(name, numbers);
    } catch (const ModelError& error) {
      fail(error.message());
    }
  }

  const std::string& text_;
  StudyVariable v_;
};

}  // namespace

StudyVariable parse_study_variable(const std::string& name, const std::string& text, const Where& where) {
  return VariableParser(name, text, where).parse();
}

namespace {

[[noreturn]] void fail_joint(const std::string& names, const Where& where, const std::string& message) {
  const std::string whole = fmt::format("'{}' in the study: {}", names, message);
  if (where.line > 0) throw ModelError(where, whole);
  throw ModelError(whole);
}

/// The items of "[a, b]".
std::vector<std::string_view> bracketed(const std::string& names, const Where& where, std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    fail_joint(names, where,
               fmt::format("variables together take normal([means], [[covariances], ...]), but '{}' is given", text));
  return split_list(text.substr(1, text.size() - 2));
}

/// A matrix of covariances, each row in brackets.
std::vector<std::vector<double>> read_covariance(const std::string& names, const Where& where, std::string_view text,
                                                 std::size_t n) {
  std::vector<std::vector<double>> c;
  for (const std::string_view row : bracketed(names, where, text)) {
    c.emplace_back();
    for (const std::string_view cell : bracketed(names, where, row)) {
      // A list of one value takes a number as every other place of a study does.
      const StudyVariable number = parse_study_variable(names, "{" + std::string(cell) + "}", where);
      if (number.values.size() != 1) fail_joint(names, where, fmt::format("'{}' is not a number", cell));
      c.back().push_back(number.values.front());
    }
  }
  const bool square = c.size() == n && std::all_of(c.begin(), c.end(), [&](const auto& r) { return r.size() == n; });
  if (!square) fail_joint(names, where, fmt::format("{} variables need a covariance matrix of {} rows of {}", n, n, n));
  for (std::size_t i = 0; i < n; ++i) {
    if (!(c[i][i] > 0)) fail_joint(names, where, fmt::format("the variance {} is not positive", c[i][i]));
    for (std::size_t j = 0; j < i; ++j) {
      const double most = std::sqrt(c[i][i] * c[j][j]);
      if (std::abs(c[i][j]) > most)
        fail_joint(names, where,
                   fmt::format("the covariance {} contradicts the variances {} and {}: at most {:.6g} is possible",
                               c[i][j], c[j][j], c[i][i], most));
      if (std::abs(c[i][j] - c[j][i]) > 1e-9 * std::sqrt(c[i][i] * c[j][j]))
        fail_joint(names, where,
                   fmt::format("a covariance matrix is symmetric, but {} and {} face each other", c[i][j], c[j][i]));
    }
  }
  return c;
}

}  // namespace

StudyVariables parse_study_variables(const std::string& names, const std::string& text, const Where& where) {
  if (names.find(',') == std::string::npos) return {{parse_study_variable(names, text, where)}};
  const auto list = split_list(names);
  const std::size_t n = list.size();
  constexpr std::string_view kNormal = "normal(";
  const std::string_view law = trim(text);
  if (!law.starts_with(kNormal) || law.back() != ')')
    fail_joint(names, where,
               "variables together have a joint normal distribution: normal([means], [[covariances], ...])");
  const auto arguments = split_list(law.substr(kNormal.size(), law.size() - kNormal.size() - 1));
  if (arguments.size() != 2)
    fail_joint(names, where,
               "a joint normal distribution takes means and a covariance matrix: normal([1, 2], [[1, 0.5], "
               "[0.5, 2]])");
  const auto means = bracketed(names, where, arguments[0]);
  if (means.size() != n)
    fail_joint(names, where, fmt::format("{} variables need {} means, not {}", n, n, means.size()));
  const auto c = read_covariance(names, where, arguments[1], n);
  StudyVariables result;
  for (std::size_t i = 0; i < n; ++i) {
    result.variables.push_back(
        parse_study_variable(std::string(list[i]), fmt::format("normal({}, {})", means[i], std::sqrt(c[i][i])), where));
    for (std::size_t j = 0; j < i; ++j)
      result.correlations.push_back(
          {std::string(list[j]), std::string(list[i]), c[i][j] / std::sqrt(c[i][i] * c[j][j]), where});
  }
  return result;
}

StudyVariables parse_vary_option(const std::string& assignment, const std::string& option) {
  const auto sign = assignment.find_first_of("=~");
  require(sign != std::string::npos && sign > 0,
          "{} needs name=values or name~distribution, such as m=1..2:50 or \"L~normal(0.3, 0.01)\", not '{}'", option,
          assignment);
  StudyVariables v = parse_study_variables(std::string(trim(std::string_view(assignment).substr(0, sign))),
                                           assignment.substr(sign + 1));
  require(assignment[sign] == '=' || v.variables.front().distribution, "{} {}: after '~' comes a distribution: {}",
          option, assignment, fmt::join(distribution_names(), ", "));
  return v;
}

StudyCases parse_cases(std::string_view text, const std::string& file) {
  constexpr std::size_t kMostRows = 10'000'000;
  StudyCases cases;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  int line_number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++line_number;
    if (line.empty() || line.front() == '#') continue;
    const auto cells = split_list(line);
    const auto fail = [&](std::size_t cell, const std::string& message) {
      throw ModelError(Where{file, line_number, static_cast<int>(cells[cell].data() - line.data()) + 1}, message);
    };
    if (cases.names.empty()) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].empty() || plain_digit(cells[i].front()))
          fail(i, "the first line of a file of cases names its columns");
        cases.names.emplace_back(cells[i]);
      }
      continue;
    }
    if (cells.size() != cases.names.size())
      fail(0, fmt::format("this line has {} numbers, but {} columns are named", cells.size(), cases.names.size()));
    require(cases.rows.size() < kMostRows, "{}: a file of cases has at most {} lines", file, kMostRows);
    std::vector<double> row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      double value = 0;
      const auto read = std::from_chars(cells[i].data(), cells[i].data() + cells[i].size(), value);
      if (read.ec != std::errc() || read.ptr != cells[i].data() + cells[i].size() || !std::isfinite(value))
        fail(i, fmt::format("'{}' is not a finite number (in SI units)", cells[i]));
      row.push_back(value);
    }
    cases.rows.push_back(std::move(row));
  }
  require(!cases.rows.empty(), "{}: there are no cases in this file", file);
  return cases;
}

}  // namespace kane
