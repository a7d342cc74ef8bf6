#pragma once
// Pass: products that feed one addition become fused multiply-adds, which round once.

#include "kane/program/program.hpp"

namespace kane {

/// Where both operands of an addition are such products, the one that is ready last is fused (it gains most). A
/// product of an earlier stage stays there. The products themselves are left to remove_dead_code().
void contract(Program& program);

/// Products that several additions use, and nothing else, are fused with each of them and need not be computed. That
/// pays off where additions and fused multiply-adds wait for the same units (AVX-512 vectors); where additions have
/// separate units it does not, so contract() leaves such products alone. They are left where they are, without
/// users.
void fuse_shared_products(Program& program);

}  // namespace kane
