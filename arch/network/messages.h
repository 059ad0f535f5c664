// SPDX-License-Identifier: Apache-2.0
// The messages between SMs, L2 slices and the walker. Every message carries the cycle in which it takes effect, which
// is not before the end of the epoch that made it. Messages are ordered by (time, source, sequence).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "arch/common/request_kind.h"
#include "arch/network/endpoint.h"
#include "sim/base/types.h"

namespace sassim::arch {

struct MemRequest {
  static constexpr std::uint16_t kNoHome = 0xffff;
  Cycle time{};                ///< when it leaves its sender; on the network, when it arrives
  std::uint64_t address = 0;   ///< of the 128-byte line (translations: of the page)
  std::uint32_t tag = 0;       ///< the client's name for it, which the reply returns
  std::uint32_t sequence = 0;  ///< increases per sender
  Endpoint from{}, to{};       ///< the receiver and the sender of the reply
  SmId sm{};                   ///< the SM whose instruction caused it, as in LineUse
  RequestKind kind = RequestKind::load;
  std::uint8_t sectors = 0;      ///< one bit per 32-byte sector of the line
  std::uint8_t partial = 0;      ///< stores, and atomics in waves: sectors that are written only in part (byte mask)
  std::uint16_t data_bytes = 0;  ///< payload of the request
  std::uint16_t home = kNoHome;  ///< the slice that is the line's home, if the sender knows it
  struct Atomic {
    std::uint8_t operations = 0;  ///< lane operations in this request
    std::uint8_t serial = 0;      ///< the most lanes that use the same address
    bool floating = false;        ///< on floating-point numbers
  };
  Atomic atomic{};
  struct Load {
    bool system_scope = false;  ///< the instruction is of system scope
    bool split_copy = false;    ///< one of several requests for a line of an asynchronous copy past the L1
    bool continues = false;     ///< the L2 counts it as a part of the sender's request before it
  };
  Load load{};
  bool needs_reply = true;
  bool evicts_first = false;             ///< loads, stores: other lines of the L2 are to displace this one first
  std::uint8_t client = 0;               ///< the part of the sender that asked, which the reply returns
  std::uint32_t pc = 0;                  ///< of the instruction that sent it first, as in LineUse
  std::uint32_t merger = 0;              ///< loads that passed a LoadMerger: 1 + their index there
  std::array<std::uint64_t, 2> bytes{};  ///< stores with partial sectors: one bit per written byte
};

struct MemReply {
  Cycle time{};  ///< when it arrives
  std::uint64_t address = 0;
  std::uint32_t tag = 0;
  Endpoint to{};
  RequestKind kind = RequestKind::load;
  std::uint8_t sectors = 0;
  Endpoint from{};               ///< the sender, which determines the path back
  std::uint32_t sequence = 0;    ///< increases per sender
  std::uint16_t data_bytes = 0;  ///< payload of the reply
  std::uint32_t merger = 0;      ///< as in the request
  std::uint8_t client = 0;       ///< as in the request
};

/// Sectors that an SM sends with the request to be written.
inline std::uint32_t write_sectors(const MemRequest& request) {
  return changes_line(request.kind) ? static_cast<std::uint32_t>(std::popcount(request.sectors)) : 0;
}

/// Returns the place that a request occupied in the network.
struct Credit {
  Cycle time{};  ///< when the SM gets it back
  SmId to{};
  std::uint32_t write_sectors = 0;  ///< sectors that the request had sent with it
};

/// The reply of the memory to a request, due at `time`. Loads and atomics bring their sectors, stores only a header.
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
  reply.client = request.client;
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
