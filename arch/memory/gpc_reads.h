// SPDX-License-Identifier: Apache-2.0
// Remembers which sectors of code and constants each GPC has read, for the counters of the L2: the SMs of a GPC read
// them through one cache, so that the L2 of a GPU counts a sector once for each GPC. The requests of the other SMs take
// their time in the model, but do not count.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace sassim::arch {

class GpcReads {
 public:
  /// A GPC reads sectors of a line: returns those that it reads for the first time.
  std::uint16_t first(std::uint32_t gpc, std::uint64_t line, std::uint16_t sectors) {
    std::uint16_t& read = read_[{line, gpc}];
    const auto fresh = static_cast<std::uint16_t>(sectors & ~read);
    read |= sectors;
    return fresh;
  }
  void clear() { read_.clear(); }

  template <class Archive>
  void state(Archive& archive) {
    archive(read_);
  }

 private:
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint16_t> read_;  ///< sectors, by line and GPC
};

}  // namespace sassim::arch
