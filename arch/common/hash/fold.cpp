// SPDX-License-Identifier: Apache-2.0
// The offset is the sum of the row's digits in base n. Neighbouring rows are shifted by one target, so strides of n
// spread evenly.
#include <bit>

#include "arch/common/address_hash.h"
#include "sim/base/registry.h"

namespace sassim::arch {
namespace {

class Fold final : public AddressHash {
 public:
  std::uint32_t offset(std::uint64_t row, std::uint32_t targets) const override {
    if (targets < 2) return 0;
    std::uint64_t sum = 0;
    if (std::has_single_bit(targets)) {
      for (const int digit = std::countr_zero(targets); row != 0; row >>= digit) sum += row & (targets - 1);
      return static_cast<std::uint32_t>(sum & (targets - 1));
    }
    for (; row != 0; row /= targets) sum += row % targets;
    return static_cast<std::uint32_t>(sum % targets);
  }
};

const Registered<AddressHash, Fold> fold_registered("fold");

}  // namespace
}  // namespace sassim::arch
