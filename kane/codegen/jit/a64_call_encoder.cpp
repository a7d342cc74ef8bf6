#include "kane/codegen/jit/a64_call_encoder.hpp"

#include "kane/base/error.hpp"

namespace kane {

namespace a64 = asmjit::a64;

void A64CallEncoder::encode(const MachineGroup& group) {
  for (const SinCosBatch& batch : group.batches) encode_batch(batch);
  for (const MachineCall& c : group.calls) {
    if (c.function == Code::Call)
      encode_external(c);
    else if (target_.scalar())
      encode_scalar(c);
    else
      encode_lanes(c);
  }
}

void A64CallEncoder::call(std::uint64_t address) {
  ensure(address != 0, "generated code would call a function that does not exist");
  addresses_.load_number(a64::x16, address);
  a_.blr(a64::x16);
  addresses_.forget();
}

void A64CallEncoder::encode_batch(const SinCosBatch& batch) {
  if (target_.scalar()) {
    addresses_.load_lane(0, batch.angles[0], 0);
    if (batch.count > 1) {
      addresses_.load_lane(1, batch.angles[1], 0);
      a_.ins(a64::v0.d(1), a64::v1.d(0));
    }
  } else {
    addresses_.load(0, batch.angles[0]);
  }
  addresses_.load_address(a64::x0, batch.results);
  call(runtime_.sincos(2, 1));
}

void A64CallEncoder::encode_scalar(const MachineCall& c) {
  addresses_.load(0, c.a);
  if (c.b != kNoSlot) addresses_.load(1, c.b);
  if (c.function == Code::Root) addresses_.load_number(a64::x0, c.integer);
  call(runtime_.functions[c.function]);
  addresses_.store(c.result, 0);
}

void A64CallEncoder::encode_lanes(const MachineCall& c) {
  const bool root = c.function == Code::Root;
  addresses_.load_number(a64::x0, root ? c.integer : runtime_.functions[c.function]);
  addresses_.load_address(a64::x1, c.a);
  if (c.b == kNoSlot) {
    addresses_.load_address(a64::x2, c.result);
    addresses_.load_number(a64::x3, static_cast<std::uint64_t>(target_.lanes));
    call(root ? runtime_.root_lanes : runtime_.unary_lanes);
  } else {
    addresses_.load_address(a64::x2, c.b);
    addresses_.load_address(a64::x3, c.result);
    addresses_.load_number(a64::x4, static_cast<std::uint64_t>(target_.lanes));
    call(runtime_.binary_lanes);
  }
}

void A64CallEncoder::encode_external(const MachineCall& c) {
  for (std::size_t k = 0; k < c.arguments.size(); ++k) {
    for (int lane = 0; lane < target_.lanes; ++lane) {
      addresses_.load_lane(0, c.arguments[k], lane);
      addresses_.store_lane(c.area + static_cast<SlotId>(k), lane, 0);
    }
  }
  const ExternalFunction& f = runtime_.externals[c.integer];
  const auto address = reinterpret_cast<std::uintptr_t>(f.call);
  const auto context = reinterpret_cast<std::uintptr_t>(f.context);
  const SlotId area = c.arguments.empty() ? c.result : c.area;
  if (target_.scalar()) {
    addresses_.load_address(a64::x0, area);
    addresses_.load_number(a64::x1, context);
    call(address);
    addresses_.store(c.result, 0);
    return;
  }
  addresses_.load_number(a64::x0, address);
  addresses_.load_number(a64::x1, context);
  addresses_.load_address(a64::x2, area);
  addresses_.load_address(a64::x3, c.result);
  addresses_.load_number(a64::x4, c.arguments.size());
  addresses_.load_number(a64::x5, static_cast<std::uint64_t>(target_.lanes));
  call(runtime_.external_lanes);
}

}  // namespace kane
