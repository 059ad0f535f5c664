// SPDX-License-Identifier: Apache-2.0
// The least recently used line goes.
#include "arch/common/replacement/stamps.h"
#include "sim/base/registry.h"

namespace sassim::arch {
namespace {

class Lru final : public StampedReplacement {
 public:
  using StampedReplacement::StampedReplacement;
  void used(std::size_t line) override { stamp(line); }
  void filled(std::size_t line) override { stamp(line); }
};

const Registered<Replacement, Lru, std::size_t, std::uint32_t> lru_registered("lru");

}  // namespace
}  // namespace sassim::arch
