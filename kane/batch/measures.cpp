#include "kane/batch/measures.hpp"

#include <algorithm>

#include "kane/base/contains.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/program/lower.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

namespace {

struct AggregateName {
  std::string_view name;
  Aggregate::Kind kind;
};

constexpr std::array<AggregateName, 12> kAggregates = {{{"start", Aggregate::Kind::Start},
                                                        {"end", Aggregate::Kind::End},
                                                        {"at", Aggregate::Kind::AtTime},
                                                        {"min", Aggregate::Kind::Min},
                                                        {"max", Aggregate::Kind::Max},
                                                        {"mean", Aggregate::Kind::Mean},
                                                        {"rms", Aggregate::Kind::Rms},
                                                        {"integral", Aggregate::Kind::Integral},
                                                        {"quantile", Aggregate::Kind::Quantile},
                                                        {"first", Aggregate::Kind::First},
                                                        {"count", Aggregate::Kind::Count},
                                                        {"duration", Aggregate::Kind::Duration}}};

/// No name of a user contains these.
constexpr std::string_view kValuePrefix = "kane.value.", kEventPrefix = "kane.event.";

std::vector<std::string> event_names(const EquationsOfMotion& e) {
  std::vector<std::string> names;
  for (const auto& s : e.switches) names.push_back(s.name);
  for (const auto& c : e.contacts) names.push_back(c.name);
  for (const auto& c : e.contact_pairs) names.push_back(c.name);
  return names;
}

bool is_condition(Op op) { return op == Op::Less || op == Op::LessEqual; }

}  // namespace

class MeasureSet::Reader {
 public:
  Reader(MeasureSet& set, const CompiledSystem& system)
      : set_(set), shop_(system), known_(named_signals(shop_.equations())), events_(event_names(shop_.equations())) {}

  void read(const MeasureText& text) {
    ParseOptions options;
    options.where = text.where;
    if (text.where.file.empty()) options.where.file = fmt::format("measure '{}'", text.text);
    for (const auto& s : known_) options.known_names.push_back(s.name);
    for (const auto& e : events_) options.known_names.push_back(e);
    options.resolve = [this](std::string_view name) { return resolve(name); };
    options.call = [this](std::string_view name, const std::vector<Expr>& arguments) { return call(name, arguments); };
    Expr value = shop_.graph().bind(parse(shop_.graph(), text.text, options));
    for (const Expr& symbol : symbols_of(std::span(&value, 1))) {
      if (symbol.name().starts_with(kEventPrefix))
        throw ModelError(
            options.where,
            fmt::format("'{}' is an event; say what of it is meant: first({}), count({}), at(x, {})",
                        symbol.name().substr(kEventPrefix.size()), symbol.name().substr(kEventPrefix.size()),
                        symbol.name().substr(kEventPrefix.size()), symbol.name().substr(kEventPrefix.size())));
    }
    const std::string name = text.name.empty() ? text.text : text.name;
    if (contains(set_.names_, name)) throw ModelError(options.where, fmt::format("there are two measures '{}'", name));
    set_.names_.push_back(name);
    outer_.push_back(value);
  }

  void read_series(const MeasureText& text) {
    ParseOptions options;
    options.where = text.where;
    if (text.where.file.empty()) options.where.file = fmt::format("series '{}'", text.text);
    for (const auto& s : known_) options.known_names.push_back(s.name);
    options.resolve = [this](std::string_view name) { return resolve(name); };
    const Expr value = shop_.graph().bind(parse(shop_.graph(), text.text, options));
    for (const Expr& symbol : symbols_of(std::span(&value, 1)))
      if (symbol.name().starts_with(kEventPrefix))
        throw ModelError(options.where, fmt::format("'{}' is an event, which has no series",
                                                    symbol.name().substr(kEventPrefix.size())));
    const std::string name = text.name.empty() ? text.text : text.name;
    if (contains(set_.series_names_, name))
      throw ModelError(options.where, fmt::format("there are two series '{}'", name));
    set_.series_names_.push_back(name);
    set_.series_signals_.push_back(signal_index(value));
    set_.needs_samples_ = true;
  }

  void finish() {
    // A name outside an aggregate means its value at the end.
    std::vector<Expr> symbols = symbols_of(outer_);
    ProgramInputs names;
    std::vector<std::string> values(set_.aggregates_.size());
    for (const Expr& symbol : symbols) {
      if (symbol.name().starts_with(kValuePrefix)) continue;
      Substitution rename;
      const Expr value = add({Aggregate::Kind::End}, symbol);
      rename.set(symbol, value);
      outer_ = substitute(outer_, rename);
    }
    for (std::size_t i = 0; i < set_.aggregates_.size(); ++i) names.state.push_back(value_name(i));
    std::vector<NamedExpr> outputs;
    for (std::size_t i = 0; i < outer_.size(); ++i) outputs.push_back({"measure" + std::to_string(i), outer_[i]});
    LowerOptions lowering;
    lowering.strict = shop_.setting().strict;
    KernelOptions options;
    options.functions = shop_.setting().functions;
    options.use_interpreter = shop_.setting().use_interpreter;
    set_.outer_ = std::make_unique<Kernel>(compile_kernel(lower("measures", outputs, names, lowering), options));
    set_.signals_ = std::make_unique<Kernel>(shop_.compile("signals", signals_));
    const EquationsOfMotion& e = shop_.equations();
    for (const Expr& signal : signals_) set_.signal_expressions_.push_back({"", signal, e.graph});
    std::vector<std::string> rates;
    for (const Expr& u : e.udot) rates.push_back(u.name());
    for (const auto& c : e.constraints) rates.push_back(c.multiplier.is_symbol() ? c.multiplier.name() : std::string());
    for (const Expr& symbol : symbols_of(shop_.with_laws(signals_)))
      if (contains(rates, symbol.name())) set_.uses_rates_ = true;
    for (const Aggregate& a : set_.aggregates_) {
      const bool events = !a.event.empty();
      set_.needs_events_ = set_.needs_events_ || events;
      if (a.kind != Aggregate::Kind::Start && a.kind != Aggregate::Kind::End && !events) set_.needs_samples_ = true;
    }
    require(!set_.needs_events_ || e.switched(), "measures of events need a model with events or contacts");
  }

