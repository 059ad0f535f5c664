// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/order/rough_l1.h"

#include <algorithm>
#include <cstring>

namespace sassim::emu {

RoughL1::Line* RoughL1::find(std::uint64_t address) {
  if (lines_.empty()) return nullptr;
  const std::size_t set = set_of(address);
  for (std::size_t i = set; i < set + kWays; ++i)
    if (tags_[i].line == address / kLine && tags_[i].age == age_) return &lines_[i];
  return nullptr;
}

RoughL1::Answer RoughL1::load(const DeviceMemory& memory, std::uint64_t address, std::uint64_t instruction) {
  if (lines_.empty()) {
    tags_.resize(kSets * kWays);
    lines_.resize(kSets * kWays);
  }
  Line* found = find(address);
  if (!found) {
    const auto set = tags_.begin() + static_cast<std::ptrdiff_t>(set_of(address));
    const auto oldest = std::min_element(set, set + kWays, [](const Tag& a, const Tag& b) { return a.used < b.used; });
    if (oldest->used == instruction) return {.miss = true};
    *oldest = {.line = address / kLine, .age = age_};
    found = &lines_[static_cast<std::size_t>(oldest - tags_.begin())];
    found->sectors = 0;
  }
  Line& line = *found;
  tags_[static_cast<std::size_t>(found - lines_.data())].used = instruction;
  const std::uint64_t sector = address % kLine / kSector;
  Answer answer{.at = line.bytes + address % kLine, .ready = line.ready[sector]};
  if ((line.sectors >> sector & 1) != 0) return answer;
  const Allocation& allocation = *memory.find(address);
  const std::uint64_t begin = address / kSector * kSector, first = std::max(begin, allocation.address);
  const std::uint64_t end = std::min(begin + kSector, allocation.address + allocation.bytes);
  std::memcpy(line.bytes + first % kLine, allocation.host + (first - allocation.address), end - first);
  line.sectors |= 1u << sector;
  answer.miss = true;
  return answer;
}

bool RoughL1::has(std::uint64_t address) {
  const Line* line = find(address);
  return line && (line->sectors >> address % kLine / kSector & 1) != 0;
}

void RoughL1::comes(std::uint64_t address, std::uint64_t ready) {
  if (Line* line = find(address)) line->ready[address % kLine / kSector] = ready;
}

void RoughL1::store(std::uint64_t address, const std::byte* from, unsigned bytes) {
  Line* line = find(address);
  if (line && (line->sectors >> address % kLine / kSector & 1) != 0)
    std::memcpy(line->bytes + address % kLine, from, bytes);
}

void RoughL1::drop(std::uint64_t address) {
  if (Line* line = find(address)) line->sectors &= ~(1u << address % kLine / kSector);
}

}  // namespace sassim::emu
