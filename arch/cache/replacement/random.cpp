// SPDX-License-Identifier: Apache-2.0
// The victim is a random line of the set, as in the L1 of Turing (T4 report, arXiv 1903.07486, section 4.2: it
// "randomly evicts 4 consecutive cache lines (128 B)", which is one tag of four sectors). The sequence is the same in
// every run.
#include "arch/cache/replacement.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {
namespace {

class Random final : public Replacement {
 public:
  explicit Random(const CacheShape&) {}
  bool watches_uses() const override { return false; }
  std::uint32_t victim(const SetView& set, std::uint64_t, const LineUse&) override {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    auto way = static_cast<std::uint32_t>((state_ >> 16) % set.ways);
    while (!set.may_go(way)) way = way + 1 == set.ways ? 0 : way + 1;
    return way;
  }
  void save(StateWriter& writer) const override { writer(*this); }
  void load(StateReader& reader) override { reader(*this); }
  template <class Archive>
  void state(Archive& archive) {
    archive(state_);
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ull;
};

const Registered<Replacement, Random, const CacheShape&> random_registered("random");

}  // namespace
}  // namespace sassim::arch
