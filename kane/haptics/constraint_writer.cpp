#include "kane/haptics/constraint_writer.hpp"

#include <chrono>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/haptics/real_time.hpp"

namespace kane {

ConstraintWriter::ConstraintWriter(TickSimulator& simulator, std::vector<TimedConstraint> constraints, bool replayed)
    : simulator_(simulator) {
  for (TimedConstraint& c : constraints) {
    require(c.from >= 0 && (c.to < 0 || c.to > c.from), "'{}' cannot hold from {} s to {} s", c.name, c.from, c.to);
    entries_.push_back({std::move(c), {}});
    entries_.back().report.name = entries_.back().constraint.name;
  }
  if (!replayed) thread_ = std::thread([this] { work(); });
}

void ConstraintWriter::follow(std::size_t constraint, bool held, double t) {
  Entry& entry = entries_[constraint];
  if (entry.done || held == (entry.place >= 0)) return;
  if (!held) {
    simulator_.release(at(entry.place));
    entry.report.released = t, entry.done = true;
    return;
  }
  impose(entry);
  if (!entry.done) entry.report.imposed = t;
}

bool ConstraintWriter::held(std::size_t constraint) const {
  const std::string& name = entries_[constraint].constraint.name;
  for (std::size_t k = 0; k < simulator_.system().free_rows(); ++k) {
    const WrittenRow* row = simulator_.evaluator().written(k);
    if (row != nullptr && row->constraint().name() == name) return true;
  }
  return false;
}

void ConstraintWriter::impose(Entry& entry) {
  try {
    const std::int64_t begin = now_ns();
    entry.place = static_cast<int>(simulator_.impose(entry.constraint.name, entry.constraint.expression));
    entry.report.compile_us = static_cast<double>(now_ns() - begin) * 1e-3;
  } catch (const ModelError& error) {
    entry.report.failure = error.what();
    entry.done = true;
  }
}

ConstraintWriter::~ConstraintWriter() {
  stop_.store(true);
  if (thread_.joinable()) thread_.join();
}

/// Posts a constraint that is due, checks whether it has taken effect, and releases it when its time is over.
void ConstraintWriter::advance(Entry& entry, double t) {
  TimedConstraintReport& report = entry.report;
  if (entry.place < 0) {
    if (t < entry.constraint.from) return;
    return impose(entry);
  }
  const auto place = at(entry.place);
  const HoldStage stage = simulator_.stage(place);
  if (stage == HoldStage::Refused) report.failure = "it contradicts other constraints", entry.done = true;
  if (stage == HoldStage::Held && report.imposed < 0) report.imposed = t;
  if (stage == HoldStage::Held && entry.constraint.to >= 0 && t >= entry.constraint.to) simulator_.release(place);
  if (stage == HoldStage::Free) report.released = t, entry.done = true;
}

void ConstraintWriter::work() {
  while (!stop_.load()) {
    for (Entry& entry : entries_)
      if (!entry.done) advance(entry, time_.load(std::memory_order_relaxed));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

std::vector<TimedConstraintReport> ConstraintWriter::finish() {
  stop_.store(true);
  if (thread_.joinable()) thread_.join();
  std::vector<TimedConstraintReport> reports;
  for (const Entry& entry : entries_) reports.push_back(entry.report);
  return reports;
}

}  // namespace kane
