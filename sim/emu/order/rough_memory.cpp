// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/order/rough_memory.h"

#include <algorithm>
#include <utility>

namespace sassim::emu {
namespace {

// Cycles, of an H200 (validation/hardware/h200/contended-words.md).
constexpr std::uint64_t kLatency = 280, kFar = 190;
constexpr std::uint64_t kParts = 2, kRead = 3, kWrite = 5;  ///< of a cycle; parts that a slice takes for a request
constexpr std::uint64_t kSameLine = 3;                      ///< stores to the line that was stored to before
constexpr std::uint64_t kDramSpread = 512;                  ///< what DRAM takes longer, at most

// Stores to lines that SMs of the other half have just stored to ("Words that all blocks store to").
constexpr std::uint64_t kTurn = 18, kJust = 32;
constexpr unsigned kLineShift = 7, kGroupShift = 8, kHomeShift = 12;

std::uint64_t mix(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 27;
}

}  // namespace

std::size_t RoughMemory::group_of(std::uint64_t address) {
  return ((address >> kGroupShift) * 0x9e3779b97f4a7c15u >> 32) % kGroups;
}

std::uint64_t RoughMemory::from_dram(std::uint64_t address) {
  if (lines_.empty()) lines_.resize(kLines);
  const std::uint64_t x = mix(address >> kLineShift);
  std::uint8_t& flags = lines_[x % kLines];
  if ((flags & touched) != 0) return 0;
  flags |= touched;
  return (x >> 32) % kDramSpread;
}

std::uint64_t RoughMemory::across(std::uint64_t& begins, std::uint64_t address, Request request, bool upper) {
  const std::uint64_t line = address >> kLineShift;
  const bool home = mix(address >> kHomeShift) >> 63 != 0;
  std::uint8_t& flags = lines_[mix(line) % kLines];
  const std::uint8_t here = upper ? copy_above : copy_below, there = upper ? copy_below : copy_above;
  Stored& stored = far_stores_[line % kRecent];
  if (home != upper) {
    const bool copied = (flags & here) != 0;
    if (request == Request::atomic) {
      flags = static_cast<std::uint8_t>(flags & ~here);
      return kFar;
    }
    flags |= here;  // a store leaves what it writes in its own half, as a load does
    if (request == Request::load) return copied ? 0 : kFar;
    stored = {line, begins, stored.line == line ? stored.time : 0};
    return 0;
  }
  if (request == Request::load) return 0;
  flags = static_cast<std::uint8_t>(flags & ~there);
  if (request == Request::store && stored.line == line && begins <= stored.before + kJust) {
    begins = std::max(begins, turns_free_[home]);
    turns_free_[home] = begins + kTurn;
  }
  return 0;
}

RoughMemory::Answer RoughMemory::ask(std::uint64_t now, std::uint64_t address, Request request, bool halves,
                                     bool upper) {
  const std::uint64_t line = address >> kLineShift, more = from_dram(address);
  std::uint64_t begins = now;
  const std::uint64_t far = halves ? across(begins, address, request, upper) : 0;
  Slice& slice = slices_[(line * 0x9e3779b97f4a7c15u >> 32) % kSlices];
  std::uint64_t cost = request == Request::load ? kRead : kWrite;
  if (request == Request::store && std::exchange(slice.stored, line) == line) cost = kSameLine;
  const std::uint64_t begin = std::max(slice.free, begins * kParts);
  // Who waits for its turn leaves the slice to others meanwhile.
  slice.free = begins == now ? begin + cost : slice.free + cost;
  return {begin / kParts, begin / kParts + kLatency + more + far};
}

}  // namespace sassim::emu
