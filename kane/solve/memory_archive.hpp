#pragma once
// Writes numbers that decide how a computation goes on into a list, or reads them back, so that each class names them once:
//
//     void Pendulum::exchange(MemoryArchive& a) { a(angle_, speed_, history_); }
//
// Numbers of any kind are kept as doubles, which is exact for all of them here (counts stay below 2^53).

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

class MemoryArchive {
 public:
  /// Appends to `numbers`.
  static MemoryArchive writer(std::vector<double>& numbers) { return MemoryArchive(&numbers, nullptr); }
  /// Reads what a writer has appended.
  static MemoryArchive reader(const std::vector<double>& numbers) { return MemoryArchive(nullptr, &numbers); }

  [[nodiscard]] bool reading() const { return from_ != nullptr; }
  /// Everything has been read.
  [[nodiscard]] bool finished() const { return from_ == nullptr || next_ == from_->size(); }

  template <class... Values>
  void operator()(Values&... values) {
    (exchange(values), ...);
  }

 private:
  MemoryArchive(std::vector<double>* to, const std::vector<double>* from) : to_(to), from_(from) {}

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void exchange(T& value) {
    if (to_ != nullptr) {
      to_->push_back(static_cast<double>(value));
    } else {
      ensure(next_ < from_->size(), "a snapshot is too short");
      value = static_cast<T>((*from_)[next_++]);
    }
  }
  template <class T>
  void exchange(std::vector<T>& values) {
    std::size_t size = values.size();
    exchange(size);
    if (reading()) values.resize(size);
    for (auto& value : values) exchange(value);
  }
  void exchange(std::vector<bool>& values) {
    std::size_t size = values.size();
    exchange(size);
    if (reading()) values.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      bool value = values[i];
      exchange(value);
      values[i] = value;
    }
  }
  template <class T, std::size_t n>
  void exchange(std::array<T, n>& values) {
    for (auto& value : values) exchange(value);
  }

  std::vector<double>* to_;
  const std::vector<double>* from_;
  std::size_t next_ = 0;
};

}  // namespace kane
