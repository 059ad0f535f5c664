// SPDX-License-Identifier: Apache-2.0
#include "arch/cache/replacement.h"
#include "arch/common/address_hash.h"
#include "arch/memory/dram_scheduler.h"
#include "arch/sm/warp_scheduler.h"
#include "sim/base/registry.h"
#include "sim/cli/config_options.h"

namespace sassim::cli {

config::KnownNames known_names() {
  const auto hashes = Registry<arch::AddressHash>::instance().names();
  const auto replacements = arch::Replacements::instance().names();
  return {
      {"sm.issue.scheduler", arch::WarpSchedulers::instance().names()},
      {"sm.l1.replacement", replacements},
      {"memory.l2.replacement", replacements},
      {"memory.l2.hash", hashes},
      {"memory.l2.set_hash", hashes},
      {"memory.dram.scheduler", Registry<arch::DramScheduler>::instance().names()},
  };
}

}  // namespace sassim::cli
