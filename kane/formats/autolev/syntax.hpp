#pragma once
// The text of an AUTOLEV script as statements, and a statement's expressions as trees. Nothing is evaluated here: names,
// points and frames are told apart by the session (session.hpp).
//
//   statement    one line; "&" at its end continues it, "%" begins a comment, ";" ends it early
//   name         letter {letter|digit|"_"|range} {"'"} [">"|">>"]        q1'  V_P_N>  I_B_P>>  b{1:2,1:3}
//   expression   sums, products, "^" (right-associative), calls f(a,...), elements M[i,j], matrices [a,b;c,d]
//
// Names keep their spelling; folded() gives what they are compared by, since case does not matter.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"

namespace kane::autolev {

/// Limits of a script. Each message names its limit.
struct Limits {
  std::size_t max_bytes = 4 << 20;       ///< of a script and all it runs
  std::size_t max_statements = 100'000;  ///< executed, those of scripts it runs included
  int max_depth = 200;                   ///< nesting of an expression
  int max_terms = 1000;                  ///< of one sum or product
  std::size_t max_names = 10'000;        ///< that one range stands for
  std::size_t max_elements = 250'000;    ///< of one matrix
  int max_runs = 16;                     ///< scripts that run scripts
  std::size_t max_log = 64 << 20;        ///< bytes of the log
  std::size_t max_nodes = 20'000'000;    ///< of the graph of expressions
  double max_seconds = 120;              ///< of work
};

/// Upper case, by which names are compared.
[[nodiscard]] std::string folded(std::string_view name);

/// One statement: its text with continuation lines joined and comments removed, and where each character stands.
struct Statement {
  std::string text;
  std::vector<std::pair<int, int>> places;  ///< line and column of each character, and of the end
  std::string source;                       ///< as written, for the log

  [[nodiscard]] Where where(std::size_t at, const std::string& file) const;
};

/// Splits a text into statements; comment lines and empty lines are statements without text. Throws ModelError for text
/// that is not ASCII outside comments.
[[nodiscard]] std::vector<Statement> split_statements(std::string_view text, const std::string& file,
                                                      const Limits& limits = {});

enum class NodeKind : std::uint8_t { Number, Name, Call, Element, Negate, Binary, Matrix, Row, Range, Equals };

/// A node of a syntax tree.
struct Node {
  NodeKind kind = NodeKind::Number;
  std::string text;            ///< digits, a name without primes and suffix, or an operator
  int primes = 0;              ///< of a name
  int rank = 0;                ///< 1: vector (">"), 2: dyadic (">>"), of a name or a number
  std::vector<Node> children;  ///< operands, arguments, rows, or from and to
  Where where;

  [[nodiscard]] bool is_name() const { return kind == NodeKind::Name; }
  /// "q1''", "V_P_N>".
  [[nodiscard]] std::string spelled() const;
  /// The same folded.
  [[nodiscard]] std::string key() const { return folded(spelled()); }
};

/// Reads parts of one statement.
class Reader {
 public:
  Reader(const Statement& statement, std::string file, const Limits& limits = {})
      : statement_(statement), text_(statement.text), file_(std::move(file)), limits_(limits) {}

  [[nodiscard]] Where where() const { return statement_.where(at_, file_); }
  [[noreturn]] void fail(const std::string& message) const { throw ModelError(where(), message); }
  [[nodiscard]] std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }

  [[nodiscard]] bool done();
  /// Skips blanks; the next character, or 0 at the end.
  [[nodiscard]] char peek();
  bool accept(char c);
  void expect(char c, std::string_view after);
  void expect_end();
  /// A plain word (letters, digits, "_"), folded; "" if there is none.
  [[nodiscard]] std::string word();
  /// Everything up to a comma outside brackets, or the end, without blanks around it.
  [[nodiscard]] std::string until_comma();
  /// Everything that is left, without blanks around it.
  [[nodiscard]] std::string rest();

  /// A sum; with `equals`, also "a = b" and "a = b : c" and "a:b", as arguments may be.
  [[nodiscard]] Node expression();
  /// Arguments up to the closing bracket; a range of names counts as many.
  [[nodiscard]] std::vector<Node> arguments(char close);
  /// One argument without its comma: one node, or as many as a range of names stands for.
  void argument(std::vector<Node>& to);
  /// Names of one item of a declaration: "q{3}'" is three.
  [[nodiscard]] std::vector<Node> names();

 private:
  [[nodiscard]] Node sum(int depth);
  [[nodiscard]] Node product(int depth);
  [[nodiscard]] Node unary(int depth);
  [[nodiscard]] Node power(int depth);
  [[nodiscard]] Node atom(int depth);
  [[nodiscard]] Node matrix(int depth);
  [[nodiscard]] Node number();
  [[nodiscard]] std::vector<Node> arguments_at(char close, int depth);
  void argument_at(std::vector<Node>& to, int depth);
  void check_depth(int depth) const;
  void check_count(int terms) const;
  [[nodiscard]] std::vector<std::string> expand_range(const std::vector<std::string>& stems);

  const Statement& statement_;
  std::string_view text_;
  std::string file_;
  Limits limits_;
  std::size_t at_ = 0;
};

}  // namespace kane::autolev
