#include "kane/formats/autolev/script_mechanism.hpp"

#include <algorithm>

#include "kane/expr/abbreviate.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"

namespace kane::autolev {

namespace {

/// Parts of the equations larger than this many operations get a name of their own.
constexpr std::size_t kLongest = 40;

bool depends_on_any(const Expr& e, const std::vector<Expr>& symbols) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const Expr& x) { return e.graph() != nullptr && depends_on(e, x); });
}

/// "CONFIG[1]" is CONFIG_1, "KE+PE" is KE_PE.
std::string plain_identifier(const std::string& name) {
  std::string r;
  for (const char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word)
      r += c;
    else if (c == '\'')
      r += "_dot";
    else if (!r.empty() && r.back() != '_')
      r += '_';
  }
  while (!r.empty() && r.back() == '_') r.pop_back();
  if (r.empty() || (r[0] >= '0' && r[0] <= '9')) r = "y" + r;
  return r;
}

class MechanismMaker {
 public:
  explicit MechanismMaker(const ScriptSystem& s) : s_(s), e_(s.equations), m_(s.name) {}

  Mechanism make() {
    for (std::size_t i = 0; i < e_.parameters.size(); ++i)
      (void)m_.add_parameter(e_.parameters[i].symbol.name(), Expr(s_.constants[i].second));
    for (const auto& input : e_.inputs) (void)m_.add_input(input.symbol.name(), Expr(kane::evaluate(input.value, {})));
    sort_states();
    write_equations();
    set_run();
    return std::move(m_);
  }

 private:
  struct Row {
    Expr symbol, rate;
    double start;
  };

  /// A rate that is not linear in the speeds, or follows an input, belongs to a state of first order: a speed with M = 1.
  void sort_states() {
    std::vector<Expr> inputs;
    for (const auto& i : e_.inputs) inputs.push_back(i.symbol);
    for (std::size_t i = 0; i < e_.q.size(); ++i) {
      const Row row{e_.q[i], e_.qdot[i], s_.q[i]};
      const bool plain = !depends_on_any(row.rate, inputs) && !depends_on_any(row.rate, e_.udot) &&
                         find_affine(row.rate, e_.u).has_value();
      (plain ? coordinates_ : extra_).push_back(row);
    }
    const int n = static_cast<int>(e_.u.size());
    symmetric_ =
        !std::any_of(e_.M.entries.begin(), e_.M.entries.end(), [&](const Expr& x) { return depends_on_any(x, e_.u); });
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) symmetric_ = symmetric_ && e_.M(i, j) == e_.M(j, i);
  }

  void write_equations() {
    Substitution solved;
    for (std::size_t i = 0; i < e_.udot.size(); ++i) solved.set(e_.udot[i], s_.udot[i]);
    const auto closed = [&](const Expr& x) { return x.graph() == nullptr ? x : substitute(x, solved); };
    std::vector<Expr> all;
    for (const Row& row : coordinates_) all.push_back(row.rate);
    for (const Row& row : extra_) all.push_back(closed(row.rate));
    const std::vector<Expr>& forcing = symmetric_ ? e_.rhs : s_.udot;
    all.insert(all.end(), forcing.begin(), forcing.end());
    if (symmetric_) all.insert(all.end(), e_.M.entries.begin(), e_.M.entries.end());
    for (const auto& o : e_.outputs) all.push_back(closed(o.value));
    for (Expr& x : all) x = e_.graph->bind(x);

    Abbreviations names(free_prefix(), kLongest);
    const auto texts = names.shorten(all);
    for (const auto& d : names.definitions()) m_.expressions.push_back({d.name, Quantity(to_text(d.value))});
    std::size_t next = 0;
    const auto text = [&] { return Quantity(to_text(texts[next++])); };
    GeneralEquations g;
    for (const Row& row : coordinates_) g.coordinates.push_back(row.symbol.name()), g.rates.push_back(text());
    std::vector<Quantity> extra;
    for (std::size_t i = 0; i < extra_.size(); ++i) extra.push_back(text());
    for (const Expr& u : e_.u) g.speeds.push_back(u.name()), g.forcing.push_back(text());
    for (std::size_t i = 0; i < extra_.size(); ++i)
      g.speeds.push_back(extra_[i].symbol.name()), g.forcing.push_back(extra[i]);
    const std::size_t n = e_.u.size();
    const std::size_t size = g.speeds.size();
    if (symmetric_) {
      g.mass_matrix.assign(size, std::vector<Quantity>(size, Quantity("0")));
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) {
          if (i < n && j < n) g.mass_matrix[i][j] = text();
          if (i >= n && i == j) g.mass_matrix[i][j] = Quantity("1");
        }
    }
    m_.set_equations(std::move(g));
    for (const auto& o : e_.outputs) {
      const Quantity value = text();
      if (o.value.is_symbol()) continue;  // a state is a column by itself
      std::string name = plain_identifier(o.name);
      while (taken(name)) name += "_";
      m_.outputs.push_back({name, value});
    }
  }

  [[nodiscard]] bool taken(const std::string& name) const {
    for (const Expr& x : e_.graph->symbols())
      if (x.name() == name) return true;
    for (const auto& o : m_.outputs)
      if (o.name == name) return true;
    return name == "t" || name == "kinetic" || name == "potential" || name == "energy";
  }

  [[nodiscard]] std::string free_prefix() const {
    std::string prefix = "z";
    for (bool again = true; again;) {
      again = false;
      for (const Expr& x : e_.graph->symbols())
        if (folded(x.name()).starts_with(folded(prefix)) && x.name().size() > prefix.size() &&
            x.name()[prefix.size()] >= '0' && x.name()[prefix.size()] <= '9')
          again = true;
      if (again) prefix += "z";
    }
    return prefix;
  }

  void set_run() {
    for (const Row& row : coordinates_) m_.initial[row.symbol.name()] = row.start;
    for (const Row& row : extra_) m_.initial[row.symbol.name()] = row.start;
    for (std::size_t i = 0; i < e_.u.size(); ++i) m_.initial[e_.u[i].name()] = s_.u[i];
    m_.simulation.from = s_.run.begin;
    m_.simulation.until = s_.run.end;
    m_.simulation.sample = s_.run.step * std::max(1.0, s_.run.print_every);
    m_.simulation.tolerance = std::clamp(s_.run.relative, 1e-13, 1e-3);
    m_.notes = e_.warnings;
    for (const auto& name : s_.missing)
      m_.notes.push_back(fmt::format("{} has no value by INPUT; it is taken as 0", name));
  }

  const ScriptSystem& s_;
  const EquationsOfMotion& e_;
  Mechanism m_;
  std::vector<Row> coordinates_, extra_;
  bool symmetric_ = true;
};

}  // namespace

Mechanism make_mechanism(const ScriptSystem& system) { return MechanismMaker(system).make(); }

Mechanism read_script_model(const std::filesystem::path& file) {
  SessionOptions options;
  options.folder = file.parent_path().empty() ? std::filesystem::path(".") : file.parent_path();
  options.keep_log = false;
  Session session(options);
  session.run_file(file);
  return make_mechanism(make_system(session, file.stem().string()));
}

Mechanism read_script_model_text(std::string_view text, const std::string& name) {
  SessionOptions options;
  options.keep_log = false;
  Session session(options);
  session.run_text(text, name);
  return make_mechanism(make_system(session, std::filesystem::path(name).stem().string()));
}

}  // namespace kane::autolev
