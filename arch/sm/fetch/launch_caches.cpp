// SPDX-License-Identifier: Apache-2.0
// At a launch, preloads the instruction cache of an SM with the kernel's first code and its constants, or empties it.
#include "arch/sm/fetch/launch_caches.h"

#include <algorithm>
#include <vector>

#include "arch/network/topology.h"
#include "sim/config/gpu_config.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

namespace {
constexpr std::uint64_t kConstantBanks = 32 * (64u << 10);
}

LaunchCaches::LaunchCaches(const config::GpuConfig& config, SmId sm, InstructionCache& instructions)
    : config_(config.sm), instructions_(instructions), neighbours_(find_neighbours(config, sm)) {}

LaunchCaches::Neighbours LaunchCaches::find_neighbours(const config::GpuConfig& config, SmId id) {
  const std::uint32_t sharers = std::max(1u, config.sm.front_end.gpc_constants.sharers);
  std::vector<std::uint64_t> order = config.launch.sm_order;
  for (std::uint64_t sm = 0; sm < config.sm.count; ++sm)
    if (std::find(order.begin(), order.end(), sm) == order.end()) order.push_back(sm);
  const auto place = static_cast<std::uint32_t>(std::find(order.begin(), order.end(), id.value) - order.begin());
  if (config.memory.halves.gpcs.empty()) return {sharers, place % sharers};  // the GPCs are not configured
  const Topology topology(config);
  Neighbours result{0, 0};
  for (const std::uint64_t sm : order) {
    if (sm == id.value) result.place = result.count;
    if (sm < config.sm.count) result.count += topology.gpc(SmId(static_cast<std::uint16_t>(sm))) == topology.gpc(id);
  }
  return result;
}

void LaunchCaches::start_kernel(const SmLaunch& launch) {
  const trace::KernelInfo& kernel = launch.code->kernel();
  if (!launch.keep_code) instructions_.clear();
  if (!launch.keep_caches) instructions_.invalidate(kernel.constant_address, kConstantBanks);
  instructions_.clear_counters();
  alternate_constants(launch.busy_sms);
  instructions_.code_arrives(launch.code_arrives);
  instructions_.constants_arrive_after(launch.constant_wait);
  fill(*launch.code, LaunchIndex{}, launch.code_prefetch);
}

void LaunchCaches::add_launch(const StaticCode& code, LaunchIndex launch, std::uint64_t code_prefetch) {
  instructions_.invalidate(code.kernel(launch).constant_address, kConstantBanks);
  fill(code, launch, code_prefetch);
}

void LaunchCaches::fill(const StaticCode& code, LaunchIndex launch, std::uint64_t code_prefetch) {
  const trace::KernelInfo& kernel = code.kernel(launch);
  instructions_.preload(kernel.code_address, std::min(code_prefetch, kernel.code_bytes()));
  // A launch delivers its own bank and the banks of the kernel's code (jump tables). The program's __constant__ arrays
  // are fetched on demand.
  if (code_prefetch == 0) return;
  instructions_.preload(kernel.constant_address, code.launch_bank_bytes(launch));
  for (const trace::ConstantBank& bank : kernel.constants) {
    const ConstantAddress begin{static_cast<std::uint16_t>(bank.bank), 0};
    instructions_.preload(kernel.constant_address + begin.in_kernel(), bank.bytes.size());
  }
}

void LaunchCaches::alternate_constants(std::uint32_t busy_sms) {
  const config::FrontEnd& front_end = config_.front_end;
  const std::uint32_t count = std::max(1u, config_.count);
  const auto of_busy = [&](std::uint32_t sms) { return std::max(1u, (sms * busy_sms + count - 1) / count); };
  const std::uint32_t pairs = (of_busy(neighbours_.count) + 1) / 2;
  instructions_.alternate_constants(
      front_end.gpc_constants.interval * of_busy(front_end.gpc_constants.sharers),
      first_constants({front_end.gpc_constants.interval, front_end.gpc_constants.skew, pairs,
                       neighbours_.place / 2 % pairs, neighbours_.place % 2 != 0}));
}

}  // namespace sassim::arch
