// SPDX-License-Identifier: Apache-2.0
// Any line of the set, as the T4 report (arXiv 1903.07486, section 4.2) sees the L1 of Turing do it: "randomly evicts 4
// consecutive cache lines (128 B)", which is one tag of four sectors. The sequence is the same in every run.
#include "arch/sm/l1_replacement.h"

namespace sassim::arch {
namespace {

class L1Random final : public L1OneVictim {
 public:
  explicit L1Random(const L1Shape& shape) : shape_(shape) {}
  void touched(std::uint32_t) override {}
  void filled(std::uint32_t, std::uint64_t) override {}
  std::uint32_t victim(std::uint32_t set) override {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return set + static_cast<std::uint32_t>((state_ >> 16) % shape_.ways(set)) * shape_.sets;
  }

 private:
  L1Shape shape_;
  std::uint64_t state_ = 0x9e3779b97f4a7c15ull;
};

const Registered<L1Replacement, L1Random, const L1Shape&> l1_random_registered("random");

}  // namespace
}  // namespace sassim::arch
