// SPDX-License-Identifier: Apache-2.0
// What the parts of the L1 share: its lines, the way of its requests to the memory, and its counters.
#pragma once

#include <cstdint>
#include <memory>

#include "arch/common/access_observer.h"
#include "arch/network/memory_port.h"
#include "arch/sm/units/l1/l1_counters.h"
#include "arch/sm/units/l1/l1_tags.h"
#include "arch/sm/units/l1/live_lines.h"
#include "arch/sm/units/l1/miss_path.h"
#include "arch/sm/units/l1/request_pieces.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

enum class L1Mode : std::uint8_t { load, store, atomic, reduction, async };

/// An instruction in the queue of the tag stage.
struct L1Access {
  std::uint32_t op = 0;  ///< its number in the DataReturn
  std::uint32_t pc = 0;
  L1Mode mode = L1Mode::load;
  L1Traffic traffic = L1Traffic::global_load;
  bool bypass = false, system_scope = false, evicts_first = false, floating = false, compares = false;
  bool which_bytes = false;  ///< `accesses` has the bytes of each line
  std::uint8_t access_bytes = 4;
  std::uint32_t position = 0;  ///< the next line to look up
  Cycle ready;
  LineAccesses accesses;

  const ByteMask& bytes() const { return accesses.bytes[position]; }
};

struct L1Core {
  L1Core(const config::Sm& sm, MemoryPort& port, LiveAccesses& accesses, SmId id)
      : config(sm.l1),
        sm_id(id),
        pieces(sm.l1.line, sm.l1.sector),
        misses(sm, port, id),
        live(accesses, sm.l1.line, sm.l1.sector) {}

  /// How the replacement policy sees the access.
  LineUse use(const L1Access& access, Cycle now) const {
    const RequestKind kind = access.mode == L1Mode::store       ? RequestKind::store
                             : access.mode == L1Mode::atomic    ? RequestKind::atomic
                             : access.mode == L1Mode::reduction ? RequestKind::reduction
                                                                : RequestKind::load;
    return use(kind, access.pc, now);
  }
  LineUse use(RequestKind kind, std::uint32_t pc, Cycle now) const { return {kind, pc, sm_id, (now - begin).value}; }

  const config::L1Config& config;
  SmId sm_id;
  Cycle begin;  ///< replacement policies see the time from here on
  RequestPieces pieces;
  MissPath misses;
  LiveLines live;
  std::unique_ptr<L1Tags> tags;
  L1Counters counters;
  AccessObserver* observer = nullptr;  ///< of every line lookup; nullptr: none
};

}  // namespace sassim::arch
