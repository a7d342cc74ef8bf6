#pragma once
// Counts the allocations of the whole test program.

namespace kane::test {

[[nodiscard]] long allocation_count();

}  // namespace kane::test
