// SPDX-License-Identifier: Apache-2.0
// The table behind `sassim explore --what-if`: each perfect part, and the keys that make it so.
#include "sim/explore/what_if.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/config/gpu_config.h"

namespace sassim::explore {

namespace {

/// A size that can never fill: all lanes of an SM's warps with a line each, for several loads.
std::string unlimited(const char* key, std::uint32_t configured, std::uint32_t enough) {
  return fmt::format("{}={}", key, std::max(configured, enough));
}

std::vector<std::string> request_tables(const config::GpuConfig& c) {
  constexpr std::uint32_t kPerSm = 16384, kPerSlice = 4096, kMerges = 4096;
  return {unlimited("sm.l1.pending_requests", c.sm.l1.pending_requests, kPerSm),
          unlimited("sm.l1.pending_merges", c.sm.l1.pending_merges, kMerges),
          unlimited("sm.l1.miss_queue", c.sm.l1.miss_queue, kPerSm),
          unlimited("memory.crossbar.credits", c.memory.crossbar.credits, kPerSm),
          unlimited("memory.l2.pending_requests", c.memory.l2.pending_requests, kPerSlice)};
}

std::vector<std::string> wide_pipes(const config::GpuConfig& c) {
  std::vector<std::string> all = {"sm.pipes.fp64.shared_by_sm=false"};
  const config::Pipes& p = c.sm.pipes;
  const std::pair<const char*, const config::PipeConfig*> pipes[] = {
      {"fma", &p.fma}, {"alu", &p.alu}, {"fp16", &p.fp16}, {"fp64", &p.fp64}, {"xu", &p.xu}};
  for (const auto& [name, pipe] : pipes)
    all.push_back(unlimited(fmt::format("sm.pipes.{}.lanes", name).c_str(), pipe->lanes, 32));
  return all;
}

std::vector<std::string> fast_atomics() {
  return {"memory.l2.atomic_partial_interval=0", "memory.l2.atomic_lane_latency=0", "memory.l2.atomic_sector_latency=0",
          "sm.l1.atomic_waves=false", "sm.shared.atomic_hold=0,0,0,0,0,0"};
}

/// The launch is what remains if a kernel does nothing: before the first block, until its code is there, and the flush.
std::vector<std::string> no_launch(const config::Launch& launch) {
  std::vector<std::string> all = {"launch.latency=0", "launch.flush=0", "launch.cold_code_delay=0",
                                  "launch.write_flush=0", "launch.write_flush_interval=0"};
  if (launch.places.reuse_latency != 0) all.emplace_back("launch.places.reuse_latency=0");
  return all;
}

std::vector<std::string> double_l2(const config::GpuConfig& c) {
  const config::CrossbarConfig& x = c.memory.crossbar;
  return {fmt::format("memory.l2.bytes_per_cycle={}", 2 * c.memory.l2.bytes_per_cycle),
          fmt::format("memory.crossbar.slice_request_bytes_per_cycle={}", 2 * x.slice_request_bytes_per_cycle),
          fmt::format("memory.crossbar.slice_reply_bytes_per_cycle={}", 2 * x.slice_reply_bytes_per_cycle)};
}

}  // namespace

std::vector<Idealisation> idealisations(const config::GpuConfig& c) {
  std::vector<Idealisation> all = {
      {"perfect L1", "every load hits in the L1", {"sm.l1.perfect=true"}},
      {"no bank conflicts",
       "lanes with different words of one bank of shared memory or the L1 are served together",
       {"sm.shared.bank_conflicts=false"}},
      {"infinite request tables", "L1, network and L2 always have room for another miss", request_tables(c)},
      {"double DRAM",
       "twice as many memory channels",
       {fmt::format("memory.dram.channels={}", 2 * c.memory.dram.channels)}},
      {"perfect instruction cache", "every fetch hits in the L0", {"sm.front_end.perfect=true"}},
      {"no register conflicts",
       "each bank reads four operands in a cycle, more than an instruction has",
       {"sm.register_file.read_ports=4"}},
      {"coalesced accesses",
       "the different addresses of an access to global memory are neighbours",
       {"sm.l1.coalesced=true"}},
      {"full warps",
       "arithmetic and branches are executed by full warps, as if threads never diverged",
       {"sm.issue.full_warps=true"}},
      {"32-lane pipes", "each processing block has pipes for all lanes of a warp, FP64 included", wide_pipes(c)},
      {"fast atomics",
       "an L2 slice changes any number of lanes' words of a request in a cycle; those of shared memory hold nobody up",
       fast_atomics()},
      {"double L2", "slices and their ports move twice the bytes per cycle", double_l2(c)},
      {"perfect constant cache",
       "constant operands of arithmetic are always in the first-level cache",
       {"sm.constant.perfect=true"}},
      {"instant results", "results of arithmetic are ready in the next cycle", {"sm.issue.instant=true"}},
      {"open barriers", "no warp waits at a barrier of its block", {"sm.issue.open_barriers=true"}},
      {"no launch", "the first block starts at once, and its code is there; the end needs no flush",
       no_launch(c.launch)},
  };
  Idealisation together{"all of these", "everything above together", {}, false};
  for (const Idealisation& one : all)
    together.overrides.insert(together.overrides.end(), one.overrides.begin(), one.overrides.end());
  // Not perfect parts of the GPU, but the resources that the kernel uses and the size of the chip.
  all.push_back({"no register limit",
                 "registers do not limit the number of warps",
                 {fmt::format("sm.occupancy.registers={}", 16 * c.sm.occupancy.registers)},
                 false});
  if (c.memory.crossbar.gpc_sms.empty() && c.launch.sm_order.empty())
    all.push_back({"double SMs", "twice as many SMs", {fmt::format("sm.count={}", 2 * c.sm.count)}, false});
  all.push_back(std::move(together));
  return all;
}

}  // namespace sassim::explore
