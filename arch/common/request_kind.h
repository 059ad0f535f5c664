// SPDX-License-Identifier: Apache-2.0
// The kinds of requests that SMs and L2 slices send to the memory.
#pragma once

#include <cstdint>

namespace sassim::arch {

/// `invalidate` is sent between L2 slices only.
enum class RequestKind : std::uint8_t {
  load,
  store,
  atomic,
  reduction,
  instruction,
  constant,
  translation,
  invalidate
};

inline bool changes_line(RequestKind kind) {
  return kind == RequestKind::store || kind == RequestKind::atomic || kind == RequestKind::reduction;
}

/// What the L1 data cache sends to the L2.
inline bool of_l1(RequestKind kind) { return kind == RequestKind::load || changes_line(kind); }

inline bool is_code(RequestKind kind) { return kind == RequestKind::instruction || kind == RequestKind::constant; }

}  // namespace sassim::arch
