// SPDX-License-Identifier: Apache-2.0
// Collects policies and units that the hardware model has registered, for checks of a YAML.
#include "sim/replay/known_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "arch/cache/replacement.h"
#include "arch/common/address_hash.h"
#include "arch/memory/dram/dram.h"
#include "arch/memory/dram/refresh.h"
#include "arch/memory/dram/row_policy.h"
#include "arch/memory/dram/scheduler.h"
#include "arch/sm/common/unit_traits.h"
#include "arch/sm/warps/warp_scheduler.h"
#include "sim/base/registry.h"

namespace sassim::replay {

namespace {

/// The replacement policies that every cache can use. Policies that evict several lines at once are left out, because
/// only the L1 can use them.
std::vector<std::string> one_by_one(const std::vector<std::string>& replacements) {
  std::vector<std::string> names;
  for (const std::string& name : replacements)
    if (!arch::Replacements::instance().make(name, arch::CacheShape{})->gives_up_several()) names.push_back(name);
  return names;
}

/// By op class: the pipes of a processing block, unless its instructions always go to a unit of the SM, and the units.
void add_pipes(config::KnownNames& known) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(isa::OpClass::count_); ++i) {
    const auto op = static_cast<isa::OpClass>(i);
    std::vector<std::string> names;
    if (!arch::is_memory(op))
      for (const arch::PipeByName& pipe : arch::kPipesByName) names.emplace_back(pipe.name);
    for (const std::string& unit : arch::units_for(op))
      if (std::find(names.begin(), names.end(), unit) == names.end()) names.push_back(unit);
    known[fmt::format("sm.pipes.ops.{}.pipe", isa::op_class_name(op))] = names;
  }
}

}  // namespace

config::KnownNames known_names() {
  const auto hashes = Registry<arch::AddressHash>::instance().names();
  const auto replacements = arch::Replacements::instance().names();
  config::KnownNames known = {
      {"sm.issue.scheduler", arch::WarpSchedulers::instance().names()},
      {"sm.l1.replacement", replacements},
      {"memory.l2.replacement", one_by_one(replacements)},
      {"memory.l2.hash", hashes},
      {"memory.l2.set_hash", hashes},
      {"memory.dram.model", arch::Drams::instance().names()},
      {"memory.dram.scheduler", arch::DramSchedulers::instance().names()},
      {"memory.dram.row_policy", arch::DramRowPolicies::instance().names()},
      {"memory.dram.refresh", arch::DramRefreshes::instance().names()},
  };
  add_pipes(known);
  return known;
}

}  // namespace sassim::replay
