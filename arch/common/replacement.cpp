// SPDX-License-Identifier: Apache-2.0
#include "arch/common/replacement.h"

#include "sim/base/registry.h"

namespace sassim::arch {

std::unique_ptr<Replacement> Replacement::make(const std::string& name, std::size_t sets, std::uint32_t ways) {
  return Registry<Replacement, std::size_t, std::uint32_t>::instance().make(name, sets, ways);
}

}  // namespace sassim::arch
