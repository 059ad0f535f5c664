// SPDX-License-Identifier: Apache-2.0
// What crosses between an SM and the memory system. Every message carries the cycle at which it takes effect, at or
// beyond the end of the epoch that made it; merging is by (time, source, sequence).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "arch/common/link.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// `invalidate` passes between L2 slices only.
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

/// Senders that are not SMs: L2 slices that ask another half for lines, and the unit that walks page tables.
inline constexpr std::uint16_t kSliceSender = 0x8000;
inline constexpr SmId kWalker{0xffff};
inline SmId slice_sender(std::uint32_t slice) { return SmId(static_cast<std::uint16_t>(kSliceSender | slice)); }
inline bool is_from_slice(SmId sm) { return sm.value >= kSliceSender && sm != kWalker; }
inline bool is_from_sm(SmId sm) { return sm.value < kSliceSender; }

struct MemRequest {
  Cycle time{};                ///< when it leaves the SM
  std::uint64_t address = 0;   ///< of the 128-byte line (of the page, for translations)
  std::uint32_t tag = 0;       ///< the sender's own; the reply carries it back
  std::uint32_t sequence = 0;  ///< per SM, rising
  SmId sm{};
  RequestKind kind = RequestKind::load;
  std::uint8_t sectors = 0;      ///< bit per 32-byte sector of the line
  std::uint8_t partial = 0;      ///< stores, and atomics in waves: sectors not written whole (byte-masked)
  std::uint16_t data_bytes = 0;  ///< payload that travels with the request
  std::uint8_t operations = 0;   ///< atomics: lane operations in this request
  std::uint8_t serial = 0;       ///< atomics: the largest number of lanes on one address
  bool floating = false;         ///< atomics: on floating-point numbers
  bool needs_reply = true;
  std::uint32_t merger = 0;  ///< loads on their way through a LoadMerger: 1 + their number there
  std::array<std::uint64_t, 2> bytes{};  ///< stores with partial sectors that did not gather: a bit per byte written
};

struct MemReply {
  Cycle time{};  ///< when it reaches the SM
  std::uint64_t address = 0;
  std::uint32_t tag = 0;
  SmId sm{};
  RequestKind kind = RequestKind::load;
  std::uint8_t sectors = 0;
  std::uint16_t source = 0;      ///< the slice (or other part) that sent it
  std::uint32_t sequence = 0;    ///< per source, rising
  std::uint16_t data_bytes = 0;  ///< payload that travels with the reply
  std::uint32_t merger = 0;      ///< as the request's
};

/// The sectors that an SM sends along to be written.
inline std::uint32_t write_sectors(const MemRequest& request) {
  return changes_line(request.kind) ? static_cast<std::uint32_t>(std::popcount(request.sectors)) : 0;
}

/// What a request takes of the wires.
inline std::uint32_t packet_bytes(const Packets& packets, const MemRequest& request) {
  const bool bare = request.kind == RequestKind::store && request.partial == 0 && !packets.whole_store_header;
  return bare ? packets.padded(request.data_bytes) : packets.bytes(request.data_bytes);
}

/// What the memory answers to a request, due at `time`: loads and atomics bring their sectors, stores a bare header.
inline MemReply answer(const MemRequest& request, Cycle time) {
  const bool brings_data = request.kind != RequestKind::store && request.kind != RequestKind::reduction;
  MemReply reply{.time = time,
                 .address = request.address,
                 .tag = request.tag,
                 .sm = request.sm,
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
    if (a.sm != b.sm) return a.sm < b.sm;
    return a.sequence < b.sequence;
  }
};

struct ReplyOrder {
  bool operator()(const MemReply& a, const MemReply& b) const {
    if (a.time != b.time) return a.time < b.time;
    if (a.source != b.source) return a.source < b.source;
    return a.sequence < b.sequence;
  }
};

}  // namespace sassim::arch
