// SPDX-License-Identifier: Apache-2.0
// Turns the 32 addresses of a load, store or atomic into L1 lines and sectors, and places each line in a tag pass.
#include "arch/sm/units/l1/coalescer.h"

#include <algorithm>
#include <bit>

#include "arch/sm/units/l1/request_pieces.h"
#include "sim/base/error.h"
#include "sim/config/groups/l1.h"
#include "sim/config/groups/shared_memory.h"

namespace sassim::arch {

namespace {

/// Start of local memory, above every address of a device allocation.
constexpr std::uint64_t kLocalBase = 1ull << 46;
constexpr std::uint64_t kLocalWord = 4;
/// Local memory per thread if the kernel does not state it.
constexpr std::uint64_t kLocalDefault = 16384;

/// Calls `each(lane)` for the active lanes in order.
template <class Each>
void for_lanes(LaneMask lanes, Each each) {
  for (std::uint32_t left = lanes.bits; left != 0; left &= left - 1)
    each(static_cast<std::size_t>(std::countr_zero(left)));
}

/// Marks `size` bytes of a line, from `byte` on, as written; ignores bytes beyond the end of the line.
void mark(ByteMask& written, std::uint32_t byte, std::uint32_t size, std::uint32_t line) {
  while (size > 0 && byte < line) {
    const std::uint32_t here = std::min({size, 64 - byte % 64, line - byte});
    written[byte / 64] |= (~0ull >> (64 - here)) << byte % 64;
    byte += here;
    size -= here;
  }
}

constexpr std::uint32_t kCopyBytes = 16;  ///< bytes per lane of a copy that bypasses the L1
/// Bytes of a line that one compare-and-swap request covers: half of what other requests carry, because it has two
/// operands for each word.
constexpr std::uint32_t kPairBytes = RequestPieces::kBytes / 2;

}  // namespace

std::uint64_t local_address(std::uint64_t offset, std::uint64_t thread, std::uint32_t bytes_per_thread) {
  const std::uint64_t bytes = bytes_per_thread == 0 ? kLocalDefault : (bytes_per_thread + 15ull) / 16 * 16;
  const std::uint64_t warp = thread / kWarpSize, lane = thread % kWarpSize;
  const std::uint64_t word = warp * (bytes / kLocalWord) + offset % bytes / kLocalWord;
  return kLocalBase + (word * kWarpSize + lane) * kLocalWord + offset % kLocalWord;
}

Coalescer::Coalescer(const config::L1Config& l1, const config::SharedMemory& shared)
    : line_(l1.line),
      sector_(l1.sector),
      tags_(l1.tags_per_cycle),
      waves_(l1.atomic_waves),
      banks_{shared.banks, shared.bank_width, shared.bank_conflicts},
      tag_bank_(l1.tag_masks, l1.tags_per_cycle) {
  if (!std::has_single_bit(sector_) || !std::has_single_bit(line_) || line_ < sector_ || line_ / sector_ > 8 ||
      line_ > kMaxL1Line)
    throw InputError("sm.l1.line is {} with sectors of {}: expected powers of two, 1 to 8 sectors and at most {} bytes",
                     line_, sector_, kMaxL1Line);
  line_shift_ = static_cast<std::uint32_t>(std::countr_zero(line_));
  sector_shift_ = static_cast<std::uint32_t>(std::countr_zero(sector_));
  if (tags_ == 0 || tags_ > kWarpSize)
    throw InputError("sm.l1.tags_per_cycle is {}: expected 1 to {}", tags_, kWarpSize);
  if (banks_.banks == 0 || banks_.banks > BankShape::kMaxBanks || banks_.width == 0)
    throw InputError("sm.shared has {} banks of {} bytes: expected 1 to {} banks of at least 1 byte", banks_.banks,
                     banks_.width, BankShape::kMaxBanks);
}

/// Accesses are aligned to their size. One that is not, and crosses the end of its line, is cut there.
std::uint32_t Coalescer::add(std::uint64_t address, std::uint32_t bytes, LineAccesses& result) const {
  const std::uint64_t start = address & ~std::uint64_t{line_ - 1};
  std::uint32_t i = result.count;
  while (i > 0 && result.lines[i - 1].address != start) --i;  // neighbouring lanes mostly share a line
  if (i == 0) {
    i = ++result.count;
    result.lines[i - 1] = LineAccess{.address = start};
  }
  LineAccess& line = result.lines[i - 1];
  const auto first = static_cast<std::uint32_t>(address - start) >> sector_shift_;
  const std::uint32_t last =
      std::min(static_cast<std::uint32_t>(address - start) + bytes - 1, line_ - 1) >> sector_shift_;
  line.sectors = static_cast<std::uint8_t>(line.sectors | ((2u << last) - (1u << first)));
  ++line.operations;
  return i - 1;
}

/// All lanes access neighbouring words, aligned to their size: the common case, whose lines follow from the first
/// address.
bool Coalescer::in_a_row(const UnitOp& op, std::uint32_t bytes) const {
  return op.space != isa::Space::local && std::has_single_bit(bytes) && bytes <= line_ &&
         op.addresses[0] % bytes == 0 && side_by_side(op.addresses, op.lanes, bytes);
}

/// The same as add() for each lane.
void Coalescer::add_row(std::uint64_t first, std::uint32_t bytes, LineAccesses& result) const {
  const std::uint64_t end = first + std::uint64_t{bytes} * kWarpSize;
  while (first < end) {
    const std::uint64_t start = first & ~std::uint64_t{line_ - 1}, stop = std::min(end, start + line_);
    const auto low = static_cast<std::uint32_t>(first - start) >> sector_shift_;
    const auto high = static_cast<std::uint32_t>(stop - 1 - start) >> sector_shift_;
    LineAccess& line = result.lines[result.count++] = LineAccess{.address = start};
    line.sectors = static_cast<std::uint8_t>((2u << high) - (1u << low));
    line.operations = static_cast<std::uint8_t>((stop - first) / bytes);
    first = stop;
  }
}

void Coalescer::coalesce(const UnitOp& op, std::uint32_t bytes, LineAccesses& result, bool which_bytes) const {
  const bool atomic = op.decoded->op == isa::OpClass::atomic || op.decoded->op == isa::OpClass::reduction;
  result.count = 0;
  result.sector_count = 0;
  result.bytes.clear();
  bytes = std::clamp(bytes, 1u, 16u);
  if (op.space == isa::Space::local) {
    const auto piece = std::min(bytes, static_cast<std::uint32_t>(kLocalWord));
    for_lanes(op.lanes, [&](std::size_t lane) {
      for (std::uint32_t done = 0; done < bytes; done += piece)
        add(local_address(op.addresses[lane] + done, op.local_base_thread + lane, op.local_bytes), piece, result);
    });
    result.data = {(bytes + piece - 1) / piece, (bytes + piece - 1) / piece, 0};
    result.data.words = result.data.passes * static_cast<std::uint32_t>(op.lanes.count());
  } else if (op.decoded->op == isa::OpClass::async_copy && op.decoded->bypasses_l1 && bytes == kCopyBytes) {
    place_copies(op, result);
  } else {
    if (atomic && waves_)
      add_waves(op, bytes, result);
    else if (in_a_row(op, bytes))
      add_row(op.addresses[0], bytes, result);
    else
      for_lanes(op.lanes, [&](std::size_t lane) { add(op.addresses[lane], bytes, result); });
    result.data = bank_passes(banks_, op.addresses, op.lanes, bytes);
  }
  assign_passes(result);
  if (op.decoded->op == isa::OpClass::store || (which_bytes && !atomic)) mark_bytes(op, bytes, result);
  if (atomic && !waves_) count_operations(op, result);
}

/// The L2 sends a sector to one aligned place of its size. If the halves of a sector go to two places, it is sent
/// twice. What it sends at once lies in one line of shared memory.
void Coalescer::place_copies(const UnitOp& op, LineAccesses& result) const {
  std::array<std::uint64_t, kWarpSize> from{};
  std::array<std::array<std::uint32_t, 8>, kWarpSize>
      first{};  // per line and sector: the place where it goes, plus 1; 0: none
  std::array<std::uint32_t, kWarpSize> places{}, rows{};
  for_lanes(op.lanes, [&](std::size_t lane) {
    from[lane] = op.addresses[lane] & ~std::uint64_t{kCopyBytes - 1};
    const std::uint32_t i = add(from[lane], kCopyBytes, result);
    const auto half = static_cast<std::uint32_t>((from[lane] / kCopyBytes + op.copy_shifts[lane]) % kCopyBytes);
    const std::uint32_t place = half * kCopyBytes / sector_;
    const auto sector = static_cast<std::uint32_t>(from[lane] & (line_ - 1)) >> sector_shift_;
    std::uint32_t& known = first[i][sector];
    LineAccess& line = result.lines[i];
    if (known == 0) known = place + 1;
    if (known != place + 1) line.again |= static_cast<std::uint8_t>(1u << sector);
    places[i] |= 1u << place;
    rows[i] |= 1u << half * kCopyBytes / RequestPieces::kBytes;
    line.places = static_cast<std::uint8_t>(std::popcount(places[i]));
    line.split = std::popcount(rows[i]) > 1 && std::popcount(line.sectors) > 1;
  });
  result.data = bank_passes(banks_, from, op.lanes, kCopyBytes);
}

/// The n-th lane on a word is in the n-th wave, together with the n-th lanes of other words. A compare-and-swap has two
/// operands per lane, so one of its requests covers half a line.
void Coalescer::add_waves(const UnitOp& op, std::uint32_t bytes, LineAccesses& result) const {
  std::array<std::uint8_t, kWarpSize> wave_of;  // wave of each entry
  const std::uint32_t piece = op.decoded->compares ? std::min(line_, kPairBytes) : line_;
  for_lanes(op.lanes, [&](std::size_t lane) {
    const std::uint64_t address = op.addresses[lane], start = address & ~std::uint64_t{line_ - 1};
    std::uint8_t wave = 0;
    for_lanes(LaneMask{op.lanes.bits & ((1u << lane) - 1)},
              [&](std::size_t other) { wave = static_cast<std::uint8_t>(wave + (op.addresses[other] == address)); });
    const auto byte = static_cast<std::uint32_t>(address - start);
    const auto first = byte >> sector_shift_;
    std::uint32_t i = 0;
    for (; i < result.count; ++i) {
      const LineAccess& line = result.lines[i];
      const auto there = static_cast<std::uint32_t>(std::countr_zero(line.sectors)) << sector_shift_;
      if (line.address == start && wave_of[i] == wave && there / piece == byte / piece) break;
    }
    if (i == result.count) {
      wave_of[i] = wave;
      result.lines[i] = LineAccess{.address = start, .serial = 1};
      result.bytes.emplace_back();
      ++result.count;
    }
    LineAccess& line = result.lines[i];
    line.sectors = static_cast<std::uint8_t>(line.sectors | 1u << first);
    ++line.operations;
    mark(result.bytes[i], byte, bytes, line_);
  });
  for (std::uint32_t i = 0; i < result.count; ++i)
    result.lines[i].partial = unwritten(result.lines[i], result.bytes[i]);
}

void Coalescer::assign_passes(LineAccesses& result) const {
  std::array<std::uint8_t, kWarpSize> used{};
  result.tag_passes = 0;
  for (std::uint32_t i = 0; i < result.count; ++i) {
    LineAccess& line = result.lines[i];
    line.pass = used[tag_bank_(line.address >> line_shift_)]++;
    result.tag_passes = std::max(result.tag_passes, static_cast<std::uint8_t>(line.pass + 1));
    result.sector_count = static_cast<std::uint16_t>(result.sector_count + std::popcount(line.sectors));
  }
  if (result.tag_passes < 2) return;
  for (std::uint32_t i = 1; i < result.count; ++i) {  // sorts by pass; lines of one pass keep their order
    const LineAccess line = result.lines[i];
    std::uint32_t at = i;
    for (; at > 0 && result.lines[at - 1].pass > line.pass; --at) result.lines[at] = result.lines[at - 1];
    result.lines[at] = line;
  }
}

void Coalescer::mark_bytes(const UnitOp& op, std::uint32_t bytes, LineAccesses& result) const {
  result.bytes.assign(result.count, ByteMask{});
  if (in_a_row(op, bytes)) {
    const std::uint64_t first = op.addresses[0], end = first + std::uint64_t{bytes} * kWarpSize;
    for (std::uint32_t i = 0; i < result.count; ++i) {
      const std::uint64_t start = result.lines[i].address, from = std::max(first, start);
      mark(result.bytes[i], static_cast<std::uint32_t>(from - start),
           static_cast<std::uint32_t>(std::min(end, start + line_) - from), line_);
    }
  } else {
    mark_lanes(op, bytes, result);
  }
  if (op.decoded->op != isa::OpClass::store) return;
  for (std::uint32_t i = 0; i < result.count; ++i)
    result.lines[i].partial = unwritten(result.lines[i], result.bytes[i]);
}

void Coalescer::mark_lanes(const UnitOp& op, std::uint32_t bytes, LineAccesses& result) const {
  std::uint32_t i = 0;
  const auto write = [&](std::uint64_t address, std::uint32_t size) {
    if (result.lines[i].address != (address & ~std::uint64_t{line_ - 1}))
      for (i = 0; result.lines[i].address != (address & ~std::uint64_t{line_ - 1});) ++i;
    mark(result.bytes[i], static_cast<std::uint32_t>(address & (line_ - 1)), size, line_);
  };
  for_lanes(op.lanes, [&](std::size_t lane) {
    if (op.space != isa::Space::local) return write(op.addresses[lane], bytes);
    for (std::uint32_t done = 0; done < bytes; done += kLocalWord)
      write(local_address(op.addresses[lane] + done, op.local_base_thread + lane, op.local_bytes),
            std::min(bytes, static_cast<std::uint32_t>(kLocalWord)));
  });
}

/// The accessed sectors of the line of which not every byte is written.
std::uint8_t Coalescer::unwritten(const LineAccess& line, const ByteMask& written) const {
  std::uint32_t result = 0;
  const std::uint32_t chunk =
      std::min(sector_, 64u);  // sizes are powers of two: a chunk never crosses a word of the mask
  for (std::uint32_t byte = 0; byte < line_; byte += chunk)
    if ((~written[byte / 64] >> byte % 64 & ~0ull >> (64 - chunk)) != 0) result |= 1u << byte / sector_;
  return static_cast<std::uint8_t>(result & line.sectors);
}

void Coalescer::count_operations(const UnitOp& op, LineAccesses& result) const {
  for (std::uint32_t left = op.lanes.bits; left != 0; left &= left - 1) {
    const std::uint64_t address = op.addresses[static_cast<std::size_t>(std::countr_zero(left))];
    std::uint8_t same = 0;
    for_lanes(LaneMask{left},
              [&](std::size_t lane) { same = static_cast<std::uint8_t>(same + (op.addresses[lane] == address)); });
    for (std::uint32_t i = 0; i < result.count; ++i)
      if (LineAccess& line = result.lines[i]; line.address == (address & ~std::uint64_t{line_ - 1}))
        line.serial = std::max(line.serial, same);
  }
}

}  // namespace sassim::arch
