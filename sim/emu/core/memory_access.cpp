// SPDX-License-Identifier: Apache-2.0
// Computes the addresses of a warp's load or store, and checks their alignment, bounds and mapping; faults if wrong.
#include "sim/emu/core/memory_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/emu/core/address_text.h"
#include "sim/emu/core/cluster.h"
#include "sim/emu/core/memory_check.h"
#include "sim/emu/memory/address_space.h"
#include "sim/emu/order/access_watch.h"

namespace sassim::emu {
namespace {

using isa::Space;

void record(Context& c, Space space, const Lanes64& addresses, std::uint32_t mask) {
  if (!c.step) return;
  c.step->space = space;
  for_lanes(mask, [&](int lane) { c.step->addresses.list()[static_cast<std::size_t>(lane)] = addresses.v[lane]; });
}

[[gnu::always_inline]] inline void check_alignment(Context& c, const MicroOp& op, const Lanes64& addresses,
                                                   unsigned bytes, std::uint32_t mask) {
  std::uint64_t bits = 0;
  if (mask == kAllLanes)
    for (const std::uint64_t address : addresses.v) bits |= address;
  else
    for_lanes(mask, [&](int lane) { bits |= addresses.v[lane]; });
  if ((bits & (bytes - 1)) == 0) return;
  for_lanes(mask, [&](int lane) {
    if ((addresses.v[lane] & (bytes - 1)) != 0)
      c.fault(FaultKind::misaligned_address, op, lane, addresses.v[lane],
              fmt::format("an access of {} bytes needs an address that is a multiple of {}", bytes, bytes));
  });
}

struct Bounds {
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
};
/// The lowest and the highest address of the lanes.
[[gnu::always_inline]] inline Bounds bounds(const Lanes64& addresses, std::uint32_t mask) {
  Bounds found;
  const auto add = [&](std::uint64_t address) {
    found.low = std::min(found.low, address);
    found.high = std::max(found.high, address);
  };
  if (mask == kAllLanes)
    for (const std::uint64_t address : addresses.v) add(address);
  else
    for_lanes(mask, [&](int lane) { add(addresses.v[lane]); });
  return found;
}

/// Lanes must not access what the program has unmapped since, or write what it has registered as read-only.
void check_gaps(Context& c, const MicroOp& op, const Lanes64& addresses, unsigned bytes, std::uint32_t mask) {
  const DeviceMemory& memory = *c.grid.memory;
  for_lanes(mask, [&](int lane) {
    const Allocation* piece = memory.find(addresses.v[lane], bytes);
    const HostGap* gap = piece ? DeviceMemory::gap(*piece, addresses.v[lane], bytes, op.stores) : nullptr;
    if (gap)
      c.fault(FaultKind::illegal_address, op, lane, addresses.v[lane],
              gap->readable ? "the program may only read this memory"
                            : "the program has unmapped or protected this memory since it was registered");
  });
}

/// The memory of an address outside allocations but in a mapped page, where a GPU reports no error; nullptr if it is a
/// fault.
std::byte* beside(Context& c, const MicroOp& op, int lane, std::uint64_t address, unsigned bytes) {
  const DeviceMemory& memory = *c.grid.memory;
  std::byte* const at = c.grid.launch->strict_memory ? nullptr : memory.mapped(address, bytes);
  if (!at) return nullptr;
  BesideAccesses& accesses = c.grid.result.beside;
  if (accesses.count++ == 0)
    accesses.first = fmt::format("{}, {}", to_string(c.site(op, lane, address)), distance_text(memory, address));
  return at;
}

[[gnu::always_inline]] inline void resolve_global(Context& c, const MicroOp& op, const Lanes64& addresses,
                                                  unsigned bytes, std::uint32_t mask, Access& to) {
  const auto [low, high] = bounds(addresses, mask);
  const DeviceMemory& memory = *c.grid.memory;
  const Allocation* const all = high + bytes > high ? memory.find(low, high - low + bytes) : nullptr;
  if (all ? all->gaps != nullptr : !memory.host_pieces().empty()) check_gaps(c, op, addresses, bytes, mask);
  if (AccessWatch* watch = c.grid.watch) {
    const bool load = op.loads || (watch->hears_every_load && !op.stores);
    if (load || op.stores)
      watch->access(
          memory, c.block.id,
          {addresses, bytes, mask, low, high + bytes, load, op.stores, op.reduces && c.grid.reductions != nullptr});
  }
  if (all) {
    c.grid.effects += all->owned ? 0 : 1;
    if (mask == kAllLanes)
      for (int i = 0; i < 32; ++i) to.at[i] = all->host + (addresses.v[i] - all->address);
    else
      for (int i = 0; i < 32; ++i)
        to.at[i] = (mask >> i & 1) != 0 ? all->host + (addresses.v[i] - all->address) : nullptr;
    return;
  }
  for_lanes(mask, [&](int lane) {
    const Allocation* piece = memory.find(addresses.v[lane], bytes);
    c.grid.effects += !piece || piece->owned ? 0 : 1;
    to.at[lane] = memory.host(addresses.v[lane], bytes);
    if (!to.at[lane]) to.at[lane] = beside(c, op, lane, addresses.v[lane], bytes);
    if (!to.at[lane])
      c.fault(FaultKind::illegal_address, op, lane, addresses.v[lane], surroundings_text(memory, addresses.v[lane]));
  });
}

[[gnu::always_inline]] inline void resolve_shared(Context& c, const MicroOp& op, const Lanes64& addresses,
                                                  unsigned bytes, std::uint32_t mask, Access& to) {
  const std::uint64_t size = c.block.shared.size();
  if (mask == kAllLanes && !c.block.cluster && bounds(addresses, mask).high + bytes <= size) {
    std::byte* const base = c.block.shared.data();
    for (int i = 0; i < 32; ++i) to.at[i] = base + addresses.v[i];
    return;
  }
  for_lanes(mask, [&](int lane) {
    const std::uint64_t address = addresses.v[lane];
    if (c.block.cluster && (to.at[lane] = shared_memory(c.block, address, bytes))) return;
    if (address > size || bytes > size - address)
      c.fault(FaultKind::shared_out_of_bounds, op, lane, address,
              fmt::format("the block has {} bytes of shared memory", size));
    to.at[lane] = c.block.shared.data() + address;
  });
}

void resolve_local(Context& c, const MicroOp& op, const Lanes64& addresses, unsigned bytes, std::uint32_t mask,
                   Access& to) {
  const std::uint64_t size = c.grid.stack_bytes;
  if (c.warp.local.empty()) c.warp.local.resize(size * 32);
  for_lanes(mask, [&](int lane) {
    const std::uint64_t address = addresses.v[lane];
    if (address > size || bytes > size - address)
      c.fault(FaultKind::stack_overflow, op, lane, address,
              fmt::format("the thread has {} bytes of local memory", size));
    to.at[lane] = c.warp.local.data() + static_cast<std::size_t>(lane) * size + address;
  });
}

SASSIM_LANE_LOOP void resolve_in(Context& c, const MicroOp& op, Space space, const Lanes64& addresses, unsigned bytes,
                                 std::uint32_t mask, Access& to) {
  if (mask == 0) return;
  record(c, space, addresses, mask);
  check_alignment(c, op, addresses, bytes, mask);
  if (space == Space::shared) {
    resolve_shared(c, op, addresses, bytes, mask, to);
  } else if (space == Space::local) {
    resolve_local(c, op, addresses, bytes, mask, to);
  } else {
    c.global = mask;
    resolve_global(c, op, addresses, bytes, mask, to);
  }
  MemoryCheck* const check = MemoryCheck::active();
  // What the blocks of a cluster do in each other's memory is not checked.
  if (check && !(space == Space::shared && c.block.cluster)) check->access(c, op, space, addresses, bytes, mask, to.at);
}

[[gnu::always_inline]] inline Lanes64 stripped(const Lanes64& addresses, std::uint64_t window) {
  Lanes64 result;
  for (int i = 0; i < 32; ++i) result.v[i] = addresses.v[i] - window;
  return result;
}

[[gnu::always_inline]] inline bool all_contiguous(const Access& access, unsigned bytes) {
  bool same = true;
  for (int i = 1; i < 32; ++i) same = same && access.at[i] == access.at[0] + static_cast<unsigned>(i) * bytes;
  return same;
}

}  // namespace

void access_untold(Context& c) {
  if (c.grid.watch != nullptr) c.grid.watch->untold();
}

SASSIM_LANE_LOOP std::uint32_t lanes_within(const Lanes64& addresses, std::uint64_t window, std::uint64_t bytes,
                                            std::uint32_t mask) {
  return mask & gather_bits([&](int i) { return addresses.v[i] - window < bytes; });
}

SASSIM_LANE_LOOP void lane_offsets(Context& c, const AddressSource& source, Lanes64& to) {
  const std::uint32_t* base = c.read_row(source.base);
  std::uint64_t fixed = static_cast<std::uint64_t>(source.offset);
  if (source.ubase != isa::kURZ) {
    fixed += c.fragment->ur[source.ubase];
    if (source.ubase_wide) fixed += std::uint64_t{c.fragment->ur[(source.ubase + 1) & 63]} << 32;
  }
  if (source.base_wide) {
    const std::uint32_t* upper = c.read_row(static_cast<std::uint8_t>(source.base + 1));
    for (int i = 0; i < 32; ++i) to.v[i] = (base[i] | std::uint64_t{upper[i]} << 32) + fixed;
  } else if (source.ubase_wide) {
    for (int i = 0; i < 32; ++i) to.v[i] = std::uint64_t{base[i]} * source.scale + fixed;
  } else {
    const auto offset = static_cast<std::uint32_t>(fixed);
    for (int i = 0; i < 32; ++i) to.v[i] = static_cast<std::uint32_t>(base[i] * source.scale + offset);
  }
}

void lane_addresses(Context& c, const MicroOp& op, Lanes64& to) {
  lane_offsets(c, op.address, to);
  const HostPieces& pieces = c.grid.memory->host_pieces();
  const auto space = static_cast<Space>(op.space);
  if (pieces.empty() || (space != Space::global && space != Space::generic)) return;
  HostPieces::Span span;
  for (std::uint64_t& address : to.v) {
    if (!span.holds(address)) span = pieces.span_at(address);  // the same for most accesses of a warp
    address += span.shift;
  }
}

SASSIM_LANE_LOOP void resolve(Context& c, const MicroOp& op, Space space, const Lanes64& addresses, unsigned bytes,
                              std::uint32_t mask, Access& to) {
  c.global = 0;
  if (space != Space::generic) {
    resolve_in(c, op, space, addresses, bytes, mask, to);
  } else {
    const Windows windows = c.grid.windows;
    const std::uint32_t shared = lanes_within(addresses, windows.shared, windows.bytes, mask);
    const std::uint32_t local = lanes_within(addresses, windows.local, windows.bytes, mask);
    const std::uint32_t global = mask & ~(shared | local);
    resolve_in(c, op, Space::global, addresses, bytes, global, to);  // first: it resets the other lanes
    if (shared != 0) resolve_in(c, op, Space::shared, stripped(addresses, windows.shared), bytes, shared, to);
    if (local != 0) resolve_in(c, op, Space::local, stripped(addresses, windows.local), bytes, local, to);
    if (c.step && global != 0) c.step->space = Space::global;  // a step has one space: global memory takes longest
  }
  to.contiguous = mask == kAllLanes && all_contiguous(to, bytes);
}

void decode_width(Decoder& d) {
  static constexpr std::uint8_t kBytes[] = {1, 1, 2, 2, 8, 16, 4};
  const int width = d.take_one_of({"U8", "S8", "U16", "S16", "64", "128", "32"}, 6);
  d.op.size = kBytes[width];
  d.op.mode = width == 1 || width == 3 ? 1 : 0;
  d.ignore({"E",      "SYS",     "CTA",     "GPU", "SM", "VC", "STRONG", "WEAK", "CONSTANT", "CONSTRAINED",
            "MMIO",   "RELAXED", "U",       "EF",  "EL", "LU", "EU",     "NA",   "DEF",      "PRIVATE",
            "LTC64B", "LTC128B", "LTC256B", "ZD",  "CI", "CV", "CG",     "CS",   "WT"});
}

}  // namespace sassim::emu
