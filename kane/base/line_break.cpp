#include "kane/base/line_break.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>

#include "kane/base/at.hpp"

namespace kane {

std::size_t text_width(std::string_view text) {
  return at(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
// What parentheses count whose inside should rather not be broken.
constexpr int kDivisor = 3, kArgument = 5;

/// A place where a line may end: before the sign at `at`.
struct Joint {
  std::size_t at = 0;
  double x = 0;                    ///< width of the text before it
  int depth = 0;                   ///< parentheses around it
  std::size_t opening = kNowhere;  ///< index of the innermost of them
  bool equals = false;
};

struct Parentheses {
  std::size_t open = 0, close = kNowhere;  ///< places in the formula
  double x = 0;                            ///< of what comes first inside
  int depth = 0;                           ///< inside
};

struct Scan {
  std::vector<Joint> joints;
  std::vector<Parentheses> parentheses;
  double width = 0;
};

/// Cost of a line break that leaves part of the line empty: a break inside parentheses is worth it only if the
/// line would be half empty otherwise; one before the equals sign is better than any if the left side is long.
double cost_of(const Joint& joint, double filled, bool first_line) {
  constexpr double kInside = 0.6, kEquals = -0.45, kShortLeft = 0.4;
  const double empty = 1 - filled;
  if (joint.equals) return filled > kShortLeft || !first_line ? empty + kEquals - (first_line ? 0 : 1) : empty + 1;
  return empty + kInside * joint.depth;
}

/// The joint that ends a line which starts at width `x` and has room for `room`; the first joint after it if none fits.
std::optional<std::size_t> find_end(const std::vector<Joint>& joints, std::size_t first, double x, double room) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = first; i < joints.size(); ++i) {
    const double used = joints[i].x - x;
    if (used <= 0) continue;
    if (used > room) return best ? best : std::optional(i);
    const double cost = cost_of(joints[i], used / room, first == 0);
    if (!best || cost <= least) best = i, least = cost;
  }
  return best;
}

/// The equals sign of an equation.
std::optional<std::size_t> find_equals(const std::vector<Joint>& joints) {
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (joints[i].equals && joints[i].depth == 0) return i;
  return std::nullopt;
}

// ---- plain text -----------------------------------------------------------------------------------------------------

/// The sign of a joint, if one stands between blanks at `i`.
bool is_joint(std::string_view s, std::size_t i) {
  return i > 0 && i + 1 < s.size() && (s[i] == '+' || s[i] == '-' || s[i] == '=') && s[i - 1] == ' ' && s[i + 1] == ' ';
}

Scan scan_text(std::string_view s) {
  Scan scan;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double x = scan.width;
    scan.width += static_cast<double>(text_width(s.substr(i, 1)));
    if (s[i] == '(') {
      // Divisors and arguments of functions stay together if there is any other way.
      const int outside = open.empty() ? 0 : scan.parentheses[open.back()].depth;
      const char before = i > 0 ? s[i - 1] : ' ';
      const bool argument = std::isalnum(static_cast<unsigned char>(before)) != 0;
      open.push_back(scan.parentheses.size());
      scan.parentheses.push_back({i, kNowhere, x + 1, outside + (before == '/' ? kDivisor : argument ? kArgument : 1)});
    }
    if (s[i] == ')' && !open.empty()) scan.parentheses[open.back()].close = i, open.pop_back();
    if (is_joint(s, i))
      scan.joints.push_back({i, x, open.empty() ? 0 : scan.parentheses[open.back()].depth,
                             open.empty() ? kNowhere : open.back(), s[i] == '='});
  }
  return scan;
}

/// A formula in lines, and how deep inside parentheses these end.
struct TextLayout {
  std::vector<std::string> lines;
  int depth = 0;
};

