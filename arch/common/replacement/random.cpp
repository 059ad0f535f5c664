// SPDX-License-Identifier: Apache-2.0
// Any line goes; the sequence of choices is the same in every run.
#include <random>

#include "arch/common/replacement.h"
#include "sim/base/registry.h"

namespace sassim::arch {
namespace {

class Random final : public Replacement {
 public:
  Random(std::size_t, std::uint32_t ways) : ways_(ways) {}
  void used(std::size_t) override {}
  void filled(std::size_t) override {}
  std::uint32_t victim(std::size_t, const std::uint8_t* usable) override {
    auto way = static_cast<std::uint32_t>(random_() % ways_);
    while (usable[way] == 0) way = (way + 1) % ways_;
    return way;
  }
  void clear() override { random_.seed(); }

 private:
  std::uint32_t ways_;
  std::minstd_rand random_;
};

const Registered<Replacement, Random, std::size_t, std::uint32_t> random_registered("random");

}  // namespace
}  // namespace sassim::arch
