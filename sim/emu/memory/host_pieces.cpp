// SPDX-License-Identifier: Apache-2.0
// Translates between the host's addresses of pinned memory and the fixed ones that caches and traces see.
#include "sim/emu/memory/host_pieces.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "sim/base/host_maps.h"
#include "sim/emu/memory/address_space.h"

namespace sassim::emu {
namespace {

std::uint64_t pages_of(const HostPieces::Piece& piece) {
  return (piece.address % kHostPage + piece.bytes + kHostPage - 1) / kHostPage * kHostPage +
         kHostPage;  // an unused page follows
}

const HostPieces::Piece* holding(const std::map<std::uint64_t, HostPieces::Piece>& pieces, std::uint64_t address) {
  const auto after = pieces.upper_bound(address);
  if (after == pieces.begin()) return nullptr;
  const HostPieces::Piece& below = std::prev(after)->second;
  return address - below.host < below.bytes ? &below : nullptr;
}

}  // namespace

const HostPieces::Piece& HostPieces::add(std::uint64_t host, std::uint64_t bytes, HostPlace place) {
  const std::uint64_t offset = host % (place == HostPlace::in_heap ? alignof(std::max_align_t) : kHostPage);
  const Piece piece{.host = host, .bytes = bytes, .address = kHostBase + next_ + offset, .number = ++made_};
  next_ += pages_of(piece);
  return by_host_[host] = piece;
}

void HostPieces::add_alias(std::uint64_t host, std::uint64_t bytes, std::uint64_t address) {
  by_host_[host] = {.host = host, .bytes = bytes, .address = address};
}

std::optional<std::uint64_t> HostPieces::remove(std::uint64_t host) {
  const auto found = by_host_.find(host);
  if (found == by_host_.end()) return std::nullopt;
  const Piece piece = found->second;
  by_host_.erase(found);
  // A program that registers and unregisters the same memory again and again gets the same addresses.
  if (piece.address / kHostPage * kHostPage + pages_of(piece) == kHostBase + next_) next_ -= pages_of(piece);
  return piece.address;
}

void HostPieces::clear() {
  by_host_.clear();
  next_ = 0;
}

HostPieces::Span HostPieces::span_at(std::uint64_t address) const {
  const auto after = by_host_.upper_bound(address);
  const std::uint64_t end = after == by_host_.end() ? ~std::uint64_t{0} : after->first;
  if (after == by_host_.begin()) return {0, end, 0};
  const Piece& below = std::prev(after)->second;
  if (address - below.host < below.bytes)
    return {below.host, std::min(below.bytes, end - below.host), below.address - below.host};
  const std::uint64_t begin = below.host + below.bytes;
  return {begin, end - begin, 0};
}

const HostPieces::Piece* HostPieces::at_host(std::uint64_t address) const { return holding(by_host_, address); }

const HostPieces::Piece* HostPieces::near(std::uint64_t address, std::uint64_t distance) const {
  const auto within = [&](std::uint64_t begin, std::uint64_t bytes) {
    return address - begin < bytes + distance || begin - address <= distance;
  };
  for (const auto& [host, piece] : by_host_)
    if (piece.number != 0 && (within(piece.address, piece.bytes) || within(host, piece.bytes))) return &piece;
  return nullptr;
}

}  // namespace sassim::emu
