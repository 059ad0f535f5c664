// SPDX-License-Identifier: Apache-2.0
// Changes what an L2 slice holds between kernels, as copies, fills, other programs and the reads of a launch do.
// Nothing of this takes simulated time.
#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "arch/memory/l2_slice.h"

namespace sassim::arch {

template <class Dirty>
void L2Slice::fill_with_lines(std::uint64_t first, Dirty dirty) {
  std::vector<std::uint32_t> filled(tags_.sets());
  SliceRequest r;
  r.line = LineAddress(first);
  for (std::size_t left = tags_.slots(); left > 0; ++r.line) {
    const std::size_t set = set_of(r);
    if (filled[set] == tags_.ways()) continue;
    --left;
    const std::uint32_t place = filled[set]++;
    const std::optional<bool> is_dirty = dirty(place);
    if (!is_dirty) continue;
    const std::size_t line = set * tags_.ways() + place;
    tags_.fill(line, tag_of(r), {});
    reset(lines_[line]);
    lines_[line].valid = whole_line();
    lines_[line].dirty = *is_dirty ? whole_line() : std::uint16_t{0};
  }
}

void L2Slice::fill_with_written(std::uint64_t first) {
  const std::uint32_t clean = config_.dirty.ways == 0 ? 0 : tags_.ways() - std::min(config_.dirty.ways, tags_.ways());
  // The lines that were written last are still dirty.
  fill_with_lines(first, [&](std::uint32_t place) { return place >= clean; });
}

void L2Slice::fill_with_others(std::uint64_t first, std::uint64_t apart, bool full) {
  std::uint64_t count = 0;
  fill_with_lines(first, [&](std::uint32_t) -> std::optional<bool> {
    const bool is_dirty = ++count % apart == 0;
    if (!is_dirty && !full) return {};
    return is_dirty;
  });
}

/// Finds a way for the line between kernels; the write-back of a victim takes no time then.
std::size_t L2Slice::place_between_kernels(LineAddress line_number) {
  const std::size_t set = set_of(line_number, false);
  const std::uint64_t tag = LineTag{line_number}.code();
  std::size_t line = tags_.find(set, tag);
  if (line == TagArray::kNone) {
    line = choose(set, tag, {}, false, [](std::size_t) { return true; });
    set_leaving(line, Leaving::ordinary);
    tags_.fill(line, tag, {});
    reset(lines_[line]);
  } else {
    used(line, {});
  }
  return line;
}

/// place_between_kernels() for a line of a copy from the host. It takes an empty way if there is one, else that of such
/// a line if at least `ways` of the set have one, else that of another line. Any other line displaces such lines first.
std::size_t L2Slice::place_upload(LineAddress line_number, std::uint32_t ways) {
  const std::size_t set = set_of(line_number, false);
  const std::uint64_t tag = LineTag{line_number}.code();
  std::size_t line = tags_.find(set, tag);
  if (line != TagArray::kNone) {
    used(line, {}, Leaving::upload);
    return line;
  }
  const auto uploaded = [this](std::size_t i) { return lines_[i].leaving == Leaving::upload; };
  std::uint32_t count = 0;
  for (std::size_t i = set * tags_.ways(); i < (set + 1) * tags_.ways(); ++i) count += uploaded(i) ? 1 : 0;
  line = count < ways || tags_.has_empty(set) ? tags_.choose(set, tag, {}, [&](std::size_t i) { return !uploaded(i); })
                                              : tags_.first_to_go(set, uploaded);
  set_leaving(line, Leaving::ordinary);
  tags_.fill(line, tag, {});
  reset(lines_[line]);
  set_leaving(line, Leaving::upload);
  return line;
}

std::uint32_t L2Slice::read_line(LineAddress line_number) {
  Line& state = lines_[place_between_kernels(line_number)];
  const auto missing =
      static_cast<std::uint32_t>(std::popcount(static_cast<std::uint16_t>(whole_line() & ~state.valid)));
  state.valid = whole_line();
  counters_.sectors.fetched += missing;
  counters_.sectors.filled += missing;
  return missing;
}

void L2Slice::preload(LineAddress line_number, bool dirty, std::uint32_t ways) {
  const std::size_t set = set_of(line_number, false);
  const std::size_t line = ways != 0 ? place_upload(line_number, ways) : place_between_kernels(line_number);
  lines_[line].valid = whole_line();
  lines_[line].dirty = dirty ? whole_line() : std::uint16_t{0};
  if (config_.dirty.ways == 0 || !dirty) return;
  std::uint32_t count = 0;
  for (std::size_t i = set * tags_.ways(); i < (set + 1) * tags_.ways(); ++i) count += lines_[i].dirty != 0 ? 1 : 0;
  if (count <= config_.dirty.ways) return;
  lines_[tags_.first_to_go(set, [&](std::size_t i) { return i != line && lines_[i].dirty != 0; })].dirty = 0;
}

void L2Slice::invalidate_copy(LineAddress line_number) {
  const std::size_t line = tags_.find(set_of(line_number, true), LineTag{line_number, true}.code());
  if (line == TagArray::kNone) return;
  set_leaving(line, Leaving::ordinary);
  tags_.drop(line);
  reset(lines_[line]);
}

}  // namespace sassim::arch
