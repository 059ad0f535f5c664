// SPDX-License-Identifier: Apache-2.0
// Decides when an L2 slice writes dirty lines to DRAM. A limited number of lines of a set may be dirty, and fewer may
// have partly written sectors (validation/measured/h200/l2.md#written-lines). Above that limit the least recently used
// dirty line is written back, after the rest of its sectors has been read. The line stays in the slice.
#include <algorithm>
#include <bit>

#include "arch/memory/l2_slice.h"

namespace sassim::arch {

/// If this line makes the slice clean another line of the set, the write queue of DRAM must have room; if that line
/// must be completed first, a pending entry must be free.
bool L2Slice::may_become_dirty(const SliceRequest& r, std::size_t line) const {
  if (config_.dirty.ways == 0 && config_.dirty.partial_ways == 0) return true;
  const bool as_before = line != TagArray::kNone && (r.sectors & ~lines_[line].dirty) == 0;
  if (as_before) return true;
  return links_.can_write_back(index_) && (config_.dirty.partial_ways == 0 || r.partial == 0 || !free_pending_.empty());
}

/// A sector becomes valid when stores have written each of its bytes.
void L2Slice::note_bytes(const SliceRequest& r, Line& line) {
  std::array<std::uint64_t, 2>& written = rare(line).written;
  constexpr std::uint64_t kWhole = (std::uint64_t{1} << kSectorBytes) - 1;
  for (std::size_t half = 0; half < written.size(); ++half) {
    written[half] |= r.request.bytes[half];
    for (std::uint32_t i = 0; i < 64 / kSectorBytes; ++i) {
      const auto sector = static_cast<std::uint16_t>(1u << (half * 64 / kSectorBytes + i));
      if ((written[half] >> i * kSectorBytes & kWhole) != kWhole || (line.valid & sector) != 0) continue;
      line.valid |= sector;
      line.merged |= sector;
    }
  }
}

std::uint64_t L2Slice::held_bytes() const {
  std::uint64_t sectors = 0;
  for (const Line& line : lines_)
    sectors += static_cast<std::uint64_t>(std::popcount(line.valid) + std::popcount(line.dirty));
  return sectors * kSectorBytes;
}

void L2Slice::limit_dirty(std::size_t line, L2Cycle now) {
  if (config_.dirty.ways != 0)
    limit(
        line, config_.dirty.ways, [](const Line& l) { return l.dirty != 0; }, now);
  if (config_.dirty.partial_ways != 0 && partial(lines_[line]) != 0)
    limit(
        line, config_.dirty.partial_ways, [this](const Line& l) { return partial(l) != 0; }, now);
}

/// Cleans at most one line of the set, because `line` is the only one that changed.
template <class Counts>
void L2Slice::limit(std::size_t line, std::uint32_t most, Counts counts, L2Cycle now) {
  const std::size_t first = line / tags_.ways() * tags_.ways();
  std::uint32_t count = 0;
  for (std::size_t i = first; i < first + tags_.ways(); ++i) {
    const Line& other = lines_[i];
    const bool leaving = other.pending != kNoPending && pending_[other.pending].write_back;
    count += counts(other) && !leaving ? 1 : 0;
  }
  if (count <= most) return;
  const std::size_t oldest = tags_.first_to_go(line / tags_.ways(), [&](std::size_t i) {
    return i != line && counts(lines_[i]) && lines_[i].pending == kNoPending;
  });
  if (oldest != TagArray::kNone) clean(oldest, now);
}

/// Writes the line's data to DRAM; the line stays. If DRAM accepts whole sectors only, the partly written sectors are
/// completed first.
void L2Slice::clean(std::size_t line, L2Cycle now) {
  Line& state = lines_[line];
  const std::uint16_t wanted = config_.dirty.partial_ways != 0 ? partial(state) : std::uint16_t{0};
  if (wanted == 0) {
    if (!links_.can_write_back(index_)) return;
    write_back(line, now);
    state.dirty = 0;
    return;
  }
  if (free_pending_.empty()) return;
  start_fill(line, wanted, true);
  const auto count = static_cast<std::uint64_t>(std::popcount(wanted));
  counters_.sectors.fetched += count;
  const L2Counters::Lookups completion{1, count, 0, count};
  counters_.write.add(completion);
  counters_.completion.add(completion);
  SliceRequest cause;
  cause.line = LineTag::of(tags_.line_at(line)).line;
  links_.fetch(index_, cause, wanted, state.pending, now);
}

void L2Slice::start_fill(std::size_t line, std::uint16_t sectors, bool write_back) {
  Line& state = lines_[line];
  state.pending = free_pending_.back();
  free_pending_.pop_back();
  Pending& entry = pending_[state.pending];
  entry.line = line;
  entry.sectors = sectors;
  entry.write_back = write_back;
}

void L2Slice::write_back(std::size_t line, L2Cycle now) {
  const Line& state = lines_[line];
  counters_.sectors.written_back += static_cast<std::uint64_t>(std::popcount(state.dirty));
  counters_.sectors.written_back_partial += static_cast<std::uint64_t>(std::popcount(partial(state)));
  links_.write_back(index_, LineTag::of(tags_.line_at(line)).line, state.dirty, now);
}

}  // namespace sassim::arch
