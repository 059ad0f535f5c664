// SPDX-License-Identifier: Apache-2.0
// Starts kernels of several streams together on the timing model, and reports when each ends.
#include "sim/cuda/side_by_side.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace sassim::cuda {

namespace {
constexpr double kPicoseconds = 1e12;

class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};
}  // namespace

/// The first cycle that does not begin before `time`.
Cycle SideBySide::cycles(Picoseconds time) const {
  return Cycle{static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(time.value) / kPicoseconds * static_cast<double>(clock_hz_)))};
}

Picoseconds SideBySide::time_of(Cycle cycles) const {
  return Picoseconds{
      static_cast<std::uint64_t>(static_cast<double>(cycles.value) * kPicoseconds / static_cast<double>(clock_hz_))};
}

std::uint64_t SideBySide::add(Trace trace, std::uint64_t steps, std::uint64_t stream) {
  several_streams_ = several_streams_ || (only_stream_ && *only_stream_ != stream);
  only_stream_ = stream;
  Kernel& kernel = kernels_[++added_];
  kernel.trace = std::move(trace);
  kernel.steps = steps;
  return added_;
}

trace::BlockSource& SideBySide::source(std::uint64_t number) {
  Kernel& kernel = kernels_.at(number);
  if (!kernel.source) kernel.source = std::exchange(kernel.trace, {})();
  return *kernel.source;
}

void SideBySide::start(std::uint64_t kernel, int priority, Picoseconds at) {
  if (!group_.empty() && running_ == 0 && at >= last_end_) end_group();
  if (group_.empty()) {
    at = std::max(at, last_end_);
    if (!several_streams_) return run_alone(kernel, at);
    const Stopwatch watch(seconds_);
    trace::BlockSource& first = source(kernel);
    group_start_ = at;
    hooks_.gpu().begin_group(first, priority, hooks_.begin(kernel, kernels_.at(kernel).steps));
  } else {
    const Stopwatch watch(seconds_);
    hooks_.gpu().join(source(kernel), priority, cycles(at - group_start_));
  }
  group_.push_back(kernel);
  ++running_;
}

/// While all kernels are of one stream none runs beside another.
void SideBySide::run_alone(std::uint64_t number, Picoseconds at) {
  Kernel& kernel = kernels_.at(number);
  trace::BlockSource& launch = source(number);
  {
    const Stopwatch watch(kernel.seconds);
    kernel.result = hooks_.gpu().run(launch, hooks_.begin(number, kernel.steps));
  }
  last_end_ = at + time_of(kernel.result->cycles);
  ended_alone_ = Ended{number, last_end_};
  report_results();
}

std::optional<KernelDevice::Ended> SideBySide::advance(std::optional<Picoseconds> until) {
  if (ended_alone_) return std::exchange(ended_alone_, std::nullopt);
  if (running_ == 0) return {};
  const Stopwatch watch(seconds_);
  const Cycle known = !until ? kNever : *until > group_start_ ? cycles(*until - group_start_) : Cycle{};
  const auto ended = hooks_.gpu().advance_group(known);
  if (!ended) return {};
  --running_;
  kernels_.at(group_.at(ended->launch)).ended = true;
  const Picoseconds at = group_start_ + time_of(ended->end);
  last_end_ = std::max(last_end_, at);
  return Ended{group_.at(ended->launch), at};
}

void SideBySide::end_group() {
  std::vector<arch::KernelResult> results;
  {
    const Stopwatch watch(seconds_);
    results = hooks_.gpu().end_group();
  }
  if (results.size() > 1) ++groups_;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Kernel& kernel = kernels_.at(group_[i]);
    kernel.result = std::move(results[i]);
    kernel.group = results.size() > 1 ? groups_ : 0;
    kernel.seconds = i == 0 ? seconds_ : 0;
  }
  seconds_ = 0;
  group_.clear();
  report_results();
  flush_writes();
}

void SideBySide::report_results() {
  while (!kernels_.empty() && kernels_.begin()->second.result) {
    const auto& [number, kernel] = *kernels_.begin();
    hooks_.ended(number, *kernel.source, *kernel.result, kernel.group, kernel.seconds);
    kernels_.erase(kernels_.begin());
  }
}

/// Fills and copies reach the caches only while no kernel runs, so that results do not depend on the length of epochs.
void SideBySide::apply_writes(std::uint64_t number) {
  due_ = std::max(due_, number);
  if (due_ == applied_) return;
  if (!group_.empty() && running_ == 0) return end_group();
  if (group_.empty()) flush_writes();
}

void SideBySide::flush_writes() {
  for (; applied_ < due_ && !writes_.empty(); ++applied_, writes_.pop_front()) {
    const Write& write = writes_.front();
    hooks_.gpu().written(write.address, write.bytes, write.from_host);
  }
}

/// A group that no kernel can join any more ends now, in case that the process ends without another call. Else the host
/// has waited for a part of it.
void SideBySide::host_waits(Picoseconds until, bool idle) {
  if (group_.empty()) return;
  if (running_ == 0 && idle && until >= last_end_) return end_group();
  for (std::uint32_t i = 0; i < group_.size(); ++i) {
    Kernel& kernel = kernels_.at(group_[i]);
    if (!kernel.ended || std::exchange(kernel.told_so_far, true)) continue;
    hooks_.so_far(group_[i], *kernel.source, hooks_.gpu().result_so_far(arch::LaunchIndex(i)), groups_ + 1);
  }
}

void SideBySide::rest() {
  if (!group_.empty()) hooks_.gpu().rest(false);
}

void SideBySide::close() {
  if (!group_.empty() && running_ == 0) end_group();
  due_ = applied_ + writes_.size();
  if (group_.empty()) flush_writes();
}

}  // namespace sassim::cuda
