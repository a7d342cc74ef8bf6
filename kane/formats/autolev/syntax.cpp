#include "kane/formats/autolev/syntax.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace kane::autolev {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

Node named(std::string text, Where where) {
  Node node;
  node.kind = NodeKind::Name;
  node.text = std::move(text);
  node.where = std::move(where);
  return node;
}

Node operation(NodeKind kind, std::string text, Where where, std::vector<Node> children) {
  Node node;
  node.kind = kind;
  node.text = std::move(text);
  node.where = std::move(where);
  node.children = std::move(children);
  return node;
}

/// Splits lines into statements. Brackets keep a ";" from ending a statement.
class Splitter {
 public:
  Splitter(std::string_view text, const std::string& file, const Limits& limits)
      : text_(text), file_(file), limits_(limits) {}

  std::vector<Statement> split() {
    std::size_t begin = 0;
    int line = 1;
    while (begin <= text_.size()) {
      // Lines end with LF, CR LF, or CR alone as on old Macintoshes.
      const std::size_t end = std::min(text_.find_first_of("\n\r", begin), text_.size());
      add_line(text_.substr(begin, end - begin), line++);
      const bool both = end + 1 < text_.size() && text_[end] == '\r' && text_[end + 1] == '\n';
      begin = end + (both ? 2 : 1);
    }
    if (open_) finish();
    return std::move(statements_);
  }

 private:
  void add_line(std::string_view line, int number) {
    const std::string_view code = line.substr(0, std::min(line.find('%'), line.size()));
    std::string_view kept = code;
    while (!kept.empty() && is_blank(kept.back())) kept.remove_suffix(1);
    const bool continued = !kept.empty() && kept.back() == '&';
    if (continued) kept.remove_suffix(1);
    if (!current_.source.empty()) current_.source += '\n';
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    current_.source += line;
    // A comment may stand between a line and its continuation.
    if (open_ && kept.empty() && code.size() < line.size()) return;
    std::size_t begin = 0;
    if (std::exchange(split_word_, false)) {
      while (begin < kept.size() && is_blank(kept[begin])) ++begin;
    }
    for (std::size_t i = begin; i < kept.size(); ++i) {
      const char c = kept[i];
      const std::pair place{number, static_cast<int>(i) + 1};
      if (static_cast<unsigned char>(c) >= 0x80U || (static_cast<unsigned char>(c) < 0x20U && !is_blank(c)))
        throw ModelError({file_, place.first, place.second},
                         fmt::format("the character 0x{:02x} has no place outside a comment; only a comment (%) may "
                                     "have letters beyond ASCII",
                                     static_cast<unsigned char>(c)));
      if (c == '[' || c == '(' || c == '{') ++brackets_;
      if (c == ']' || c == ')' || c == '}') --brackets_;
      if (c == ';' && brackets_ <= 0) {
        end_ = place;
        if (!trimmed(kept.substr(i + 1)).empty()) finish();
        continue;
      }
      current_.text += c;
      current_.places.push_back(place);
    }
    end_ = {number, static_cast<int>(kept.size()) + 1};
    open_ = true;
    if (continued) {
      // Lines copied from AUTOLEV's log are broken anywhere, also within names and numbers: "SIN(THE&" goes on with "TA)".
      split_word_ = !kept.empty() && (is_word(kept.back()) || kept.back() == '.') && !is_one_word(current_.text);
      if (!split_word_) {
        current_.text += ' ';
        current_.places.push_back(end_);
      }
    } else {
      finish();
    }
  }

  void finish() {
    if (statements_.size() >= limits_.max_statements)
      throw LimitError({file_, end_.first, end_.second},
                       fmt::format("the script has more than {} statements", limits_.max_statements));
    current_.places.push_back(end_);
    statements_.push_back(std::move(current_));
    current_ = {};
    brackets_ = 0;
    open_ = false;
    split_word_ = false;
  }

  /// "VARIABLES&": the word that begins a statement stands alone.
  static bool is_one_word(std::string_view text) {
    text = trimmed(text);
    return std::all_of(text.begin(), text.end(), is_word);
  }

  std::string_view text_;
  const std::string& file_;
  const Limits& limits_;
  std::vector<Statement> statements_;
  Statement current_;
  std::pair<int, int> end_{1, 1};
  int brackets_ = 0;
  bool open_ = false;
  bool split_word_ = false;  ///< the line before ended within a word, or at its end
};

}  // namespace

std::string folded(std::string_view name) {
  std::string r(name);
  for (char& c : r)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return r;
}

Where Statement::where(std::size_t at, const std::string& file) const {
  if (places.empty()) return {file, 0, 0};
  const auto& place = places[std::min(at, places.size() - 1)];
  return {file, place.first, place.second};
}

std::vector<Statement> split_statements(std::string_view text, const std::string& file, const Limits& limits) {
  if (text.size() > limits.max_bytes)
    throw LimitError({file, 0, 0}, fmt::format("the script has more than {} bytes", limits.max_bytes));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\x1a')) text.remove_suffix(1);  // Ctrl-Z of DOS
  return Splitter(text, file, limits).split();
}

