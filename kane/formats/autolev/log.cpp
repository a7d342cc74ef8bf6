// The log, in AUTOLEV's form: "   (n) input", "-> (n) result".

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/print.hpp"
#include "kane/formats/autolev/session.hpp"

namespace kane::autolev {

namespace {

constexpr std::size_t kLineWidth = 100;

bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '\'';
}

/// Kane's infix text in AUTOLEV's letters: functions and PI in capitals.
std::string in_capitals(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (!is_name_part(text[i]) || (text[i] >= '0' && text[i] <= '9')) {
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_name_part(text[end])) ++end;
    const std::string_view word = std::string_view(text).substr(i, end - i);
    const bool called = end < text.size() && text[end] == '(';
    out += called || word == "pi" ? folded(word) : std::string(word);
    i = end;
  }
  return out;
}

/// A factor before a unit vector: "x*", "(x + y)*", "", "-".
std::string factor_text(const Expr& e, const std::string& text) {
  if (e.is_one()) return "";
  if ((-e).is_one()) return "-";
  const Op op = e.op();
  const bool sum = op == Op::Add || op == Op::Sub || (op == Op::Neg && e.arg(0).op() == Op::Sub);
  return sum ? "(" + text + ")*" : text + "*";
}

void append_term(std::string& sum, const std::string& term) {
  if (sum.empty())
    sum = term;
  else if (term.starts_with('-'))
    sum += " - " + term.substr(1);
  else
    sum += " + " + term;
}

/// Long lines go on below, indented.
std::string wrapped(const std::string& head, const std::string& text) {
  std::string out = head;
  std::size_t column = head.size();
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = begin;
    while (end < text.size() && text[end] != ' ' && text[end] != '\n') ++end;
    const std::size_t length = end - begin;
    if (column + length > kLineWidth && column > head.size()) {
      while (!out.empty() && out.back() == ' ') out.pop_back();
      out += "\n         ";
      column = 9;
    }
    out.append(text, begin, length);
    column += length;
    if (end < text.size()) {
      out += text[end];
      column = text[end] == '\n' ? 0 : column + 1;
      ++end;
    }
    begin = end;
  }
  return out;
}

}  // namespace

std::string Session::text_of(const Expr& e, std::size_t max_length) const {
  return in_capitals(to_text(e, {.max_length = max_length}));
}

std::string Session::text_of(const Vector& v, std::size_t max_length) const {
  std::string sum;
  for (const auto& term : v.terms())
    for (std::size_t i = 0; i < 3; ++i) {
      if (term.c[i].is_zero()) continue;
      append_term(sum, factor_text(term.c[i], text_of(term.c[i], max_length)) + frame_name(term.frame) +
                           std::to_string(i + 1) + ">");
      if (max_length != 0 && sum.size() > max_length) return sum.substr(0, max_length) + " ...";
    }
  return sum.empty() ? "0>" : sum;
}

std::string Session::text_of(const Dyadic& d, std::size_t max_length) const {
  std::string sum;
  for (const auto& term : d.terms())
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        if (term.c[i][j].is_zero()) continue;
        const std::string& f = frame_name(term.frame);
        append_term(sum, factor_text(term.c[i][j], text_of(term.c[i][j], max_length)) +
                             fmt::format("{0}{1}>*{0}{2}>", f, i + 1, j + 1));
      }
  return sum.empty() ? "0>>" : sum;
}

std::string Session::text_of(const ExprMatrix& m, std::size_t max_length) const {
  std::string text = "[";
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.columns; ++j) {
      if (i != 0 || j != 0) text += j == 0 ? "; " : ", ";
      text += text_of(m(i, j), max_length);
      if (max_length != 0 && text.size() > max_length) return text.substr(0, max_length) + " ...";
    }
  return text + "]";
}

std::string Session::text_of(const Value& v, std::size_t max_length) const {
  if (const auto* m = std::get_if<VectorMatrix>(&v)) {
    std::string text = "[";
    for (int i = 0; i < m->rows; ++i)
      for (int j = 0; j < m->columns; ++j) {
        if (i != 0 || j != 0) text += j == 0 ? "; " : ", ";
        text += text_of(m->entries[at(i * m->columns + j)], max_length);
      }
    return text + "]";
  }
  if (const auto* e = std::get_if<Expr>(&v)) return text_of(*e, max_length);
  if (const auto* m = std::get_if<ExprMatrix>(&v)) return text_of(*m, max_length);
  if (const auto* a = std::get_if<Vector>(&v)) return text_of(*a, max_length);
  return text_of(std::get<Dyadic>(v), max_length);
}

