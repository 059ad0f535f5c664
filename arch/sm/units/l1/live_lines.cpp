// SPDX-License-Identifier: Apache-2.0
// Gives each load of a live warp (executed while it is timed) the bytes that the L1 or memory holds at that time.
#include "arch/sm/units/l1/live_lines.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace sassim::arch {

namespace {

constexpr std::size_t kSweepLines =
    4096;  ///< lines that may accumulate before those that the L1 no longer holds are removed

/// The bits of a mask for the `bytes` bytes from `offset` on; the offset is aligned to their number.
std::uint32_t window(const ByteMask& mask, std::uint32_t offset, std::uint32_t bytes) {
  return static_cast<std::uint32_t>(mask[offset / 64] >> offset % 64) & ((1u << bytes) - 1);
}
void set_window(ByteMask& mask, std::uint32_t offset, std::uint32_t bits) {
  mask[offset / 64] |= std::uint64_t{bits} << offset % 64;
}
void clear(ByteMask& mask, const ByteMask& those) {
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] &= ~those[i];
}

/// Copies those bytes of a lane that `bits` names and that are not known yet.
void copy_bytes(trace::LiveAccess& access, std::size_t lane, const std::byte* from, std::uint32_t bits) {
  bits &= ~std::uint32_t{access.known[lane]};
  if (bits == 0) return;
  if (bits == (1u << access.bytes) - 1) {
    std::memcpy(access.values[lane].data(), from, access.bytes);
  } else {
    for (std::uint32_t rest = bits; rest != 0; rest &= rest - 1) {
      const auto byte = static_cast<std::size_t>(std::countr_zero(rest));
      access.values[lane][byte] = from[byte];
    }
  }
  access.known[lane] = static_cast<std::uint16_t>(access.known[lane] | bits);
}

}  // namespace

void LiveLines::start(const trace::LiveMemory* memory) {
  memory_ = memory;
  lines_.clear();
  sweep_at_ = kSweepLines;
}

ByteMask LiveLines::bytes_of(std::uint8_t sectors) const {
  ByteMask mask{};
  for (std::uint32_t byte = 0; byte < line_bytes_; byte += 16)
    if ((sectors >> byte / sector_bytes_ & 1) != 0) set_window(mask, byte, 0xffff);
  return mask;
}

template <class Each>
void LiveLines::each_lane(const Access& access, std::uint64_t line, Each each) const {
  for (std::uint32_t rest = access.lanes.bits; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    if (line_of(access.addresses[lane]) == line) each(lane);
  }
}

template <class Each>
void LiveLines::each_line(const Access& access, Each each) {
  std::array<std::uint64_t, kWarpSize> seen;
  std::size_t count = 0;
  for (std::uint32_t rest = access.lanes.bits; rest != 0; rest &= rest - 1) {
    const std::uint64_t line = line_of(access.addresses[static_cast<std::size_t>(std::countr_zero(rest))]);
    if (count != 0 && seen[count - 1] == line) continue;
    if (std::find(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(count), line) !=
        seen.begin() + static_cast<std::ptrdiff_t>(count))
      continue;
    seen[count++] = line;
    each(line);
  }
}

void LiveLines::begin(LiveId id, bool past_l1, const L1Tags& tags) {
  Access& access = accesses_[id];
  access.order = ++order_;
  each_line(access, [&](std::uint64_t line) {
    Line& state = lines_[line];
    const bool present = tags.holds(line);
    // Without a line in the L1 and without an access in flight, all stores of the SM are in the memory.
    if (state.users == 0 && !present) state.owned = {};
    switch (access.kind) {
      case Access::Kind::load:
        if (!past_l1) begin_load(access, line, state, tags.sectors(line), present || state.users != 0);
        break;
      case Access::Kind::store:
        begin_store(access, line, state);
        break;
      case Access::Kind::atomic:
        begin_atomic(access, line, state);
        break;
      case Access::Kind::barrier:
      case Access::Kind::bulk:
      case Access::Kind::shared:
        break;  // not in global memory, or in pieces, which are loads
    }
    ++state.users;
    if (access.kind != Access::Kind::load || !all_known(access, line)) state.waiting.push_back({id});
  });
}

void LiveLines::begin_load(Access& access, std::uint64_t line, Line& state, std::uint8_t held, bool present) const {
  each_lane(access, line, [&](std::size_t lane) {
    const std::uint32_t at = offset(access.addresses[lane]);
    if (present) copy_bytes(access, lane, &state.own[at], window(state.owned, at, access.bytes));
    if ((held & sector_bit(access.addresses[lane])) != 0)
      copy_bytes(access, lane, &state.data[at], window(state.filled, at, access.bytes));
  });
}