std::string Node::spelled() const {
  return text + std::string(static_cast<std::size_t>(primes), '\'') + std::string(static_cast<std::size_t>(rank), '>');
}

// ---- characters -----------------------------------------------------------------------------------------------------------

char Reader::peek() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Reader::done() { return peek() == '\0'; }

bool Reader::accept(char c) {
  if (peek() != c) return false;
  ++at_;
  return true;
}

void Reader::expect(char c, std::string_view after) {
  if (accept(c)) return;
  if (done()) fail(fmt::format("the statement ends where '{}' is expected after {}", c, after));
  fail(fmt::format("expected '{}' after {}, not '{}'", c, after, peek()));
}

void Reader::expect_end() {
  if (!done()) fail(fmt::format("'{}' is not understood here", std::string(text_.substr(at_, 24))));
}

std::string Reader::word() {
  (void)peek();
  const std::size_t begin = at_;
  if (at_ < text_.size() && is_letter(text_[at_]))
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  return folded(text_.substr(begin, at_ - begin));
}

std::string Reader::until_comma() {
  (void)peek();
  const std::size_t begin = at_;
  int depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth <= 0) break;
    ++at_;
  }
  return std::string(trimmed(text_.substr(begin, at_ - begin)));
}

std::string Reader::rest() {
  const std::size_t begin = std::min(at_, text_.size());
  at_ = text_.size();
  return std::string(trimmed(text_.substr(begin)));
}

// ---- expressions ----------------------------------------------------------------------------------------------------------

void Reader::check_depth(int depth) const {
  if (depth > limits_.max_depth)
    throw LimitError(where(), fmt::format("the expression is nested more than {} deep", limits_.max_depth));
}

void Reader::check_count(int terms) const {
  if (terms > limits_.max_terms)
    throw LimitError(where(), fmt::format("a sum or product has more than {} parts", limits_.max_terms));
}

Node Reader::expression() { return sum(0); }
std::vector<Node> Reader::arguments(char close) { return arguments_at(close, 0); }
void Reader::argument(std::vector<Node>& to) { argument_at(to, 0); }

Node Reader::sum(int depth) {
  check_depth(depth);
  Node left = product(depth);
  int terms = 1;
  while (peek() == '+' || peek() == '-') {
    // "x += 1" is a statement, not a sum.
    if (at_ + 1 < text_.size() && text_[at_ + 1] == '=') break;
    const Where place = where();
    check_count(++terms);
    const std::string sign(1, text_[at_++]);
    Node right = product(depth);
    left = operation(NodeKind::Binary, sign, place, {std::move(left), std::move(right)});
  }
  return left;
}

Node Reader::product(int depth) {
  Node left = unary(depth);
  int factors = 1;
  while (peek() == '*' || peek() == '/') {
    if (at_ + 1 < text_.size() && text_[at_ + 1] == '=') break;
    const Where place = where();
    check_count(++factors);
    const std::string sign(1, text_[at_++]);
    Node right = unary(depth);
    left = operation(NodeKind::Binary, sign, place, {std::move(left), std::move(right)});
  }
  return left;
}

Node Reader::unary(int depth) {
  check_depth(depth);
  const Where place = where();
  if (accept('-')) return operation(NodeKind::Negate, "-", place, {unary(depth + 1)});
  if (accept('+')) return unary(depth + 1);
  return power(depth);
}

Node Reader::power(int depth) {
  Node base = atom(depth);
  const char next = peek();
  const char second = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  const bool fortran = next == '*' && second == '*';
  if ((next != '^' && !fortran) || (next == '^' && second == '=')) return base;
  const Where place = where();
  at_ += fortran ? 2 : 1;
  Node exponent = unary(depth + 1);
  return operation(NodeKind::Binary, "^", place, {std::move(base), std::move(exponent)});
}

Node Reader::number() {
  Node node;
  node.where = where();
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  if (at_ < text_.size() && text_[at_] == '.') ++at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E' || text_[at_] == 'd' || text_[at_] == 'D')) {
    std::size_t after = at_ + 1;
    if (after < text_.size() && (text_[after] == '+' || text_[after] == '-')) ++after;
    if (after < text_.size() && is_digit(text_[after])) {
      at_ = after;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
  }
  node.text = std::string(text_.substr(begin, at_ - begin));
  for (char& c : node.text)
    if (c == 'd' || c == 'D') c = 'e';
  while (at_ < text_.size() && text_[at_] == '>' && node.rank < 2) ++node.rank, ++at_;
  return node;
}

Node Reader::matrix(int depth) {
  Node node = operation(NodeKind::Matrix, "[", where(), {});
  ++at_;
  while (true) {
    Node row = operation(NodeKind::Row, "", where(), {});
    while (true) {
      if (peek() == ']' || peek() == ';') break;
      argument_at(row.children, depth + 1);
      if (!accept(',')) break;
    }
    if (!row.children.empty()) node.children.push_back(std::move(row));
    if (accept(';')) continue;
    expect(']', "the rows of a matrix");
    return node;
  }
}