/// The textbook form where it is shorter. Finding it takes time, so there is an allowance for a whole script.
std::string Session::readable(const Expr& e, std::string text) {
  constexpr std::uint32_t kLongest = 1500;      // cost of one expression
  constexpr std::uint32_t kAllowance = 40'000;  // of all
  if (e.graph() == nullptr || text.size() < 12) return text;
  const std::uint32_t cost = graph_->cost(e.id());
  if (cost > kLongest || readable_ + cost > kAllowance) return text;
  readable_ += cost;
  const Literal form = literal(e, {.max_terms = 60});
  if (form.too_long || form.text.size() >= text.size()) return text;
  return in_capitals(form.text);
}

void Session::log_input(const std::string& text) {
  if (!options_.keep_log) return;
  log_bytes_ += text.size();
  log_.push_back({LogLine::Kind::Input, ++log_number_, text});
}

void Session::log_result_text(const std::string& text) {
  if (!options_.keep_log) return;
  log_bytes_ += text.size();
  if (log_bytes_ > options_.limits.max_log)
    throw LimitError(fmt::format("the log has more than {} bytes", options_.limits.max_log));
  log_.push_back({LogLine::Kind::Result, ++log_number_, text});
}

void Session::log_result(const std::string& name, const Value& value) {
  if (!options_.keep_log) return;
  // A column is shown element by element, as ZERO is.
  if (const auto* m = std::get_if<ExprMatrix>(&value); m != nullptr && m->columns == 1 && m->rows > 1) {
    for (int i = 0; i < m->rows; ++i) log_result(fmt::format("{}[{}]", name, i + 1), (*m)(i, 0));
    return;
  }
  const std::size_t most = options_.long_result;
  std::string text = text_of(value, most);
  if (const auto* e = std::get_if<Expr>(&value)) text = readable(*e, std::move(text));
  if (!text.ends_with(" ...") && text.size() <= most) {
    log_result_text(name + " = " + text);
    return;
  }
  // Too long to read: with intermediate names, as AUTOZ ON gives them.
  std::vector<Expr> parts;
  Value shorter = value;
  const auto visit = [&](auto&& f) {
    if (auto* e = std::get_if<Expr>(&shorter)) f(*e);
    if (auto* m = std::get_if<ExprMatrix>(&shorter))
      for (Expr& e : m->entries) f(e);
  };
  visit([&](Expr& e) { parts.push_back(e); });
  if (const auto* v = std::get_if<Vector>(&value))
    for (const auto& term : v->terms()) parts.insert(parts.end(), term.c.begin(), term.c.end());
  if (parts.empty()) {
    log_result_text(name + " = " + text);
    return;
  }
  const auto shortened = abbreviations_.shorten(parts);
  for (; abbreviated_ < abbreviations_.definitions().size(); ++abbreviated_) {
    const auto& z = abbreviations_.definitions()[abbreviated_];
    log_result_text(z.name + " = " + text_of(z.value, most));
  }
  std::size_t next = 0;
  if (const auto* v = std::get_if<Vector>(&value)) {
    std::string sum;
    for (const auto& term : v->terms())
      for (std::size_t i = 0; i < 3; ++i) {
        const Expr& c = shortened[next++];
        if (!c.is_zero())
          append_term(sum, factor_text(c, text_of(c, most)) + frame_name(term.frame) + std::to_string(i + 1) + ">");
      }
    log_result_text(name + " = " + sum);
    return;
  }
  visit([&](Expr& e) { e = shortened[next++]; });
  log_result_text(name + " = " + text_of(shorter, most));
}

void Session::note(const std::string& text) {
  if (std::find(notes_.begin(), notes_.end(), text) != notes_.end()) return;
  notes_.push_back(text);
  if (options_.keep_log) log_.push_back({LogLine::Kind::Note, 0, text});
}

std::string Session::log_text(std::size_t from) const {
  std::string out;
  for (std::size_t i = from; i < log_.size(); ++i) {
    const LogLine& line = log_[i];
    switch (line.kind) {
      case LogLine::Kind::Input: out += fmt::format("   ({}) {}", line.number, line.text); break;
      case LogLine::Kind::Result: out += wrapped(fmt::format("-> ({}) ", line.number), line.text); break;
      case LogLine::Kind::Note: out += wrapped("   % note: ", line.text); break;
    }
    out += '\n';
  }
  return out;
}

void Session::check_time(const Where& where) const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  if (spent.count() > options_.limits.max_seconds)
    throw LimitError(where, fmt::format("the script has taken more than {} s", options_.limits.max_seconds));
}

void Session::restore(World world, std::size_t log_lines) {
  w_ = std::move(world);
  if (log_lines < log_.size()) log_.resize(log_lines);
  log_number_ = 0;
  for (const LogLine& line : log_) log_number_ = std::max(log_number_, line.number);
  for (auto& row : resolved_)
    for (Remembered& memory : row) memory = {};
}

}  // namespace kane::autolev
