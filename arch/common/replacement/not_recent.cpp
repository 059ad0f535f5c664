// SPDX-License-Identifier: Apache-2.0
// One bit per line: used since all others of the set were. The first line without it goes.
#include <vector>

#include "arch/common/replacement.h"
#include "sim/base/registry.h"

namespace sassim::arch {
namespace {

class NotRecent final : public Replacement {
 public:
  NotRecent(std::size_t sets, std::uint32_t ways) : ways_(ways), recent_(sets * ways) {}

  void used(std::size_t line) override {
    recent_[line] = 1;
    const std::size_t first = line / ways_ * ways_;
    for (std::size_t other = first; other < first + ways_; ++other)
      if (recent_[other] == 0) return;
    for (std::size_t other = first; other < first + ways_; ++other) recent_[other] = other == line;
  }
  void filled(std::size_t line) override { used(line); }
  std::uint32_t victim(std::size_t set, const std::uint8_t* usable) override {
    std::uint32_t any = ways_;
    for (std::uint32_t way = 0; way < ways_; ++way) {
      if (usable[way] == 0) continue;
      if (recent_[set * ways_ + way] == 0) return way;
      if (any == ways_) any = way;
    }
    return any;
  }
  void clear() override { recent_.assign(recent_.size(), 0); }

 private:
  std::uint32_t ways_;
  std::vector<std::uint8_t> recent_;
};

const Registered<Replacement, NotRecent, std::size_t, std::uint32_t> not_recent_registered("not_recent");

}  // namespace
}  // namespace sassim::arch