 private:
  static std::string value_name(std::size_t i) { return std::string(kValuePrefix) + std::to_string(i); }

  std::optional<Expr> resolve(std::string_view name) {
    const auto found = std::find_if(known_.begin(), known_.end(), [&](const Signal& s) { return s.name == name; });
    if (found != known_.end()) return shop_.graph().bind(found->value);
    if (std::find(events_.begin(), events_.end(), name) != events_.end())
      return shop_.graph().symbol(std::string(kEventPrefix) + std::string(name));
    return std::nullopt;
  }

  /// The name of the event that an argument is; "" if it is none.
  static std::string event_of(const Expr& e) {
    return e.graph() != nullptr && e.is_symbol() && e.name().starts_with(kEventPrefix)
               ? e.name().substr(kEventPrefix.size())
               : "";
  }

  std::optional<Expr> call(std::string_view function, const std::vector<Expr>& arguments) {
    const auto row =
        std::find_if(kAggregates.begin(), kAggregates.end(), [&](const auto& a) { return a.name == function; });
    if (row == kAggregates.end()) return std::nullopt;
    using Kind = Aggregate::Kind;
    if ((row->kind == Kind::Min || row->kind == Kind::Max) && arguments.size() == 2)
      return std::nullopt;  // of two numbers
    const std::size_t needed = row->kind == Kind::AtTime || row->kind == Kind::Quantile ? 2 : 1;
    require(arguments.size() == needed, "{} takes {} argument{}, but {} are given", function, needed,
            needed == 1 ? "" : "s", arguments.size());
    Aggregate a{row->kind};
    Expr signal = shop_.graph().bind(arguments[0]);
    const std::string event = event_of(signal);
    if (!event.empty()) {
      require(a.kind == Kind::First || a.kind == Kind::Count,
              "{}({}): '{}' is an event, which only first(), count() and at() know", function, event, event);
      a.kind = a.kind == Kind::First ? Kind::FirstEvent : Kind::CountEvents;
      a.event = event;
      return add(a, shop_.graph().bind(Expr()));
    }
    if (a.kind == Kind::AtTime) set_place(a, arguments[1]);
    if (a.kind == Kind::Quantile) {
      require(symbols_of(std::span(&arguments[1], 1)).empty(), "quantile(x, p) takes a probability that is a number");
      a.time = evaluate(arguments[1], {});
      require(a.time >= 0 && a.time <= 1, "quantile(x, p) takes a probability from 0 to 1, not {}", a.time);
    }
    if (a.kind == Kind::First || a.kind == Kind::Count || a.kind == Kind::Duration) {
      a.exact = is_condition(signal.op());
      signal = a.exact ? signal.arg(1) - signal.arg(0) : signal - Expr(0.5);
    }
    return add(a, signal);
  }

  static void set_place(Aggregate& a, const Expr& place) {
    a.event = event_of(place);
    if (!a.event.empty()) {
      a.kind = Aggregate::Kind::AtEvent;
      return;
    }
    require(symbols_of(std::span(&place, 1)).empty(),
            "at(x, t) takes a time that is a number, or an event of the model");
    a.time = evaluate(place, {});
  }

  Expr add(Aggregate a, const Expr& signal) {
    for (const Expr& symbol : symbols_of(std::span(&signal, 1)))
      require(!symbol.name().starts_with(kValuePrefix),
              "an aggregate of an aggregate has no meaning: max(x - mean(x))");
    a.signal = signal_index(signal);
    set_.aggregates_.push_back(a);
    return shop_.graph().symbol(value_name(set_.aggregates_.size() - 1));
  }

  std::size_t signal_index(const Expr& signal) {
    const Expr bound = shop_.graph().bind(signal);
    const auto known = std::find(signals_.begin(), signals_.end(), bound);
    const auto index = static_cast<std::size_t>(known - signals_.begin());
    if (known == signals_.end()) signals_.push_back(bound);
    return index;
  }

  MeasureSet& set_;
  KernelWorkshop shop_;
  std::vector<Signal> known_;
  std::vector<std::string> events_;
  std::vector<Expr> signals_, outer_;
};

MeasureSet::MeasureSet(const CompiledSystem& system, const std::vector<MeasureText>& texts,
                       const std::vector<MeasureText>& series) {
  require(!texts.empty(), "say what to keep of each run: --measure \"max(x)\", or 'measures:' in the study file");
  constexpr std::size_t kMostMeasures = 1000;
  require(texts.size() <= kMostMeasures, "a study has at most {} measures", kMostMeasures);
  Reader reader(*this, system);
  require(series.size() <= kMostMeasures, "a study keeps at most {} series", kMostMeasures);
  for (const MeasureText& text : texts) reader.read(text);
  for (const MeasureText& text : series) reader.read_series(text);
  reader.finish();
}

}  // namespace kane
