// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sassim::arch {

/// What an instruction does at the barriers in shared memory (mbarrier) that its lanes name.
enum class SharedBarrierOp : std::uint8_t {
  init,
  invalidate,
  arrive,
  leave,
  begin_transaction,
  end_transaction,
  expect_bytes,
  complete_bytes,
  arrive_and_expect,
  check
};

}  // namespace sassim::arch