Node Reader::atom(int depth) {
  check_depth(depth);
  const char c = peek();
  const Where place = where();
  if (c == '(') {
    ++at_;
    Node inner = sum(depth + 1);
    expect(')', "an expression in parentheses");
    return inner;
  }
  if (c == '[') return matrix(depth);
  if (is_digit(c) || c == '.') return number();
  if (!is_letter(c)) {
    if (c == '\0') fail("the statement ends where a number, a name or '(' is expected");
    fail(fmt::format("expected a number, a name or '(', not '{}'", c));
  }
  std::vector<Node> list = names();
  if (list.size() != 1)
    throw ModelError(place, fmt::format("'{}' to '{}' are {} names, where one is expected", list.front().spelled(),
                                        list.back().spelled(), list.size()));
  Node node = std::move(list.front());
  if (node.rank != 0) return node;
  if (node.primes == 0 && peek() == '(') {
    ++at_;
    node.kind = NodeKind::Call;
    node.children = arguments_at(')', depth + 1);
  } else if (peek() == '[') {
    ++at_;
    node.kind = NodeKind::Element;
    node.children = arguments_at(']', depth + 1);
  }
  return node;
}

std::vector<Node> Reader::arguments_at(char close, int depth) {
  std::vector<Node> list;
  if (accept(close)) return list;
  while (true) {
    argument_at(list, depth);
    if (accept(close)) return list;
    expect(',', "an argument");
  }
}

void Reader::argument_at(std::vector<Node>& to, int depth) {
  check_depth(depth);
  // A range of names stands for several arguments; anything else is one.
  (void)peek();
  const std::size_t begin = at_;
  if (at_ < text_.size() && is_letter(text_[at_])) {
    std::vector<Node> list = names();
    const char next = peek();
    if (list.size() != 1 && (next == ',' || next == ')' || next == ']' || next == ';' || next == '\0')) {
      to.insert(to.end(), std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
      return;
    }
    at_ = begin;
  }
  Node first = sum(depth + 1);
  const Where place = where();
  if (accept('=')) {
    std::vector<Node> parts{std::move(first), sum(depth + 1)};
    if (accept(':')) parts.push_back(sum(depth + 1));
    to.push_back(operation(NodeKind::Equals, "=", place, std::move(parts)));
  } else if (accept(':')) {
    Node last = sum(depth + 1);
    to.push_back(operation(NodeKind::Range, ":", place, {std::move(first), std::move(last)}));
  } else {
    to.push_back(std::move(first));
  }
}

// ---- names and ranges -----------------------------------------------------------------------------------------------------

std::vector<std::string> Reader::expand_range(const std::vector<std::string>& stems) {
  // One group: "3" is 1 to 3, "2:4" is 2 to 4, and several of them separated by commas are as many indices.
  std::vector<std::string> names = stems;
  const auto whole = [&] {
    (void)peek();
    int value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("a range of names has whole numbers, as in q{3} or b{1:2,1:3}");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  };
  while (true) {
    int first = 1;
    int last = whole();
    if (accept(':')) first = last, last = whole();
    if (last < first) fail(fmt::format("the range {}:{} is empty", first, last));
    const auto count = static_cast<std::size_t>(last) - static_cast<std::size_t>(first) + 1;
    if (count > limits_.max_names || names.size() * count > limits_.max_names)
      throw LimitError(where(), fmt::format("the range stands for more than {} names", limits_.max_names));
    std::vector<std::string> longer;
    longer.reserve(names.size() * count);
    for (const auto& name : names)
      for (int i = first; i <= last; ++i) longer.push_back(name + std::to_string(i));
    names = std::move(longer);
    if (accept('}')) return names;
    expect(',', "a range");
  }
}

std::vector<Node> Reader::names() {
  (void)peek();
  const Where place = where();
  if (at_ >= text_.size() || !is_letter(text_[at_])) {
    if (done()) fail("the statement ends where a name is expected");
    fail(fmt::format("expected a name, not '{}'", peek()));
  }
  std::vector<std::string> stems{""};
  while (at_ < text_.size()) {
    if (is_word(text_[at_])) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
      for (auto& stem : stems) stem += text_.substr(begin, at_ - begin);
    } else if (text_[at_] == '{') {
      ++at_;
      stems = expand_range(stems);
    } else {
      break;
    }
  }
  for (const auto& stem : stems)
    if (stem.size() > 200) throw LimitError(place, "a name has more than 200 characters");
  int primes = 0;
  int rank = 0;
  while (at_ < text_.size() && text_[at_] == '\'') ++primes, ++at_;
  while (at_ < text_.size() && text_[at_] == '>' && rank < 2) ++rank, ++at_;
  if (primes > 9) fail("a name has more than 9 primes");
  std::vector<Node> list;
  list.reserve(stems.size());
  for (auto& stem : stems) {
    Node node = named(std::move(stem), place);
    node.primes = primes, node.rank = rank;
    list.push_back(std::move(node));
  }
  return list;
}

}  // namespace kane::autolev