/// `at_equals`: the first line ends before the equals sign.
TextLayout lay_out(std::string_view formula, const Scan& scan, std::size_t width, bool at_equals) {
  constexpr std::size_t kIndent = 4, kEqualsIndent = 2;
  TextLayout layout;
  std::vector<std::size_t> columns(scan.parentheses.size(), kIndent);  // of what comes first inside
  std::size_t start = 0, next = 0, indent = 0, right = kIndent, passed = 0;
  double x = 0;
  const auto end_line = [&](std::size_t to) {
    std::string line(indent, ' ');
    line += formula.substr(start, to - start);
    while (line.ends_with(' ')) line.pop_back();
    layout.lines.push_back(std::move(line));
  };
  while (scan.width - x + static_cast<double>(indent) > static_cast<double>(width)) {
    auto end = find_end(scan.joints, next, x, static_cast<double>(width) - static_cast<double>(indent));
    if (next == 0 && at_equals) end = find_equals(scan.joints);
    if (!end) break;
    const Joint& joint = scan.joints[*end];
    // Columns of this line that later ones may be aligned with: not too far to the right.
    const auto column = [&](double place) { return indent + at(std::lround(place - x)); };
    const auto aligned = [&](double place) { return column(place) <= width / 2 ? column(place) : indent + kIndent; };
    for (; passed < scan.parentheses.size() && scan.parentheses[passed].open < joint.at; ++passed)
      columns[passed] = aligned(scan.parentheses[passed].x);
    for (std::size_t j = next == 0 ? 0 : next - 1; j < *end; ++j) {
      if (!scan.joints[j].equals || scan.joints[j].depth > 0) continue;
      const std::size_t after = column(scan.joints[j].x + 2);
      right = after <= width / 2 ? after : kIndent;
    }
    end_line(joint.at);
    layout.depth += joint.depth;
    start = joint.at, x = joint.x, next = *end + 1;
    indent = joint.equals ? kEqualsIndent : joint.depth == 0 ? right : columns[joint.opening];
  }
  end_line(formula.size());
  return layout;
}

}  // namespace

std::vector<std::string> break_text(std::string_view formula, std::size_t width) {
  const Scan scan = scan_text(formula);
  TextLayout best = lay_out(formula, scan, width, false);
  const auto equals = find_equals(scan.joints);
  if (best.lines.size() <= 2 || !equals || scan.joints[*equals].x > static_cast<double>(width)) return best.lines;
  // A right side that has the whole width may need fewer lines, or fewer breaks inside parentheses.
  TextLayout other = lay_out(formula, scan, width, true);
  const auto badness = [](const TextLayout& layout) { return static_cast<int>(layout.lines.size()) + layout.depth; };
  if (other.lines.size() <= best.lines.size() && badness(other) < badness(best)) best = std::move(other);
  return best.lines;
}

// ---- LaTeX --------------------------------------------------------------------------------------------------------------

namespace {

/// Reads LaTeX from left to right and adds up widths; joints are those outside of braces.
class LatexScanner {
 public:
  explicit LatexScanner(std::string_view s) : s_(s) {}

  Scan run() {
    while (i_ < s_.size()) read(true);
    scan_.width = x_;
    return std::move(scan_);
  }
  double width() {
    while (i_ < s_.size()) read(false);
    return x_;
  }

 private:
  static constexpr double kLetter = 1, kSign = 2.4, kScript = 0.7, kRoot = 1.2, kFence = 0.8;

  /// Inside the parentheses that are open.
  [[nodiscard]] int depth() const { return open_.empty() ? 0 : scan_.parentheses[open_.back()].depth; }

  void read(bool joints) {
    const char c = s_[i_];
    if (c == '\\') return command();
    if (c == '{') return void(x_ += group());
    if (c == '_' || c == '^') {
      ++i_;
      x_ += kScript * group();
      return;
    }
    if (joints && is_joint(s_, i_)) {
      scan_.joints.push_back({i_, x_, depth(), open_.empty() ? kNowhere : open_.back(), c == '='});
    }
    if (c == '+' || c == '-' || c == '=')
      x_ += kSign;
    else if (c != ' ' && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U)
      x_ += kLetter;
    ++i_;
  }

