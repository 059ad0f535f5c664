// SPDX-License-Identifier: Apache-2.0
// The buffer between the L1 and the network in which stores merge: a later store to a waiting line joins it, and the
// line leaves as one request. The line that received its last store first also leaves first.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/network/messages.h"

namespace sassim::arch {

class StoreBuffer {
 public:
  using Bytes = std::array<std::uint64_t, 2>;  ///< one bit for each of the 128 bytes of a request

  /// `lines` 0: the buffer is absent. A line stays for `hold` cycles after the last store to it.
  StoreBuffer(std::uint32_t lines, std::uint32_t hold);

  bool enabled() const { return !lines_.empty(); }
  bool empty() const { return oldest_ == kNone; }
  std::uint32_t room() const { return static_cast<std::uint32_t>(lines_.size()) - used_; }
  bool holds(std::uint64_t address) const { return find(address) != kNone; }
  /// Adds a store of instruction `op` at `pc`. Returns how many of its sectors were in the buffer already.
  std::uint32_t add(std::uint64_t address, std::uint8_t sectors, const Bytes& bytes, std::uint32_t op, Cycle now,
                    std::uint32_t pc = 0, bool evicts_first = false);
  Cycle oldest_ready() const { return lines_[oldest_].touched + Cycle{hold_}; }
  /// Removes the oldest line and returns its request. The request's tag identifies the stores in it until
  /// acknowledged().
  MemRequest dequeue();
  /// Calls `each(op)` for every store in the request with this tag, which is in flight.
  template <class Each>
  void each_store(std::uint32_t tag, Each each) const {
    for (std::uint32_t node = groups_[tag]; node != kNone; node = nodes_[node].next) each(nodes_[node].op);
  }
  /// The request with this tag was acknowledged: calls `each(op)` for every store in it.
  template <class Each>
  void acknowledged(std::uint32_t tag, Each each) {
    for (std::uint32_t node = groups_[tag]; node != kNone;) {
      const Node done = nodes_[node];
      nodes_[node].next = free_node_;
      free_node_ = node;
      each(done.op);
      node = done.next;
    }
    groups_[tag] = free_group_;
    free_group_ = tag;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(lines_, oldest_, youngest_, free_line_, used_, nodes_, groups_, free_node_, free_group_);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Line {
    std::uint64_t address = 0;
    std::uint8_t sectors = 0;
    bool evicts_first = false;  ///< as the last store asks
    std::uint32_t pc = 0;       ///< program counter of the first store
    Bytes bytes{};
    Cycle touched{};
    std::uint32_t group = 0, last = kNone;
    std::uint32_t older = kNone,
                  younger =
                      kNone;  ///< neighbours in order of last store; `younger` of a free line is the next free line
  };
  struct Node {
    std::uint32_t op = 0, next = kNone;
  };

  /// Index of the line; kNone if it is not in the buffer.
  std::uint32_t find(std::uint64_t address) const;
  void append(std::uint32_t place);
  void unlink(std::uint32_t place);
  std::uint32_t new_node(std::uint32_t op);
  std::uint32_t new_group(std::uint32_t first);

  std::uint32_t hold_;
  std::vector<Line> lines_;
  std::uint32_t oldest_ = kNone, youngest_ = kNone, free_line_ = kNone, used_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> groups_;  ///< the first store of each request; for a free group, the next free one
  std::uint32_t free_node_ = kNone, free_group_ = kNone;
};

}  // namespace sassim::arch
