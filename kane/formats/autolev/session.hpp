#pragma once
// An AUTOLEV session: statements go in, definitions and a log come out.
//
//     autolev::Session session;
//     session.run_file("pendulum.al");
//     std::string log = session.log_text();
//
// Definitions are kept by name: after "c = a + b" the name c stands in later expressions, as in AUTOLEV's own log, and
// what it is worth is put in where it matters (velocities when partial velocities are taken, derivatives, numbers). So a
// definition that comes later (q1' = u1 after the velocities) or changes (c := ...) acts everywhere.

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/expr/abbreviate.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"
#include "kane/formats/autolev/world.hpp"

namespace kane::autolev {

/// A line of the log: what was typed, what came of it, or a note of ours.
struct LogLine {
  enum class Kind : std::uint8_t { Input, Result, Note };
  Kind kind = Kind::Input;
  int number = 0;  ///< notes have none
  std::string text;
};

/// A file that a script writes (CODE, SAVE), named relative to the folder it may write to.
struct WrittenFile {
  std::string name;
  std::string text;
};

struct SessionOptions {
  Limits limits{};
  /// Scripts that RUN names are looked for beneath this folder; empty: RUN is refused.
  std::filesystem::path folder{};
  /// Results longer than this many characters are written with intermediate names Z1, Z2, ...
  std::size_t long_result = 3000;
  bool keep_log = true;
};

/// The definitions that are substituted where expressions are made explicit.
struct Explicitly {
  bool auxiliaries = true;  ///< auxiliary speeds take their values
  bool solutions = false;   ///< u' takes the value that KANE or SOLVE found
  std::vector<Expr> keep = {};
};

/// How the equations of motion are used by programs: M u' = rhs, and q' = f for all other states.
struct StateEquations {
  std::vector<Expr> coordinates, rates;    ///< q and q'
  std::vector<Expr> speeds, derivatives;   ///< u and the symbols u'
  ExprMatrix mass;                         ///< M
  std::vector<Expr> forcing;               ///< rhs
  std::vector<Expr> forces, force_values;  ///< found by KANE(...); values contain u'
  std::vector<Expr> parameters;            ///< every other symbol that needs a value
};

/// The nearest known statement or command, as "; did you mean ...".
[[nodiscard]] std::vector<std::string> statement_words();
/// One line about a statement or command: how it is written. Empty if it is not known.
[[nodiscard]] std::string help_text(std::string_view word);

class Session {
 public:
  explicit Session(SessionOptions options = {});

  /// Runs a script. Throws ModelError with the place of the statement that stops it; what came before it stays.
  void run_file(const std::filesystem::path& file);
  void run_text(std::string_view text, const std::string& name);
  void execute(const Statement& statement, const std::string& file);

  [[nodiscard]] const World& world() const { return w_; }
  /// Goes back to an earlier world; the log is cut to the given number of lines.
  void restore(World world, std::size_t log_lines);
  [[nodiscard]] const std::vector<LogLine>& log() const { return log_; }
  /// The log as AUTOLEV writes it.
  [[nodiscard]] std::string log_text(std::size_t from = 0) const;
  [[nodiscard]] const std::vector<WrittenFile>& files() const { return files_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] std::size_t statements() const { return executed_; }
  [[nodiscard]] Graph& graph() const { return *graph_; }
  [[nodiscard]] const std::shared_ptr<Graph>& shared_graph() const { return graph_; }

  // ---- for programs and models ----------------------------------------------------------------------------------------
  /// Throws ModelError if the script has no equations of motion, saying what is missing.
  [[nodiscard]] StateEquations state_equations();
  [[nodiscard]] Expr explicitly(const Expr& e, const Explicitly& how = {});
  [[nodiscard]] std::vector<Expr> explicitly(std::span<const Expr> es, const Explicitly& how = {});
  /// Value of an expression by INPUT and definitions. Throws ModelError naming what has no value.
  [[nodiscard]] double number_of(const Expr& e, std::string_view what);
  /// The input of a symbol, if it or a default has one.
  [[nodiscard]] std::optional<double> input_value(const Expr& symbol);
  /// Factor from the script's internal units to a unit ("deg"), and what the unit is called.
  [[nodiscard]] double unit_factor(const std::string& unit, const Where& where);
  [[nodiscard]] const Scalar* find_symbol(const Expr& symbol) const;
  [[nodiscard]] const Scalar* find_scalar(std::string_view key) const;
  /// a + b*i, if an imaginary unit is declared and takes part in e; e otherwise.
  [[nodiscard]] Expr rectangular_form(const Expr& e) const;
  /// An expression in AUTOLEV's notation.
  [[nodiscard]] std::string text_of(const Expr& e, std::size_t max_length = 0) const;
  [[nodiscard]] std::string text_of(const Vector& v, std::size_t max_length = 0) const;
  [[nodiscard]] std::string text_of(const Dyadic& d, std::size_t max_length = 0) const;
  [[nodiscard]] std::string text_of(const ExprMatrix& m, std::size_t max_length = 0) const;
  [[nodiscard]] std::string text_of(const Value& v, std::size_t max_length = 0) const;
  /// The value of an expression in the present world (for prompts).
  [[nodiscard]] Value evaluate_text(std::string_view text);

