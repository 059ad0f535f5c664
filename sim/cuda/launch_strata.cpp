// SPDX-License-Identifier: Apache-2.0
// Puts launches into strata, and decides which are timed.
#include "sim/cuda/launch_strata.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/stats/interval.h"

namespace sassim::cuda {

namespace {

constexpr std::size_t kFewest = 3;  ///< chosen: samples of a mean
constexpr std::size_t kMost = 64;   ///< chosen: samples of a mean; older ones are forgotten
constexpr double kLeast = 0.005;    ///< chosen: least standard deviation; a few equal ones do not prove that all are
constexpr double kForDouble = 16;   ///< chosen: so many strata for each doubling of the warp instructions

std::uint64_t stratum_of(std::uint64_t warp_instructions) {
  return static_cast<std::uint64_t>(std::log2(static_cast<double>(warp_instructions) + 1) * kForDouble);
}

/// Half of the 95 % interval of the mean, as a part of it.
double half_interval(const std::vector<double>& cycles) {
  const auto samples = static_cast<double>(cycles.size());
  return std::max(stats::half_interval_of(cycles), stats::student(cycles.size() - 1) * kLeast / std::sqrt(samples));
}

constexpr const char* kCycles = "gpc__cycles_elapsed.max";
constexpr const char* kInstructions = "smsp__inst_executed.sum";

}  // namespace

std::string LaunchStrata::name_of(const DeviceLaunch& request) {
  const auto [grid, block] = std::pair(request.launch.grid, request.launch.block);
  return fmt::format("{} {} {} {} {} {} {} {} {}", request.kernel.name, request.kernel.code_address, grid.x, grid.y,
                     grid.z, block.x, block.y, block.z, request.launch.dynamic_shared);
}

bool LaunchStrata::likely_left_out(const DeviceLaunch& request) const {
  const auto shape = shapes_.find(name_of(request));
  return shape != shapes_.end() && shape->second.left_out;
}

bool LaunchStrata::leaves_out(const DeviceLaunch& request, std::uint64_t warp_instructions) {
  Shape& shape = shapes_[name_of(request)];
  Stratum& stratum = shape.strata[stratum_of(warp_instructions)];
  if (stratum.launches++ == 0) stratum.number = ++count_;
  if (last_ != nullptr) last_->followed_by = &stratum;
  last_ = &stratum;
  const Stratum* const next = stratum.followed_by;
  shape.left_out = known(stratum, stratum.launches) && (next == nullptr || known(*next, next->launches + 1));
  timed_before_last_ = timed_last_;
  timed_last_ = !shape.left_out;
  return shape.left_out;
}

/// So that the launch with this number in the stratum need not be timed.
bool LaunchStrata::known(const Stratum& stratum, std::uint64_t launches) const {
  return launches < stratum.next_check && stratum.cycles.size() >= kFewest && half_interval(stratum.cycles) <= wanted_;
}

/// The first launch of a stratum does not count: others find in the caches what launches like it have left.
void LaunchStrata::timed(const report::KernelReport& report) {
  Stratum& stratum = *last_;
  if (!timed_before_last_ || stratum.launches == 1) return;
  if (stratum.timed.size() == kMost) {
    stratum.timed.erase(stratum.timed.begin());
    stratum.cycles.erase(stratum.cycles.begin());
  }
  stratum.timed.push_back(report);
  stratum.cycles.push_back(report.metrics[kCycles]);
  if (stratum.launches >= stratum.next_check) stratum.next_check = 2 * stratum.launches;
}

void LaunchStrata::other_timed() {
  if (last_ != nullptr) last_->followed_by = &outside_;
  last_ = nullptr;
  timed_last_ = true;
}

void LaunchStrata::renewed() {
  last_ = nullptr;
  timed_last_ = false;
}

report::KernelReport LaunchStrata::next_report(std::uint64_t warp_instructions) {
  Stratum& stratum = *last_;
  const std::size_t samples = stratum.timed.size();
  report::KernelReport report = stratum.timed[stratum.turn++ % samples];
  report.trace_hash.clear();
  report.notes.clear();
  report.series.reset();
  report.reused = false;
  report.warp_instructions = warp_instructions;
  report.metrics.add(*report.metrics.find(kInstructions)->row, static_cast<double>(warp_instructions));
  const double of_mean = 100 * half_interval(stratum.cycles);
  report.stratum = {stratum.number, samples, of_mean * std::sqrt(1 + static_cast<double>(samples)), of_mean};
  report.notes.push_back(
      fmt::format("not timed: it counts as one of {} launches like it, which were; its cycles are known to +-{:.2f} % "
                  "(95 % interval), their mean to +-{:.2f} %",
                  samples, report.stratum->interval_pct, of_mean));
  return report;
}

}  // namespace sassim::cuda