  /// The inside of the braces that follow.
  std::string_view braces() {
    while (i_ < s_.size() && s_[i_] == ' ') ++i_;
    if (i_ >= s_.size()) return {};
    if (s_[i_] != '{') {
      const std::size_t from = i_;
      if (s_[i_] == '\\') ++i_;
      if (i_ < s_.size()) ++i_;
      return s_.substr(from, i_ - from);
    }
    const std::size_t from = ++i_;
    for (int depth = 1; i_ < s_.size(); ++i_) {
      if (s_[i_] == '{') ++depth;
      if (s_[i_] == '}' && --depth == 0) break;
    }
    const auto inside = s_.substr(from, i_ - from);
    if (i_ < s_.size()) ++i_;
    return inside;
  }
  double group() { return LatexScanner(braces()).width(); }

  void command() {
    const std::size_t begin = i_++;
    if (i_ >= s_.size()) return;
    if (std::isalpha(static_cast<unsigned char>(s_[i_])) == 0) {
      const char c = s_[i_++];
      x_ += c == ',' ? 0.4 : c == ';' || c == ':' || c == ' ' ? 0.6 : kLetter;
      return;
    }
    while (i_ < s_.size() && std::isalpha(static_cast<unsigned char>(s_[i_])) != 0) ++i_;
    named(s_.substr(begin + 1, i_ - begin - 1), begin);
  }

  void named(std::string_view name, std::size_t begin) {
    if (name == "frac") {
      const double above = group();
      x_ += std::max(above, group()) + 0.5;
    } else if (name == "left") {
      i_ = std::min(i_ + 1, s_.size());
      x_ += kFence;
      const int outside = depth();
      open_.push_back(scan_.parentheses.size());
      scan_.parentheses.push_back({begin, kNowhere, x_, outside + (begin == function_end_ ? kArgument : 1)});
    } else if (name == "right") {
      i_ = std::min(i_ + 1, s_.size());
      x_ += kFence;
      if (!open_.empty()) scan_.parentheses[open_.back()].close = begin, open_.pop_back();
    } else if (name == "begin") {  // cases: taken as one piece
      const std::size_t end = std::min(s_.find("\\end{cases}", i_), s_.size());
      x_ += 0.6 * LatexScanner(s_.substr(i_, end - i_)).width();
      i_ = std::min(end + 11, s_.size());
    } else if (name == "sqrt") {
      x_ += kRoot;
    } else if (name == "quad" || name == "qquad") {
      x_ += name == "quad" ? 2 : 4;
    } else if (name == "text" || name == "mathrm" || name == "mathbf" || name == "boldsymbol" || name == "dot" ||
               name == "ddot" || name == "dddot" || name == "operatorname") {
      x_ += group();
    } else if (const bool word = name == "sin" || name == "cos" || name == "tan" || name.size() > 7; word) {
      x_ += 0.9 * static_cast<double>(std::min<std::size_t>(name.size(), 6));
      function_end_ = i_;
    } else {
      x_ += kLetter;
    }
  }

  std::string_view s_;
  std::size_t i_ = 0;
  double x_ = 0;
  std::vector<std::size_t> open_;
  std::size_t function_end_ = kNowhere;  ///< just after the name of a function
  Scan scan_;
};

std::size_t closing_brace(std::string_view s, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < s.size(); ++i) {
    if (s[i] == '{') ++depth;
    if (s[i] == '}' && --depth == 0) return i;
  }
  return kNowhere;
}