void LiveLines::begin_store(const Access& access, std::uint64_t line, Line& state) const {
  each_lane(access, line, [&](std::size_t lane) {
    const std::uint32_t at = offset(access.addresses[lane]);
    std::memcpy(&state.own[at], access.values[lane].data(), access.bytes);
    set_window(state.owned, at, (1u << access.bytes) - 1);
  });
  state.own_last = access.order;
}

/// The memory computes the result, so neither filled nor stored data of these sectors are valid any more.
void LiveLines::begin_atomic(const Access& access, std::uint64_t line, Line& state) const {
  std::uint32_t sectors = 0;
  each_lane(access, line, [&](std::size_t lane) { sectors |= sector_bit(access.addresses[lane]); });
  const ByteMask bytes = bytes_of(static_cast<std::uint8_t>(sectors));
  clear(state.owned, bytes);
  clear(state.filled, bytes);
}

bool LiveLines::all_known(const Access& access, std::uint64_t line) const {
  bool known = true;
  each_lane(access, line, [&](std::size_t lane) { known = known && access.known[lane] == (1u << access.bytes) - 1; });
  return known;
}

/// Removes a load from the waiting accesses when all its bytes in the line are known.
void LiveLines::settle(LiveId id, std::uint64_t line, Line& state) const {
  if (!all_known(accesses_[id], line)) return;
  std::erase_if(state.waiting, [&](const Waiting& waiting) { return waiting.access == id; });
}

void LiveLines::hit(LiveId id, std::uint64_t line, std::uint8_t sectors) {
  Access& access = accesses_[id];
  Line& state = lines_[line];
  each_lane(access, line, [&](std::size_t lane) {
    const std::uint64_t address = access.addresses[lane];
    if ((sectors & sector_bit(address)) == 0) return;
    const std::uint32_t at = offset(address);
    // A store that issued after the load may have written the line already: its bytes must not reach the load.
    const std::uint32_t own = window(state.owned, at, access.bytes), filled = window(state.filled, at, access.bytes);
    const bool newer = state.own_last > access.order;
    copy_bytes(access, lane, &state.own[at], newer ? own & ~filled : own);
    copy_bytes(access, lane, &state.data[at], filled);
    read_lane(access, lane);
  });
  settle(id, line, state);
}

/// Reads the bytes that are not known yet from the memory as it is now.
void LiveLines::read_lane(Access& access, std::size_t lane) const {
  const std::uint32_t all = (1u << access.bytes) - 1;
  if (access.known[lane] == all) return;
  std::array<std::byte, 16> now{};
  memory_->read(access.addresses[lane], access.bytes, now.data());
  copy_bytes(access, lane, now.data(), all);
}

void LiveLines::read_rest(Access& access, std::uint64_t line) const {
  each_lane(access, line, [&](std::size_t lane) { read_lane(access, lane); });
}

void LiveLines::open(std::uint32_t entry, std::uint64_t line) {
  if (pending_.size() <= entry) pending_.resize(entry + 1);
  pending_[entry].line = line;
  pending_[entry].served = 0;
}

void LiveLines::ask(std::uint32_t entry, std::uint8_t sectors, LiveId id) {
  const std::uint64_t order = id ? accesses_[id].order : 0;
  for (std::uint32_t i = 0; i < 8; ++i)
    if ((sectors >> i & 1) != 0) pending_[entry].asked[i] = order;
}

void LiveLines::join(LiveId id, std::uint64_t line, std::uint32_t entry, std::uint8_t sectors) {
  std::vector<Waiting>& all = lines_[line].waiting;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Waiting& waiting) { return waiting.access == id; });
  if (found == all.end()) return;
  if ((sectors & ~pending_[entry].served) == 0)
    all.erase(found);
  else
    found->entry = entry, found->sectors = sectors;
}

void LiveLines::arrive(std::uint32_t entry, std::uint8_t sectors, bool keeps) {
  const Pending& pending = pending_[entry];
  if (!keeps) return;
  const auto found = lines_.find(pending.line);
  if (found == lines_.end()) return;
  Line& state = found->second;
  const ByteMask bytes = bytes_of(sectors);
  for (std::uint32_t byte = 0; byte < line_bytes_; ++byte)
    if ((bytes[byte / 64] >> byte % 64 & 1) != 0) state.data[byte] = pending.data[byte];
  for (std::size_t i = 0; i < bytes.size(); ++i) state.filled[i] |= bytes[i];
  // Stores that issued before the load that requested a sector are contained in the data that arrived.
  for (std::uint32_t i = 0; i < 8; ++i)
    if ((sectors >> i & 1) != 0 && pending.order[i] > state.own_last)
      clear(state.owned, bytes_of(static_cast<std::uint8_t>(1u << i)));
}

