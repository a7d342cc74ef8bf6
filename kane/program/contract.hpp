#pragma once
// Pass: products that feed one addition become fused multiply-adds, which round once.

#include "kane/program/program.hpp"

namespace kane {

/// Where both operands of an addition are such products, the one that is ready last is fused (it gains most). A
/// product of an earlier stage stays there. The products themselves are left to remove_dead_code().
void contract(Program& program);

}  // namespace kane
