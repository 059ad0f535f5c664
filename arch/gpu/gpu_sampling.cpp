// SPDX-License-Identifier: Apache-2.0
// Runs the sampling of a launch, of which only some thread blocks are timed (arch/gpu/sampling.h): says whether a
// launch can be sampled, tells the Sampler what the GPU has done, and skips the blocks that it names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arch/gpu/gpu_impl.h"
#include "arch/gpu/gpu_metrics.h"
#include "arch/gpu/memory_metrics.h"

namespace sassim::arch {

namespace {

constexpr std::uint64_t kFewestTurns = 4;  ///< chosen: of all slots, in a grid that is sampled
constexpr std::uint64_t kPieces = 16;      ///< of a grid, whose blocks are compared
constexpr double kEqualBlocks = 0.05;      ///< chosen: largest difference between the blocks of two pieces

const stats::CountName kDramBytes("dram__bytes.sum");

std::uint64_t warp_instructions(trace::BlockSource& source, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t all = 0;
  for (std::uint64_t i = begin; i < end; ++i) all += source.steps(BlockId(i));
  return all;
}

/// Whether the blocks of all parts of the grid execute as many warp instructions.
bool equal_blocks(trace::BlockSource& source) {
  const std::uint64_t blocks = source.block_count();
  double least = 0, most = 0;
  for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
    const std::uint64_t begin = blocks * piece / kPieces, end = blocks * (piece + 1) / kPieces;
    const double each = static_cast<double>(warp_instructions(source, begin, end)) / static_cast<double>(end - begin);
    least = piece == 0 ? each : std::min(least, each);
    most = std::max(most, each);
  }
  return most <= least * (1 + kEqualBlocks);
}

}  // namespace

bool Gpu::samples(const trace::KernelInfo& kernel) const {
  return kernel.grid.count() >= kFewestTurns * fit(kernel, impl_->config).blocks * impl_->sms.size();
}

void Gpu::Impl::start_sampling(trace::BlockSource& source, const config::OccupancyResult& occupancy,
                               const RunOptions& options) {
  sampling = {};
  if (options.sample <= 0) return;
  const std::uint64_t blocks = source.block_count(), slots = std::uint64_t{occupancy.blocks} * sms.size();
  if (source.live_memory() != nullptr)
    sampling.not_sampled = "its warps are executed while they are timed, because their paths depend on time";
  else if (blocks < kFewestTurns * slots)
    sampling.not_sampled =
        fmt::format("it has {} thread blocks, fewer than {} times those that the GPU holds at once ({})", blocks,
                    kFewestTurns, slots);
  else if (!equal_blocks(source))
    sampling.not_sampled = "the thread blocks of some parts of its grid execute more instructions than those of others";
  if (sampling.not_sampled) return;
  const double bytes = peak_dram_bytes_per_second(config) / static_cast<double>(config.clock.sm);
  const std::uint64_t turn = warp_instructions(source, 0, blocks) / blocks * slots;
  sampling.sampler.emplace(Sampler::Grid{blocks, slots, turn, options.sample, bytes, start + latency(options.launch)});
}

SampledCounts::Snapshot Gpu::Impl::snapshot(Cycle at) {
  SampledCounts::Snapshot all{at, issued()};
  report_sms(sms, all.at, all.values);
  module.memory().report(all.values);
  add_lines(sms, all.lines);
  return all;
}

/// Everything before the sampler's due() has been simulated, and nothing after it.
void Gpu::Impl::sample(trace::BlockSource& source) {
  const MemorySystem& memory = module.memory();
  stats::CounterValues traffic;
  memory.report(traffic);
  const std::uint64_t next = scheduler->next_block();
  const Cycle at = sampling.sampler->due();
  switch (sampling.sampler->look({at, issued(), next, traffic.count(kDramBytes), memory.held_bytes()})) {
    case Sampler::Action::none:
      break;
    case Sampler::Action::begin:
      sampling.counts.begin(snapshot(at));
      break;
    case Sampler::Action::skip: {
      const std::uint64_t blocks = sampling.sampler->skip();
      sampling.counts.end(snapshot(at), blocks, warp_instructions(source, next, next + blocks));
      scheduler->skip(blocks);
      break;
    }
  }
}

Sampling Gpu::Impl::sampling_result(std::uint64_t cycles) const {
  if (sampling.not_sampled) return {*sampling.not_sampled};
  if (!sampling.counts.any())
    return {sampling.sampler->whole().empty() ? "it ended before its throughput had been measured"
                                              : sampling.sampler->whole()};
  const double part = static_cast<double>(sampling.counts.skipped_cycles()) / static_cast<double>(cycles);
  return {"", scheduler->completed(), sampling.sampler->places(), sampling.sampler->half_interval() * part};
}

}  // namespace sassim::arch
