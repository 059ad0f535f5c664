// SPDX-License-Identifier: Apache-2.0
// The order in which SMs get a kernel's first thread blocks. SMs form groups; a turn of a group gives one block to each
// of its SMs. The first group starts and then has one of every `launch.first_group_turns` + 1 turns; the others rotate.
// Blocks that do not fill a whole round are distributed over the groups, to TPCs before SMs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/config/forward.h"

namespace sassim::arch {

class BlockOrder {
 public:
  /// Throws InputError for an order that names an SM twice, and for groups that do not cover exactly the SMs of the
  /// order.
  BlockOrder(std::size_t sms, const config::Launch& launch);

  /// All SMs, each once.
  const std::vector<std::size_t>& sms() const { return order_; }
  /// An SM for each of the first blocks, until all `blocks` have one or all SMs have `per_sm` blocks.
  std::vector<std::size_t> first(std::uint64_t blocks, std::uint32_t per_sm) const;

 private:
  using Group = std::vector<std::size_t>;

  void add_turns(std::uint64_t rounds, std::vector<std::size_t>& result) const;
  void add_rest(std::uint64_t blocks, std::vector<std::size_t>& result) const;
  std::vector<std::size_t> deal(std::uint64_t blocks) const;

  std::vector<std::size_t> order_;
  std::vector<Group> groups_;
  std::uint32_t first_group_turns_;
};

}  // namespace sassim::arch
