// SPDX-License-Identifier: Apache-2.0
// Makes the address hash (which L2 slice, set or bank gets an address) that a configuration names.
#include "arch/common/address_hash.h"

#include "sim/base/registry.h"

namespace sassim::arch {

std::unique_ptr<AddressHash> AddressHash::make(const std::string& name) {
  return Registry<AddressHash>::instance().make(name);
}

}  // namespace sassim::arch
