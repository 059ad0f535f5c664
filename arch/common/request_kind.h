// SPDX-License-Identifier: Apache-2.0
// The kinds of requests to the memory.
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

inline bool is_code(RequestKind kind) { return kind == RequestKind::instruction || kind == RequestKind::constant; }

}  // namespace sassim::arch
