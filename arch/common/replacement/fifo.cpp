// SPDX-License-Identifier: Apache-2.0
// The line that came first goes, used or not.
#include "arch/common/replacement/stamps.h"
#include "sim/base/registry.h"

namespace sassim::arch {
namespace {

class Fifo final : public StampedReplacement {
 public:
  using StampedReplacement::StampedReplacement;
  void used(std::size_t) override {}
  void filled(std::size_t line) override { stamp(line); }
};

const Registered<Replacement, Fifo, std::size_t, std::uint32_t> fifo_registered("fifo");

}  // namespace
}  // namespace sassim::arch
