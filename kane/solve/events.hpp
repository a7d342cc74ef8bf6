#pragma once
// Events: instants at which one of several scalar functions g_k(t, y) changes sign along a solution. They are found
// within the steps of an integrator by sampling its interpolant, and located to neighbouring doubles of time.
//
//     EventLocator events(n, {{Crossing::Falling}, {Crossing::Both}}, g);
//     events.start(t0, y0);
//     while (...) {
//       integrator.step(t_end);
//       if (events.find(integrator)) {                    // earliest instant in this step
//         integrator.interpolate(events.time(), y);       // just after the crossing
//         for (const EventHit& hit : events.hits()) ...   // everything that happens then, in the order of k
//         integrator.resume(events.time(), y);            // y perhaps changed by an impulse
//         events.resume(events.time(), y);                // the events just handled do not fire again at once
//       }
//     }

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "kane/solve/integrator.hpp"

namespace kane {

enum class Crossing { Rising, Falling, Both };

struct EventSpec {
  Crossing direction = Crossing::Both;
};

/// Writes all g_k(t, y).
using EventFunction = std::function<void(double t, std::span<const double> y, std::span<double> g)>;

struct EventHit {
  int index = 0;    ///< k
  double time = 0;  ///< where g_k has just changed sign: not later than EventLocator::time()
  bool rising = false;
};

enum class EventStatus {
  None,
  Found,
  NotFinite,   ///< g_k is not a finite number; failed() is k
  StepFailed,  ///< the integrator could not interpolate
};

struct EventOptions {
  /// Number of places inside a step, besides its end, where the functions are evaluated: two crossings between
  /// neighbouring places are found only if the values hint at them. 0 evaluates at the ends only, which saves the
  /// interpolation (it costs DormandPrince853 three evaluations) in steps without events.
  int samples = 3;
  /// Crossings nearer to each other than this fraction of the step (or a few units in the last place of time) happen at
  /// the same instant.
  double simultaneous = 1e-12;
};

class EventLocator {
 public:
  EventLocator(std::size_t states, std::vector<EventSpec> specs, EventFunction g, EventOptions options = {});

  [[nodiscard]] std::size_t size() const { return specs_.size(); }
  /// Functions that are switched off are not looked at. Switched on again, they begin like after start().
  void set_active(std::size_t k, bool active);

  /// Signs at the begin of a run. A function that is zero there is armed once it has left zero.
  void start(double t, std::span<const double> y);
  /// Goes on from an event, or from any other change of the state. Functions among the last hits are taken to be zero,
  /// whatever their rounding says, and armed once they have left it; the others get the signs they have now. If the
  /// integrator itself goes on without a change, find() can be called again for the rest of the same step.
  void resume(double t, std::span<const double> y);
  /// Looks at the last step of the integrator. After Found, time() and hits() tell what happens first, and resume() has
  /// to be called. After None, the signs at the end of the step are remembered for the next one.
  [[nodiscard]] EventStatus find(Integrator& integrator);

  /// Writes or reads the signs that were seen and which functions are active. (Hits are not kept.)
  void exchange(MemoryArchive& a) { a(active_, sign_, sign_end_, noise_, begin_, time_, t_begin_); }

  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] std::span<const EventHit> hits() const { return hits_; }
  [[nodiscard]] int failed() const { return failed_; }

 private:
  struct Bracket {
    double a, g_a, b, g_b;
  };
  enum class Scan { Nothing, Found, Failed };

  void choose_times(const Integrator& integrator);
  [[nodiscard]] EventStatus sample(Integrator& integrator);
  [[nodiscard]] double value(Integrator& integrator, std::size_t k, double t);
  [[nodiscard]] double leave_zero(std::size_t k, std::size_t row) const;
  [[nodiscard]] Scan scan(Integrator& integrator, std::size_t k, Bracket& bracket);
  [[nodiscard]] bool suspect_dip(std::size_t k, std::size_t row) const;
  [[nodiscard]] Scan search_dip(Integrator& integrator, std::size_t k, std::size_t row, double sign, Bracket& bracket);
  [[nodiscard]] bool wanted(std::size_t k, double sign_before) const;
  [[nodiscard]] EventStatus locate(Integrator& integrator, std::size_t k, const Bracket& bracket);
  void collect(const Integrator& integrator);
  [[nodiscard]] double g(std::size_t row, std::size_t k) const { return values_[row * specs_.size() + k]; }

  std::vector<EventSpec> specs_;
  EventFunction g_;
  EventOptions options_;
  std::vector<char> active_;
  std::vector<double> sign_, sign_end_;  ///< sign of g_k at t_begin_ and at the end of the step: -1, 1, or 0 at zero
  std::vector<double> noise_;            ///< |g_k| where it was declared zero: below twice this it has not left
  std::vector<double> begin_;            ///< g at t_begin_
  std::vector<double> times_, values_;   ///< samples of the step, g row by row
  std::vector<double> y_, work_;
  std::size_t rows_ = 0;
  std::vector<EventHit> candidates_, hits_;
  double time_ = 0, t_begin_ = 0;
  bool interpolation_failed_ = false;
  int failed_ = -1;
};

}  // namespace kane
