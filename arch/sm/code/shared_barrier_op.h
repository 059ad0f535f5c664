// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sassim::arch {

/// What an instruction does at the barriers in shared memory (mbarrier) that its lanes name.
enum class SharedBarrierOp : std::uint8_t {
  init,
  invalidate,
  arrive,
  leave,  ///< arrive, and expect that many arrivals fewer in later phases
  begin_transaction,
  end_transaction,
  expect_bytes,    ///< of copies, as transactions of the phase
  complete_bytes,  ///< take such transactions away
  arrive_and_expect,
  check  ///< whether a phase is over, or wait for its end
};

}  // namespace sassim::arch
