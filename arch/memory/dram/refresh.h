// SPDX-License-Identifier: Apache-2.0
// The interface of refresh policies of DRAM: which banks of a channel a refresh blocks, and when. A policy is one class
// that registers itself under the name that `memory.dram.refresh` uses.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "sim/base/registry.h"
#include "sim/base/types.h"
#include "sim/config/forward.h"

namespace sassim::config {
class Checker;
}  // namespace sassim::config

namespace sassim::arch {

class DramRefresh {
 public:
  static constexpr const char* kKind = "refresh of DRAM";
  virtual ~DramRefresh() = default;

  /// Cycles between two refreshes of a channel; 0: there are none.
  virtual std::uint64_t interval() const = 0;
  /// Cycles from the beginning, which is long before a simulation starts, until the first refresh.
  virtual std::uint64_t first() const = 0;
  /// After so many refreshes, each bank has had one. Earlier refreshes of an idle channel delay nothing.
  virtual std::uint64_t round() const = 0;
  /// How many banks a refresh blocks.
  virtual std::size_t at_a_time() const = 0;
  /// The banks that refresh `number`, from 0, blocks: adds their indices to `banks`.
  virtual void choose(std::uint64_t number, std::vector<std::size_t>& banks) const = 0;
  /// Cycles for which it blocks each of them.
  virtual std::uint32_t duration() const = 0;
  /// The key of `memory.dram` that holds them.
  virtual const char* duration_key() const = 0;
  /// Refuses values of the policy that do not fit each other.
  virtual void check(config::Checker&, const config::DramConfig&) const {}
};

/// Made with the number of the channel on the GPU.
using DramRefreshes = Registry<DramRefresh, const config::DramConfig&, std::uint32_t>;

/// The number at `place` of a permutation of 0 to count - 1, which begins with first % count and depends on `random`.
inline std::uint64_t shuffled(std::uint64_t place, std::uint64_t count, std::uint64_t random, std::uint64_t first) {
  std::uint64_t step = random % count | 1;
  while (std::gcd(step, count) != 1) step += 2;
  return (place * step + first) % count;
}

/// The first refresh of channel `index` where the channels refresh one after another.
inline std::uint64_t staggered(std::uint64_t interval, std::uint32_t index) {
  return interval == 0 ? 0 : interval + index * 37 % interval;
}

}  // namespace sassim::arch
