#include "kane/codegen/jit/runtime.hpp"

#include <bit>
#include <cmath>

#include "kane/codegen/isa.hpp"
#include "kane/codegen/jit/sincos_lanes.hpp"
#include "kane/program/meaning.hpp"

namespace kane {

namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

void call_unary_lanes(Unary f, const double* x, double* result, int lanes) {
  for (int i = 0; i < lanes; ++i) result[i] = f(x[i]);
}

void call_binary_lanes(Binary f, const double* a, const double* b, double* result, int lanes) {
  for (int i = 0; i < lanes; ++i) result[i] = f(a[i], b[i]);
}

void call_root_lanes(int n, const double* x, double* result, int lanes) {
  for (int i = 0; i < lanes; ++i) result[i] = calc_root(x[i], n);
}

void call_external_lanes(double (*f)(const double*, void*), void* context, const double* arguments, double* result,
                         int arity, int lanes) {
  double gathered[kMostArguments];
  for (int i = 0; i < lanes; ++i) {
    for (int k = 0; k < arity; ++k) gathered[k] = arguments[k * lanes + i];
    result[i] = f(gathered, context);
  }
}

template <class Function>
std::uint64_t address(Function* f) {
  return reinterpret_cast<std::uintptr_t>(f);
}

std::array<std::uint64_t, 3> addresses(const SinCosLanes& lanes) {
  return {address(lanes.entries[0]), address(lanes.entries[1]), address(lanes.entries[2])};
}

/// As the interpreter calls it.
template <Code kCode>
double call_unary(double a) {
  return calc_value({kCode, 0, 0, 0}, [a](ValueId) { return a; });
}
template <Code kCode>
double call_binary(double a, double b) {
  return calc_value({kCode, 0, 1, 0}, [a, b](ValueId id) { return id == 0 ? a : b; });
}

template <Code... kUnary>
void set_unary(Runtime& runtime) {
  ((runtime.functions[kUnary] = address(&call_unary<kUnary>)), ...);
}
template <Code... kBinary>
void set_binary(Runtime& runtime) {
  ((runtime.functions[kBinary] = address(&call_binary<kBinary>)), ...);
}

}  // namespace

Runtime host_runtime(std::vector<ExternalFunction> externals, [[maybe_unused]] bool strict) {
  Runtime runtime;
  set_unary<Code::Tan, Code::Asin, Code::Acos, Code::Atan, Code::Sinh, Code::Cosh, Code::Tanh, Code::Exp, Code::Log,
            Code::Floor>(runtime);
  set_binary<Code::Atan2, Code::Mod>(runtime);
  runtime.functions[Code::Root] = address(&calc_root);
  runtime.sincos2 = addresses(sincos_lanes2());
#if defined(__x86_64__)
  if (is_available(Isa::Avx2)) runtime.sincos4 = addresses(sincos_lanes4(strict));
  if (is_available(Isa::Avx512)) runtime.sincos8 = addresses(sincos_lanes8(strict));
#endif
  runtime.unary_lanes = address(&call_unary_lanes);
  runtime.binary_lanes = address(&call_binary_lanes);
  runtime.root_lanes = address(&call_root_lanes);
  runtime.external_lanes = address(&call_external_lanes);
  runtime.externals = std::move(externals);
  return runtime;
}

}  // namespace kane
