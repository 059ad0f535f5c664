// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram_scheduler.h"

#include "sim/base/registry.h"

namespace sassim::arch {

std::unique_ptr<DramScheduler> DramScheduler::make(const std::string& name) {
  return Registry<DramScheduler>::instance().make(name);
}

}  // namespace sassim::arch
