// SPDX-License-Identifier: Apache-2.0
#include "arch/cache/replacement.h"
#include "arch/common/address_hash.h"
#include "arch/memory/dram_scheduler.h"
#include "arch/sm/issue/warp_scheduler.h"
#include "sim/base/registry.h"
#include "sim/cli/config_options.h"

namespace sassim::cli {

namespace {

/// The replacement policies that every cache can use. Policies that evict several lines at once are left out, because
/// only the L1 can use them.
std::vector<std::string> one_by_one(const std::vector<std::string>& replacements) {
  std::vector<std::string> names;
  for (const std::string& name : replacements)
    if (!arch::Replacements::instance().make(name, arch::CacheShape{})->gives_up_several()) names.push_back(name);
  return names;
}

}  // namespace

config::KnownNames known_names() {
  const auto hashes = Registry<arch::AddressHash>::instance().names();
  const auto replacements = arch::Replacements::instance().names();
  return {
      {"sm.issue.scheduler", arch::WarpSchedulers::instance().names()},
      {"sm.l1.replacement", replacements},
      {"memory.l2.replacement", one_by_one(replacements)},
      {"memory.l2.hash", hashes},
      {"memory.l2.set_hash", hashes},
      {"memory.dram.scheduler", Registry<arch::DramScheduler>::instance().names()},
  };
}

}  // namespace sassim::cli
