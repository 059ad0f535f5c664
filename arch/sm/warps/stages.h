// SPDX-License-Identifier: Apache-2.0
// The stages that every instruction passes between the scheduler and its operands, one cycle each: Issue, Control,
// Allocate (Huerta et al., arXiv:2503.20481). They are no keys, because compilers rely on them: in code for every
// architecture from compute capability 7.0 on, at least two cycles lie between an instruction that increments a
// dependence counter and an instruction that waits for this counter, since the counter rises in Control and the
// scheduler sees it one cycle later.
#pragma once

#include <cstdint>

namespace sassim::arch {

inline constexpr std::uint64_t kControl = 1;              ///< cycles from issue to Control
inline constexpr std::uint64_t kAllocate = kControl + 1;  ///< cycles from issue to Allocate
inline constexpr std::uint64_t kCounterVisible =
    kControl + 1;  ///< cycles from issue until the scheduler sees a counter that Control incremented

}  // namespace sassim::arch
