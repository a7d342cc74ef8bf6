#pragma once
// A foreign FMU for co-simulation (FMI 2.0 or 3.0) at work: unpacked to a temporary folder, its library loaded, one instance.
// It runs third-party native code: the caller must have asked the user.
//
//     FmuSlave controller("controller.fmu");
//     const FmuPort angle = controller.input("angle"), torque = controller.output("torque");
//     controller.begin(0);
//     controller.set(angle, 0.3), controller.step(0, 0.01);
//     double T = controller.get(torque);

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kane {

enum class FmuType : std::uint8_t { Real, Integer, Boolean, Other };

/// A variable of a foreign FMU. Numbers of other types are rounded; booleans are true unless 0.
struct FmuPort {
  std::string name;
  unsigned reference = 0;
  FmuType type = FmuType::Real;
  std::string causality{}, variability{}, unit{}, start{};
};

/// The contents of an FMU's model description.
struct FmuInfo {
  int version = 2;
  std::string name, token, identifier;
  bool model_exchange = false, co_simulation = false;
  std::vector<FmuPort> variables;
};

/// Reads modelDescription.xml out of the archive. Throws ModelError.
[[nodiscard]] FmuInfo read_fmu_info(const std::string& file);

class FmuSlave {
 public:
  /// Throws ModelError if the FMU cannot be used here.
  explicit FmuSlave(const std::string& file);
  ~FmuSlave();
  FmuSlave(const FmuSlave&) = delete;
  FmuSlave& operator=(const FmuSlave&) = delete;

  [[nodiscard]] const FmuInfo& info() const;
  /// The variable of this name and causality. Throws ModelError with the names there are.
  [[nodiscard]] FmuPort input(std::string_view name) const;
  [[nodiscard]] FmuPort output(std::string_view name) const;
  [[nodiscard]] FmuPort parameter(std::string_view name) const;

  /// Instantiates, or begins again, and enters initialization; values set from now on are start values.
  void begin(double time);
  /// Ends initialization.
  void run();
  void set(const FmuPort& port, double value);
  [[nodiscard]] double get(const FmuPort& port);
  /// From `time` on for `length` seconds.
  void step(double time, double length);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace kane