void LiveLines::collect(LiveId id, std::uint32_t entry) {
  Access& access = accesses_[id];
  const Pending& pending = pending_[entry];
  each_lane(access, pending.line, [&](std::size_t lane) {
    const std::uint64_t address = access.addresses[lane];
    if ((pending.served & sector_bit(address)) != 0)
      copy_bytes(access, lane, &pending.data[offset(address)], (1u << access.bytes) - 1);
  });
  settle(id, pending.line, lines_[pending.line]);
}

void LiveLines::end(LiveId id, const L1Tags& tags) {
  Access& access = accesses_[id];
  if (access.kind != Access::Kind::load && !access.left.none())
    throw std::logic_error("a live store or atomic operation ended before it was performed");
  each_line(access, [&](std::uint64_t line) {
    const auto found = lines_.find(line);
    Line& state = found->second;
    if (access.kind == Access::Kind::load) {
      read_rest(access, line);
      settle(id, line, state);
    }
    if (--state.users == 0 && !tags.holds(line)) lines_.erase(found);
  });
  if (lines_.size() > sweep_at_) sweep(tags);
}

void LiveLines::sweep(const L1Tags& tags) {
  std::erase_if(lines_, [&](const auto& line) { return line.second.users == 0 && !tags.holds(line.first); });
  sweep_at_ = std::max(kSweepLines, 2 * lines_.size());
}

void LiveLines::invalidate() {
  for (auto& [address, line] : lines_) line.filled = line.owned = {};
}

void LiveLines::perform(Access& access, std::uint64_t line, LaneMask lanes) const {
  lanes = lanes & access.left;
  std::uint32_t here = 0;
  each_lane(access, line, [&](std::size_t lane) { here |= 1u << lane; });
  lanes = lanes & LaneMask(here);
  access.left = access.left & ~lanes;
  if (!lanes.none()) access.perform(lanes);
}

/// Performs everything that accesses before `order` still have to do in the line.
void LiveLines::serve_older(Line& state, std::uint64_t line, std::uint64_t order, bool loads) const {
  std::erase_if(state.waiting, [&](const Waiting& waiting) {
    Access& access = accesses_[waiting.access];
    if (access.order >= order) return false;
    if (access.kind != Access::Kind::load) {
      perform(access, line, LaneMask::all());
      return true;
    }
    if (loads) read_rest(access, line);
    return loads;
  });
}

void LiveLines::serve_load(std::uint32_t entry, std::uint64_t address, std::uint8_t sectors) {
  Pending& pending = pending_[entry];
  const std::uint32_t first = offset(address);
  const std::uint32_t asked = first + static_cast<std::uint32_t>(std::countr_zero(sectors)) * kSectorBytes;
  const std::uint64_t order = pending.asked[asked / sector_bytes_];  // all sectors of a request are asked for at once
  if (order == 0) return;
  Line& state = lines_[pending.line];
  serve_older(state, pending.line, order, false);
  for (std::uint32_t i = 0; i < 4; ++i) {
    if ((sectors >> i & 1) == 0) continue;
    const std::uint32_t at = first + i * kSectorBytes;
    memory_->read(pending.line + at, kSectorBytes, &pending.data[at]);
    pending.served = static_cast<std::uint8_t>(pending.served | 1u << at / sector_bytes_);
    pending.order[at / sector_bytes_] = order;
  }
  std::erase_if(state.waiting, [&](const Waiting& waiting) {
    return waiting.entry == entry && (waiting.sectors & ~pending.served) == 0;
  });
}

void LiveLines::serve(LiveId id, LaneMask lanes) {
  Access& access = accesses_[id];
  if (lanes.none()) return;
  const std::uint64_t line = line_of(access.addresses[static_cast<std::size_t>(std::countr_zero(lanes.bits))]);
  Line& state = lines_[line];
  serve_older(state, line, access.order, true);
  perform(access, line, lanes);
  std::uint32_t left = 0;
  each_lane(access, line, [&](std::size_t lane) { left |= access.left.bits & 1u << lane; });
  if (left != 0) return;
  std::erase_if(state.waiting, [&](const Waiting& waiting) { return waiting.access == id; });
}

LaneMask LiveLines::lanes_of_request(const Access& access, std::uint64_t address, std::uint8_t sectors, bool waves) {
  std::array<std::uint64_t, kWarpSize> chosen;
  std::size_t count = 0;
  LaneMask lanes;
  for (std::uint32_t rest = access.left.bits; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t at = access.addresses[lane];
    if (at < address || at - address >= 128 || (sectors >> (at - address) / kSectorBytes & 1) == 0) continue;
    const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(count);
    if (waves && std::find(chosen.begin(), end, at) != end) continue;
    chosen[count++] = at;
    lanes.bits |= 1u << lane;
  }
  return lanes;
}

}  // namespace sassim::arch
