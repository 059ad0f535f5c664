// SPDX-License-Identifier: Apache-2.0
#include "arch/common/address_hash.h"
#include "arch/common/replacement.h"
#include "arch/memory/dram_scheduler.h"
#include "arch/sm/l1_replacement.h"
#include "arch/sm/warp_scheduler.h"
#include "sim/base/registry.h"
#include "sim/cli/config_options.h"

namespace sassim::cli {

config::KnownNames known_names() {
  const auto hashes = Registry<arch::AddressHash>::instance().names();
  return {
      {"sm.issue.scheduler", arch::WarpSchedulers::instance().names()},
      {"sm.l1.replacement", arch::L1ReplacementRegistry::instance().names()},
      {"memory.l2.replacement", Registry<arch::Replacement, std::size_t, std::uint32_t>::instance().names()},
      {"memory.l2.hash", hashes},
      {"memory.l2.set_hash", hashes},
      {"memory.dram.scheduler", Registry<arch::DramScheduler>::instance().names()},
  };
}

}  // namespace sassim::cli