 private:
  friend struct Commands;
  friend struct Functions;
  friend struct Eigenwork;

  // ---- statements (statements.cpp) --------------------------------------------------------------------------------------
  void run_statement(Reader& in, const Statement& statement);
  [[nodiscard]] bool run_keyword(const std::string& word, Reader& in, const Statement& statement);
  void declare(const std::string& word, Reader& in);
  void declare_scalar(const Node& name, Role role, bool dynamic, Reader& in);
  void declare_frame(const Node& name, bool newtonian);
  [[nodiscard]] std::string read_unit(Reader& in);
  [[nodiscard]] Expr unit_ratio(const Node& from, const Node& to) const;
  [[nodiscard]] Expr in_own_units(const Expr& value, const std::string& unit, const Where& where);
  void declare_body(const Node& name);
  void declare_point(const std::string& name);
  void declare_particle(const Node& name);
  void state_mass(Reader& in);
  void state_inertia(Reader& in);
  void state_units(Reader& in);
  void unit_of_columns(const std::string& key, const std::string& unit);
  void state_unit_system(Reader& in);
  void state_input(Reader& in);
  void convert_input(Scalar& s, const Where& where);
  void state_output(Reader& in, bool encode);
  void state_code(Reader& in, const std::string& file);
  void state_setting(const std::string& word, Reader& in);
  void note_setting(const std::string& word);
  void run_nested(Reader& in);
  void save_log(Reader& in);
  void assign_or_evaluate(Reader& in);
  void assign_range(Reader& in);
  void assign(const Node& to, const std::string& sign, const Node& from);
  void assign_element(const Node& to, const std::string& sign, const Value& value);
  void assign_scalar(const Node& to, const Value& value);
  void assign_vector(const Node& to, const Vector& value);
  void assign_dyadic(const Node& to, const Dyadic& value);
  void apply_in_place(const Node& call);
  [[nodiscard]] bool run_user_command(const Node& call);
  void solve_speed_definitions();

  // ---- symbols (symbols.cpp) ---------------------------------------------------------------------------------------------
  Scalar& scalar(std::string_view key) { return w_.scalars.find(key)->second; }
  [[nodiscard]] Scalar* find(std::string_view key);
  Scalar& add_scalar(const std::string& name, int primes, Role role, int order);
  Scalar& need_derivative(const Scalar& base, int primes);
  Scalar& named_scalar(const Node& name);
  void define(Scalar& s, const Expr& value, Origin origin);
  [[nodiscard]] Expr spelled(const Scalar& s) const;
  [[nodiscard]] Expr rate(const Expr& symbol);
  [[nodiscard]] Expr time_derivative(const Expr& e);
  [[nodiscard]] Expr partial(const Expr& e, const Expr& symbol);
  [[nodiscard]] Expr resolve_symbol(const Expr& symbol, const Explicitly& how, std::unordered_map<NodeId, Expr>& known,
                                    std::vector<NodeId>& open);
  [[nodiscard]] const Expr* definition_of(NodeId symbol, const Explicitly& how) const;
  [[nodiscard]] Vector explicitly(const Vector& v, const Explicitly& how);
  [[nodiscard]] Value explicitly(const Value& v, const Explicitly& how);
  [[nodiscard]] std::vector<std::string> known_names() const;
  [[nodiscard]] Value explicitly_visible(const Value& v, const std::vector<Expr>& symbols);
  [[nodiscard]] Expr explicitly_visible(const Expr& e, const std::vector<Expr>& symbols);

  // ---- expressions (evaluate.cpp) ----------------------------------------------------------------------------------------
  [[nodiscard]] Value evaluate(const Node& node);
  [[nodiscard]] Value evaluate_name(const Node& node);
  [[nodiscard]] Value evaluate_vector_name(const Node& node);
  [[nodiscard]] Value evaluate_dyadic_name(const Node& node);
  [[nodiscard]] Value evaluate_element(const Node& node);
  [[nodiscard]] Value evaluate_binary(const Node& node);
  [[nodiscard]] Value evaluate_matrix(const Node& node);
  [[nodiscard]] Expr evaluate_scalar(const Node& node);
  [[nodiscard]] Vector evaluate_vector(const Node& node);
  [[nodiscard]] double evaluate_number(const Node& node);
  [[nodiscard]] int evaluate_whole(const Node& node);
  [[nodiscard]] double evaluate_text_number(const Expr& e, const Where& where);
  [[nodiscard]] Value call(const Node& node);
  /// The scalars that arguments name: x, y or [x,y], DEPENDENT-like lists flattened.
  [[nodiscard]] std::vector<Expr> symbols_named(std::span<const Node> nodes, bool declare);
  [[nodiscard]] Expr symbol_named(const Node& node, bool declare);

