// SPDX-License-Identifier: Apache-2.0
// What crosses the network between SMs, L2 slices and the walker of page tables. Every message carries the cycle at
// which it takes effect, at or beyond the end of the epoch that made it; merging is by (time, source, sequence).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "arch/common/request_kind.h"
#include "arch/network/endpoint.h"
#include "sim/base/types.h"

namespace sassim::arch {

struct MemRequest {
  Cycle time{};                ///< when it leaves its sender; on the network, when it arrives
  std::uint64_t address = 0;   ///< of the 128-byte line (of the page, for translations)
  std::uint32_t tag = 0;       ///< the sender's own; the reply carries it back
  std::uint32_t sequence = 0;  ///< per sender, rising
  Endpoint from{}, to{};       ///< who gets the answer, and who is to give it
  SmId sm{};                   ///< whose instruction is behind it, as LineUse has it
  RequestKind kind = RequestKind::load;
  std::uint8_t sectors = 0;      ///< bit per 32-byte sector of the line
  std::uint8_t partial = 0;      ///< stores, and atomics in waves: sectors not written whole (byte-masked)
  std::uint16_t data_bytes = 0;  ///< payload that travels with the request
  std::uint8_t operations = 0;   ///< atomics: lane operations in this request
  std::uint8_t serial = 0;       ///< atomics: the largest number of lanes on one address
  bool floating = false;         ///< atomics: on floating-point numbers
  bool needs_reply = true;
  std::uint32_t pc = 0;      ///< of the instruction that asks first, as LineUse has it
  std::uint32_t merger = 0;  ///< loads that passed a LoadMerger: 1 + their number there
  /// Stores with partial sectors that did not gather: a bit per byte written. Loads: the order of the live access
  /// behind them, or 0.
  std::array<std::uint64_t, 2> bytes{};
};

struct MemReply {
  Cycle time{};  ///< when it arrives
  std::uint64_t address = 0;
  std::uint32_t tag = 0;
  Endpoint to{};
  RequestKind kind = RequestKind::load;
  std::uint8_t sectors = 0;
  Endpoint from{};               ///< whose way back it takes
  std::uint32_t sequence = 0;    ///< per sender, rising
  std::uint16_t data_bytes = 0;  ///< payload that travels with the reply
  std::uint32_t merger = 0;      ///< as the request's
};

/// The sectors that an SM sends along to be written.
inline std::uint32_t write_sectors(const MemRequest& request) {
  return changes_line(request.kind) ? static_cast<std::uint32_t>(std::popcount(request.sectors)) : 0;
}

/// The place that a request held on the network is free again.
struct Credit {
  Cycle time{};  ///< when the SM has it back
  SmId to{};
  std::uint32_t write_sectors = 0;  ///< that it had sent along
};

/// What the memory answers to a request, due at `time`: loads and atomics bring their sectors, stores a bare header.
inline MemReply answer(const MemRequest& request, Cycle time) {
  const bool brings_data = request.kind != RequestKind::store && request.kind != RequestKind::reduction;
  MemReply reply{.time = time,
                 .address = request.address,
                 .tag = request.tag,
                 .to = request.from,
                 .kind = request.kind,
                 .sectors = request.sectors};
  reply.sequence = request.sequence;
  reply.merger = request.merger;
  reply.data_bytes = static_cast<std::uint16_t>(brings_data ? std::popcount(request.sectors) * kSectorBytes : 0);
  return reply;
}

/// The fixed order in which messages for one receiver take effect.
struct RequestOrder {
  bool operator()(const MemRequest& a, const MemRequest& b) const {
    if (a.time != b.time) return a.time < b.time;
    if (a.from != b.from) return a.from < b.from;
    return a.sequence < b.sequence;
  }
};

struct ReplyOrder {
  bool operator()(const MemReply& a, const MemReply& b) const {
    if (a.time != b.time) return a.time < b.time;
    if (a.from != b.from) return a.from < b.from;
    return a.sequence < b.sequence;
  }
};

}  // namespace sassim::arch
