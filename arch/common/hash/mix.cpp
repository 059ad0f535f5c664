// SPDX-License-Identifier: Apache-2.0
// The offset depends on every bit of the row, so no regular stride remains, as in the non-linear slice hashes of real
// GPUs.
#include "arch/common/address_hash.h"
#include "sim/base/registry.h"

namespace sassim::arch {
namespace {

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
}  // namespace sassim::arch