  // ---- kinematics (kinematics.cpp) ---------------------------------------------------------------------------------------
  struct Named {
    char kind = 0;  ///< P, V, A, W, L (ALF), I, F, T, or C (direction cosines)
    int first = -1, second = -1;
  };
  [[nodiscard]] std::optional<Named> find_named(std::string_view key, int rank) const;
  [[nodiscard]] std::string unknown_part(std::string_view key) const;
  [[nodiscard]] std::optional<FrameId> find_frame(std::string_view key) const;
  [[nodiscard]] std::optional<PointIndex> find_point(std::string_view key) const;
  [[nodiscard]] FrameId frame_of(const Node& node) const;
  [[nodiscard]] PointIndex point_of(const Node& node) const;
  [[nodiscard]] int body_of(const Node& node) const;
  [[nodiscard]] FrameId newtonian(const Where& where) const;
  [[nodiscard]] const std::string& frame_name(FrameId f) const { return w_.frames->name(f); }
  void orient(FrameId parent, FrameId child, const Orientation& orientation,
              std::optional<RotationSequence> sequence = {});
  [[nodiscard]] ExprMatrix direction_cosines(FrameId a, FrameId b) const;
  [[nodiscard]] Vector position(PointIndex from, PointIndex to) const;
  [[nodiscard]] std::optional<Vector> find_position(PointIndex from, PointIndex to) const;
  [[nodiscard]] Vector velocity(PointIndex p, FrameId f);
  [[nodiscard]] std::optional<Vector> find_velocity(PointIndex p, FrameId f);
  [[nodiscard]] Vector acceleration(PointIndex p, FrameId f);
  [[nodiscard]] Vector angular_velocity(FrameId a, FrameId b);
  [[nodiscard]] Vector turn_velocity(FrameId child, FrameId parent);
  [[nodiscard]] static Vector sequence_velocity(Session& s, const Turn& turn);
  [[nodiscard]] Vector angular_acceleration(FrameId a, FrameId b);
  [[nodiscard]] Vector derivative(const Vector& v, FrameId in);
  [[nodiscard]] Dyadic derivative(const Dyadic& d, FrameId in);
  [[nodiscard]] Dyadic inertia_about(int body, PointIndex about);
  [[nodiscard]] Dyadic stated_inertia(int body);
  [[nodiscard]] const Frames& frames() const { return *w_.frames; }
  [[nodiscard]] std::vector<int> bodies_named(std::span<const Node> nodes) const;
  [[nodiscard]] Orientation orientation_of(const Node& call, std::size_t first);

  // ---- dynamics (dynamics.cpp) -------------------------------------------------------------------------------------------
  [[nodiscard]] std::vector<Expr> find_speeds(const Where& where);
  struct Partials {
    std::vector<Vector> by_speed;
  };
  [[nodiscard]] Partials partials(const Vector& velocity, std::span<const Expr> speeds, std::string_view what);
  [[nodiscard]] ExprMatrix active_forces(const Where& where);
  [[nodiscard]] ExprMatrix inertia_forces(const Where& where);
  [[nodiscard]] std::vector<Expr> independent_speeds(const Where& where);
  void constrain(const Node& call);
  void solve_equations(const ExprMatrix& equations, const std::vector<Expr>& unknowns, const Where& where,
                       std::string_view what);
  void solve_motion(const std::vector<Expr>& forces, const Where& where);
  void keep_motion_in_zero(const ExprMatrix& zero, const std::vector<Expr>& forces);
  [[nodiscard]] Expr kinetic_energy(std::span<const int> bodies);
  [[nodiscard]] Vector momentum(const Node& call);
  [[nodiscard]] Expr energy_check(const Where& where);
  [[nodiscard]] Expr derivative_symbol(const Expr& speed);

  // ---- log (log.cpp) -----------------------------------------------------------------------------------------------------
  void log_input(const std::string& text);
  void log_result(const std::string& name, const Value& value);
  void log_result_text(const std::string& text);
  [[nodiscard]] std::string readable(const Expr& e, std::string text);
  void note(const std::string& text);
  void check_time(const Where& where) const;

  SessionOptions options_;
  std::shared_ptr<Graph> graph_;
  World w_;
  std::vector<LogLine> log_;
  std::size_t log_bytes_ = 0;
  int log_number_ = 0;
  std::uint32_t readable_ = 0;  ///< cost of what was written in textbook form
  Abbreviations abbreviations_{"Z", 60};
  std::size_t abbreviated_ = 0;
  std::vector<WrittenFile> files_;
  std::vector<std::string> notes_;
  std::size_t executed_ = 0;
  int nested_ = 0;
  int derivative_depth_ = 0;
  std::filesystem::path file_folder_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  // remembered work, by version of the world
  struct Remembered {
    std::size_t version = static_cast<std::size_t>(-1);
    std::unordered_map<NodeId, Expr> known;
  };
  Remembered resolved_[2][2];
  std::map<NodeId, std::unique_ptr<Tangent>> tangents_;
};

}  // namespace kane::autolev
