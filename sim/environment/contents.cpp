// SPDX-License-Identifier: Apache-2.0
// The part of Environment that says which lines copies, other programs and a profiler leave in the L2 before a kernel
// starts.
#include <algorithm>

#include "sim/config/gpu_config.h"
#include "sim/environment/environment.h"

namespace sassim::environment {

namespace {

/// Addresses that no kernel uses. What a flush leaves lies at the second, too, but a program is flushed before all of
/// its kernels or before none.
constexpr std::uint64_t kCopiedByTheProfiler = std::uint64_t{1} << 61, kWrittenByTheProfiler = std::uint64_t{1} << 60;

}  // namespace

Environment::Environment(const config::GpuConfig& config, std::uint32_t gpcs, std::uint32_t halves)
    : keys_(config.environment),
      line_(config.memory.l2.line),
      page_(config.memory.l2.page),
      gpcs_(gpcs),
      halves_(halves) {}

CacheContents Environment::written(std::uint64_t address, std::uint64_t bytes, bool from_host) const {
  if (!from_host) return {address, bytes, true, 0};
  const std::uint64_t first = (address + line_ - 1) / line_ * line_, end = (address + bytes) / line_ * line_;
  if (end <= first || end - first <= keys_.upload) return {address, bytes, false, keys_.upload_ways};
  const std::uint64_t kept = keys_.upload / line_ * line_;
  return {end - kept, kept, false, keys_.upload_ways};
}

/// A profiler's small pieces are each in a page of its own, so that they lie in all sets alike. What it copies from the
/// host goes to the same memory before each kernel, what it writes does not.
std::vector<CacheContents> Environment::before_launch(Caches caches) {
  constexpr std::uint64_t kPiece = 4096;
  const std::uint64_t apart = std::max(page_, kPiece) + kPiece;
  const std::uint64_t written = launched_ ? keys_.profiled_each : keys_.profiled_written;
  launched_ = true;
  described_ = from_dram_ = 0;
  // After a flush the profiler's own buffers occupy a part of the L2.
  if (caches == Caches::flushed) return {{kWrittenByTheProfiler, keys_.flushed, true, 0}};
  std::vector<CacheContents> contents;
  if (caches != Caches::kept) return contents;
  for (std::uint64_t i = 0; i < keys_.profiled / kPiece; ++i)
    contents.push_back({kCopiedByTheProfiler + i * apart, kPiece, false, keys_.upload_ways});
  for (std::uint64_t left = written / kPiece; left > 0; --left)
    contents.push_back({kWrittenByTheProfiler + pieces_written_++ * apart, kPiece, true, 0});
  return contents;
}

}  // namespace sassim::environment
