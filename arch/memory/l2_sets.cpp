// SPDX-License-Identifier: Apache-2.0
// The construction of an L2 slice's sets: checks the shape of the L2 (size, ways, line, fetched sectors) and computes
// the number of sets.
#include "arch/memory/l2_sets.h"

#include "arch/memory/dram/dram.h"
#include "sim/base/error.h"
#include "sim/base/types.h"
#include "sim/config/groups/memory.h"

namespace sassim::arch {

namespace {

std::uint32_t sets_per_slice(const config::Memory& memory) {
  const config::L2Config& l2 = memory.l2;
  const std::uint64_t set_bytes = std::uint64_t{l2.ways} * l2.line;
  if (l2.ways == 0) throw InputError("memory.l2.ways is 0; expected at least 1");
  if (l2.size == 0 || l2.size % (set_bytes * l2.slices) != 0)
    throw InputError("memory.l2.size is {} bytes; expected a multiple of slices x ways x line = {} x {} x {} = {}",
                     l2.size, l2.slices, l2.ways, l2.line, set_bytes * l2.slices);
  if (l2.bytes_per_cycle == 0) throw InputError("memory.l2.bytes_per_cycle is 0; expected at least 1");
  if (memory.halves.parts > 1 && memory.halves.near_copies && (l2.ways < 2 || l2.pending_requests < 2))
    throw InputError("memory.l2: ways ({}) and pending_requests ({}) must be at least 2 where halves keep copies",
                     l2.ways, l2.pending_requests);
  if (l2.dirty.partial_ways >= l2.ways)
    throw InputError("memory.l2.dirty.partial_ways is {}; expected less than ways, {}: lines written in part stay",
                     l2.dirty.partial_ways, l2.ways);
  if (l2.pending_requests == 0) throw InputError("memory.l2.pending_requests is 0; expected at least 1");
  if (l2.fetch % kSectorBytes != 0 || l2.fetch == 0 || l2.line % l2.fetch != 0 || l2.fetch > 128)
    throw InputError("memory.l2.fetch is {} bytes; expected 32, 64 or 128 that divides the line, {} bytes", l2.fetch,
                     l2.line);
  if (l2.write != "back" && l2.write != "through")
    throw InputError("memory.l2.write is '{}'; known: back, through", l2.write);
  if (l2.byte_masks && l2.line != 128)
    throw InputError(
        "memory.l2.byte_masks needs memory.l2.line of 128 bytes, not {}, as wide as one store; set byte_masks=false",
        l2.line);
  return static_cast<std::uint32_t>(l2.size / (set_bytes * l2.slices));
}

}  // namespace

L2Sets::L2Sets(const config::Memory& memory)
    : count_(sets_per_slice(memory)),
      page_(memory.l2.page),
      bytes_(std::uint64_t{memory.l2.slices} * memory.l2.line),
      set_hash_(AddressHash::make(memory.l2.set_hash)),
      page_hash_(AddressHash::make("mix")) {}

}  // namespace sassim::arch
