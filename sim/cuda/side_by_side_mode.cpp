// SPDX-License-Identifier: Apache-2.0
// Records kernels of programs with several streams, and reports them when they are timed.
#include "sim/cuda/side_by_side_mode.h"

#include <utility>

namespace sassim::cuda {

SideBySideMode::SideBySideMode(LaunchDevice& device) : device_(device), kernels_(device.config.clock.sm, hooks()) {}

SideBySide::Hooks SideBySideMode::hooks() {
  return {[this]() -> arch::Gpu& { return device_.model(); },
          [this](std::uint64_t kernel, std::uint64_t steps) { return begin(kernel, steps); },
          [this](std::uint64_t kernel, const trace::BlockSource& source, const arch::KernelResult& result,
                 std::uint64_t group, double seconds) { ended(kernel, source, result, group, seconds); },
          [this](std::uint64_t name, const trace::BlockSource& source, const arch::KernelResult& result,
                 std::uint64_t group) {
            const Waiting& kernel = waiting_.at(name);
            device_.log.so_far(kernel.in_log, report_of(kernel, source, result, group), kernel.stream.number,
                               kernel.stream.ordered);
          }};
}

void SideBySideMode::make_room(const std::function<void()>& settle) {
  constexpr std::size_t kMostWaiting = 512;  // their traces are files
  if (kernels_.pending() >= kMostWaiting) settle();
}

Launched SideBySideMode::run(const DeviceLaunch& request, LaunchProgress& progress) {
  LaunchDevice::Recorded recorded = device_.record_for_timing(request, progress);
  const std::uint64_t name =
      kernels_.add(std::move(recorded.trace), recorded.result.warp_instructions, request.stream.number);
  waiting_.emplace(name, Waiting{&request.kernel, request.number, request.in_log, request.path,
                                 std::move(recorded.result), request.stream});
  return {name, {}};
}

arch::RunOptions SideBySideMode::begin(std::uint64_t kernel, std::uint64_t steps) {
  const Waiting& first = waiting_.at(kernel);
  progress_ =
      std::make_unique<LaunchProgress>(device_.watchers(), device_.log.process(), first.kernel->name, first.number + 1);
  progress_->timing(steps);
  arch::RunOptions options = device_.run_options(first.number);
  options.progress = [this](const arch::KernelProgress& at) { progress_->look(at); };
  return options;
}

report::KernelReport SideBySideMode::report_of(const Waiting& kernel, const trace::BlockSource& source,
                                               const arch::KernelResult& result, std::uint64_t group) const {
  return device_.report_of(*kernel.kernel, source, result, kernel.path, kernel.recorded.beside,
                           device_.path_note(*kernel.kernel, kernel.recorded), group);
}

void SideBySideMode::ended(std::uint64_t name, const trace::BlockSource& source, const arch::KernelResult& result,
                           std::uint64_t group, double seconds) {
  const Waiting kernel = std::move(waiting_.extract(name).mapped());
  progress_.reset();
  device_.log.kernel(report_of(kernel, source, result, group), seconds);
  device_.log.end();
  device_.log.ran_on(kernel.stream.number, kernel.stream.ordered, {.waited = false, .beside = group != 0});
  device_.passed(result.cycles);
}

}  // namespace sassim::cuda
