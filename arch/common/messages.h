// SPDX-License-Identifier: Apache-2.0
// What crosses between an SM and the memory system. Every message carries the cycle at which it takes effect, at or
// beyond the end of the epoch that made it; merging is by (time, sm, sequence).
#pragma once

#include <cstdint>

#include "sim/base/types.h"

namespace sassim::arch {

enum class RequestKind : std::uint8_t { load, store, atomic, reduction, instruction, constant, translation };

struct MemRequest {
  Cycle time;                   ///< when it leaves the SM
  std::uint64_t address = 0;    ///< of the 128-byte line (of the page, for translations)
  std::uint32_t tag = 0;        ///< the sender's own; the reply carries it back
  std::uint32_t sequence = 0;   ///< per SM, rising
  SmId sm;
  RequestKind kind = RequestKind::load;
  std::uint8_t sectors = 0;     ///< bit per 32-byte sector of the line
  std::uint8_t partial = 0;     ///< stores: sectors not written whole (byte-masked)
  std::uint16_t data_bytes = 0; ///< payload that travels with the request
  std::uint8_t operations = 0;  ///< atomics: lane operations in this request
  std::uint8_t serial = 0;      ///< atomics: the largest number of lanes on one address
  bool needs_reply = true;
};

struct MemReply {
  Cycle time;                   ///< when it reaches the SM
  std::uint64_t address = 0;
  std::uint32_t tag = 0;
  SmId sm;
  RequestKind kind = RequestKind::load;
  std::uint8_t sectors = 0;
};

}  // namespace sassim::arch
