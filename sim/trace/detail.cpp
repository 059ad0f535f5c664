// SPDX-License-Identifier: Apache-2.0
// Says which instructions have a detail in a trace, and compares and prints details.
#include "sim/trace/detail.h"

#include <fmt/format.h>

namespace sassim::trace {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(DetailKind::count_)> kNames = {
    "none",           "block barrier",    "warp-sync masks", "match values",  "sleep",    "copy shift",
    "barrier set-up", "barrier arrivals", "phase test",      "barrier bytes", "bulk copy"};

DetailKind kind_of_shared_barrier(const isa::Instruction& instruction) {
  if (instruction.has("EXCH")) return DetailKind::barrier_init;
  if (instruction.has("PHASECHK")) return DetailKind::phase_test;
  if (instruction.has("CCTL") || instruction.has("A1T0") || instruction.has("A0T1")) return DetailKind::none;
  return instruction.has("ART0") ? DetailKind::barrier_arrivals : DetailKind::barrier_bytes;
}

template <class Each>
void for_lanes(LaneMask lanes, Each each) {
  for (std::uint32_t left = lanes.bits; left != 0; left &= left - 1) each(std::countr_zero(left));
}

}  // namespace

DetailKind detail_kind(const isa::Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (opcode == "BAR") return DetailKind::block_barrier;
  if (opcode == "WARPSYNC") return DetailKind::sync_masks;
  if (opcode == "MATCH") return DetailKind::match_values;
  if (opcode == "NANOSLEEP") return DetailKind::sleep;
  if (opcode == "LDGSTS" && instruction.has("BYPASS") && instruction.has("128")) return DetailKind::copy_shift;
  if (opcode == "UBLKCP") return DetailKind::bulk_copy;
  return opcode == "SYNCS" ? kind_of_shared_barrier(instruction) : DetailKind::none;
}

std::string_view detail_name(DetailKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::uint32_t largest_value(DetailKind kind) {
  switch (kind) {
    case DetailKind::block_barrier:
    case DetailKind::copy_shift:
      return 15;
    case DetailKind::sync_masks:
    case DetailKind::match_values:
      return kWarpSize;
    case DetailKind::phase_test:
      return 3;
    default:
      return ~0u;
  }
}

CopyShifts Detail::copy_shifts(LaneMask lanes) const {
  CopyShifts shifts;
  if (kind_ == DetailKind::copy_shift)
    for_lanes(lanes, [&](int lane) { shifts.set(static_cast<std::size_t>(lane), raw(lane)); });
  return shifts;
}

bool Detail::uniform(LaneMask lanes) const {
  if (!each_ || lanes.none()) return true;
  bool all = true;
  const std::uint32_t first = raw(std::countr_zero(lanes.bits));
  for_lanes(lanes, [&](int lane) { all = all && raw(lane) == first; });
  return all;
}

bool Detail::same(const Detail& other, LaneMask lanes) const {
  if (kind_ != other.kind_) return false;
  if (none()) return true;
  bool all = kind_ != DetailKind::block_barrier || threads_ == other.threads_;
  if (!each_ && !other.each_) return all && value_ == other.value_;
  for_lanes(lanes, [&](int lane) { all = all && raw(lane) == other.raw(lane); });
  return all;
}

namespace {

std::string text_of_lane(const Detail& detail, int lane) {
  const std::uint32_t value = detail.raw(lane);
  switch (detail.kind()) {
    case DetailKind::block_barrier: {
      const std::uint32_t threads = detail.block_barrier()->threads;
      return fmt::format("barrier {} of {}", value, threads ? fmt::format("{} threads", threads) : "the whole block");
    }
    case DetailKind::sync_masks:
      return fmt::format("{} different masks", value);
    case DetailKind::match_values:
      return fmt::format("{} different values", value);
    case DetailKind::sleep:
      return fmt::format("{} ns", value);
    case DetailKind::copy_shift:
      return fmt::format("shifted by {} bytes", 16 * value);
    case DetailKind::barrier_init:
      return fmt::format("expects {} arrivals", value);
    case DetailKind::barrier_arrivals:
      return fmt::format("{} arrivals", value);
    case DetailKind::barrier_bytes:
      return fmt::format("{} bytes", value);
    case DetailKind::bulk_copy: {
      const BulkCopy copy = BulkCopy::of(value);
      return fmt::format("{} bytes for the barrier at {:#x}", 16 * copy.units, copy.barrier);
    }
    case DetailKind::phase_test: {
      const PhaseTest test = *detail.phase_test(lane);
      return fmt::format("phase {} {}", test.phase ? 1 : 0, test.over ? "over" : "not over");
    }
    default:
      return {};
  }
}

}  // namespace

std::string detail_text(const Detail& detail, LaneMask lanes) {
  if (detail.none() || lanes.none()) return {};
  if (detail.uniform(lanes)) return text_of_lane(detail, std::countr_zero(lanes.bits));
  std::string text;
  for_lanes(lanes, [&](int lane) {
    text += fmt::format("{}lane {}: {}", text.empty() ? "" : ", ", lane, text_of_lane(detail, lane));
  });
  return text;
}

}  // namespace sassim::trace
