// SPDX-License-Identifier: Apache-2.0
// No hash: strides of a power of two collide as in a plain modulo.
#include "arch/common/address_hash.h"
#include "sim/base/registry.h"

namespace sassim::arch {
namespace {

class Linear final : public AddressHash {
 public:
  std::uint32_t offset(std::uint64_t, std::uint32_t) const override { return 0; }
};

const Registered<AddressHash, Linear> linear_registered("linear");

}  // namespace
}  // namespace sassim::arch
