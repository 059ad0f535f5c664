// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/isa/instruction.h"
#include "sim/isa/opcode.h"

namespace sassim::isa {

/// Sets `evicts_first` of the loads and stores whose lines the L2 is to displace first.
///
/// These have the modifier EF (ld.cs, st.cs and L1::evict_first of PTX), LU (ld.lu) or NA (L1::no_allocate), which do
/// the same in the L2, as measured once (validation/measured/h200/l2.md#evict-first) and assumed elsewhere. Or they
/// have L2::cache_hint and a policy of createpolicy.fractional.L2::evict_first for all accesses: it is in the uniform
/// registers that describe the memory, and is found if the nearest instruction above that writes them has an immediate
/// and no guard; jumps are not followed. Policies for a part of the accesses, or for lines that should stay, are not
/// found. Accesses to local memory are left out: what their LU does to the L2 was not measured.
void mark_evictions(const std::vector<Instruction>& code, std::vector<Decoded>& decoded);

}  // namespace sassim::isa
