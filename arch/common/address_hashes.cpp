// SPDX-License-Identifier: Apache-2.0
// The address hashes that a configuration can name (such as memory.l2.hash): linear, fold and mix.
#include <bit>

#include "arch/common/address_hash.h"
#include "sim/base/registry.h"

namespace sassim::arch {
namespace {

/// No hash: strides of a power of two collide as in a plain modulo.
class Linear final : public AddressHash {
 public:
  std::uint32_t offset(std::uint64_t, std::uint32_t) const override { return 0; }
};

const Registered<AddressHash, Linear> linear_registered("linear");

/// The offset is the sum of the row's digits in base n. Neighbouring rows are shifted by one target, so strides of n
/// spread evenly.
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

/// The offset depends on every bit of the row, so no regular stride remains, as in the non-linear slice hashes of real
/// GPUs.
class Mix final : public AddressHash {
 public:
  std::uint32_t offset(std::uint64_t row, std::uint32_t targets) const override {
    // The finaliser of MurmurHash3 (public domain); its upper half is scaled to the range.
    row ^= row >> 33;
    row *= 0xff51afd7ed558ccdull;
    row ^= row >> 33;
    row *= 0xc4ceb9fe1a85ec53ull;
    row ^= row >> 33;
    return static_cast<std::uint32_t>((row >> 32) * targets >> 32);
  }
};

const Registered<AddressHash, Mix> mix_registered("mix");

}  // namespace

std::unique_ptr<AddressHash> AddressHash::make(const std::string& name) {
  return Registry<AddressHash>::instance().make(name);
}

}  // namespace sassim::arch
