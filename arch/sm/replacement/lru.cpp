// SPDX-License-Identifier: Apache-2.0
// Least recently used.
#include <vector>

#include "arch/sm/l1_replacement.h"

namespace sassim::arch {
namespace {

class L1Lru final : public L1OneVictim {
 public:
  explicit L1Lru(const L1Shape& shape) : links_(shape.lines), ends_(shape.sets) {
    for (std::uint32_t set = 0; set < shape.sets; ++set) ends_[set] = {kNone, kNone};
    sets_ = shape.sets;
  }

  void touched(std::uint32_t slot) override {
    unlink(slot);
    append(slot);
  }
  void filled(std::uint32_t slot, std::uint64_t) override {
    if (links_[slot].in_list) unlink(slot);
    append(slot);
  }
  std::uint32_t victim(std::uint32_t set) override { return ends_[set].oldest; }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Link {
    std::uint32_t older = kNone, newer = kNone;
    bool in_list = false;
  };
  struct Ends {
    std::uint32_t oldest, newest;
  };

  void unlink(std::uint32_t slot) {
    Link& link = links_[slot];
    Ends& ends = ends_[slot % sets_];
    (link.older == kNone ? ends.oldest : links_[link.older].newer) = link.newer;
    (link.newer == kNone ? ends.newest : links_[link.newer].older) = link.older;
    link.in_list = false;
  }
  void append(std::uint32_t slot) {
    Ends& ends = ends_[slot % sets_];
    links_[slot] = {ends.newest, kNone, true};
    (ends.newest == kNone ? ends.oldest : links_[ends.newest].newer) = slot;
    ends.newest = slot;
  }

  std::vector<Link> links_;
  std::vector<Ends> ends_;
  std::uint32_t sets_ = 1;
};

const Registered<L1Replacement, L1Lru, const L1Shape&> l1_lru_registered("lru");

}  // namespace
}  // namespace sassim::arch