/// A fraction whose numerator is wider than a line as the reciprocal of its denominator times the numerator, which can then
/// be broken.
std::string with_open_fractions(std::string_view formula, double width) {
  constexpr std::string_view kFrac = "\\frac{";
  std::string out(formula);
  for (std::size_t at = out.find(kFrac); at != std::string::npos; at = out.find(kFrac, at + 1)) {
    const std::size_t above = at + kFrac.size() - 1, above_end = closing_brace(out, above);
    if (above_end == kNowhere || above_end + 1 >= out.size() || out[above_end + 1] != '{') continue;
    const std::size_t below_end = closing_brace(out, above_end + 1);
    if (below_end == kNowhere) continue;
    const std::string numerator = out.substr(above + 1, above_end - above - 1);
    const std::string denominator = out.substr(above_end + 1, below_end - above_end);
    if (latex_width(numerator) <= width || latex_width(denominator) > width) continue;
    out.replace(at, below_end + 1 - at, "\\frac{1}" + denominator + "\\left(" + numerator + "\\right)");
  }
  return out;
}

/// \left and \right of pairs that `breaks` part, as parentheses of a fixed size; places are moved accordingly.
void fix_parted(std::string& formula, const Scan& scan, std::vector<std::size_t>& breaks) {
  struct Change {
    std::size_t at;
    std::string_view from, to;
  };
  std::vector<Change> changes;
  for (const Parentheses& p : scan.parentheses) {
    const bool parted = p.close != kNowhere && std::any_of(breaks.begin(), breaks.end(),
                                                           [&](std::size_t b) { return b > p.open && b < p.close; });
    if (!parted) continue;
    const bool tall = std::string_view(formula).substr(p.open, p.close - p.open).find("\\frac") != std::string::npos;
    changes.push_back({p.open, "\\left", tall ? "\\Bigl" : "\\bigl"});
    changes.push_back({p.close, "\\right", tall ? "\\Bigr" : "\\bigr"});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at > b.at; });
  for (const Change& change : changes) {
    formula.replace(change.at, change.from.size(), change.to);
    for (std::size_t& b : breaks)
      if (b > change.at) b = b + change.to.size() - change.from.size();
  }
}

}  // namespace

double latex_width(std::string_view formula) { return LatexScanner(formula).width(); }

std::vector<LatexLine> break_latex(std::string_view formula, double width) {
  constexpr double kIndent = 2;
  std::string text = with_open_fractions(formula, 0.9 * width);
  const Scan scan = LatexScanner(text).run();
  // A short left side stands by itself, and everything else to the right of it.
  std::size_t left_end = 0;
  double left_width = 0;
  for (const Joint& j : scan.joints) {
    if (!j.equals || j.depth > 0) continue;
    if (j.x <= 0.3 * width) left_end = j.at, left_width = j.x;
    break;
  }
  std::vector<std::size_t> breaks;
  std::vector<int> depths;
  double x = 0, room = width;
  for (std::size_t next = 0; scan.width - x > room;) {
    const auto end = find_end(scan.joints, next, x, room);
    if (!end) break;
    const Joint& joint = scan.joints[*end];
    breaks.push_back(joint.at);
    depths.push_back(joint.equals ? -1 : joint.depth);
    x = joint.x, next = *end + 1;
    room = width - left_width - kIndent * (joint.depth + 1);
  }
  fix_parted(text, scan, breaks);
  // fix_parted() changes nothing before the equals sign unless a line ends there, and then the left side is long.
  std::vector<LatexLine> lines;
  std::size_t start = 0;
  const auto trimmed = [](std::string part) {
    while (part.ends_with(' ')) part.pop_back();
    return part;
  };
  for (std::size_t i = 0; i <= breaks.size(); ++i) {
    const std::size_t end = i < breaks.size() ? breaks[i] : text.size();
    LatexLine line;
    std::size_t from = start;
    if (i == 0 && left_end > 0) line.left = trimmed(text.substr(0, left_end)), from = left_end;
    if (i > 0 && depths[i - 1] >= 0) {
      line.right = "\\quad ";
      for (int k = 0; k < std::min(depths[i - 1], 4); ++k) line.right += "\\quad ";
      // A sign at the beginning of a line is still one between two terms.
      line.right += "{} ";
    }
    line.right += trimmed(text.substr(from, end - from));
    lines.push_back(std::move(line));
    start = end;
  }
  return lines;
}

}  // namespace kane
