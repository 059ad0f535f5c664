// SPDX-License-Identifier: Apache-2.0
// Merges stores to one line that come shortly after each other; the line whose last store is the oldest leaves first.
#include "arch/sm/units/l1/store_buffer.h"

#include <bit>

namespace sassim::arch {

namespace {
/// The given sectors of which not every byte is written.
std::uint8_t partial(std::uint8_t sectors, const StoreBuffer::Bytes& bytes) {
  std::uint8_t result = 0;
  for (std::uint32_t i = 0; i < 4; ++i)
    if ((sectors >> i & 1) != 0 && static_cast<std::uint32_t>(bytes[i / 2] >> i % 2 * 32) != ~0u)
      result = static_cast<std::uint8_t>(result | 1u << i);
  return result;
}
}  // namespace

StoreBuffer::StoreBuffer(std::uint32_t lines, std::uint32_t hold) : hold_(hold), lines_(lines) {
  for (std::uint32_t i = lines; i-- > 0; free_line_ = i) lines_[i].younger = free_line_;
}

/// Searches from the youngest line on, where most stores find theirs.
std::uint32_t StoreBuffer::find(std::uint64_t address) const {
  std::uint32_t i = youngest_;
  while (i != kNone && lines_[i].address != address) i = lines_[i].older;
  return i;
}

void StoreBuffer::append(std::uint32_t place) {
  Line& line = lines_[place];
  line.older = youngest_;
  line.younger = kNone;
  (youngest_ == kNone ? oldest_ : lines_[youngest_].younger) = place;
  youngest_ = place;
}

void StoreBuffer::unlink(std::uint32_t place) {
  const Line& line = lines_[place];
  (line.older == kNone ? oldest_ : lines_[line.older].younger) = line.younger;
  (line.younger == kNone ? youngest_ : lines_[line.younger].older) = line.older;
}

std::uint32_t StoreBuffer::new_node(std::uint32_t op) {
  if (free_node_ == kNone) {
    nodes_.push_back({op, kNone});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t node = free_node_;
  free_node_ = nodes_[node].next;
  nodes_[node] = {op, kNone};
  return node;
}

std::uint32_t StoreBuffer::new_group(std::uint32_t first) {
  if (free_group_ == kNone) {
    groups_.push_back(first);
    return static_cast<std::uint32_t>(groups_.size() - 1);
  }
  const std::uint32_t group = free_group_;
  free_group_ = groups_[group];
  groups_[group] = first;
  return group;
}

std::uint32_t StoreBuffer::add(std::uint64_t address, std::uint8_t sectors, const Bytes& bytes, std::uint32_t op,
                               Cycle now, std::uint32_t pc, bool evicts_first) {
  const std::uint32_t node = new_node(op);
  if (const std::uint32_t place = find(address); place != kNone) {
    Line& line = lines_[place];
    unlink(place);
    append(place);
    const auto both = static_cast<std::uint32_t>(std::popcount(static_cast<std::uint8_t>(line.sectors & sectors)));
    line.sectors = static_cast<std::uint8_t>(line.sectors | sectors);
    for (std::size_t i = 0; i < bytes.size(); ++i) line.bytes[i] |= bytes[i];
    line.touched = now;
    line.evicts_first = evicts_first;
    nodes_[line.last].next = node;
    line.last = node;
    return both;
  }
  const std::uint32_t place = free_line_;
  free_line_ = lines_[place].younger;
  ++used_;
  lines_[place] = Line{
      .address = address, .sectors = sectors, .evicts_first = evicts_first, .pc = pc, .bytes = bytes, .touched = now};
  lines_[place].group = new_group(node);
  lines_[place].last = node;
  append(place);
  return 0;
}

MemRequest StoreBuffer::dequeue() {
  const std::uint32_t place = oldest_;
  Line& line = lines_[place];
  MemRequest request;
  request.kind = RequestKind::store;
  request.address = line.address;
  request.pc = line.pc;
  request.evicts_first = line.evicts_first;
  request.tag = line.group;
  request.sectors = line.sectors;
  request.partial = partial(line.sectors, line.bytes);
  if (request.partial != 0) request.bytes = line.bytes;
  request.data_bytes = static_cast<std::uint16_t>(std::popcount(line.sectors) * kSectorBytes);
  unlink(place);
  line.younger = free_line_;
  free_line_ = place;
  --used_;
  return request;
}

}  // namespace sassim::arch
