// SPDX-License-Identifier: Apache-2.0
// Runs one kernel: executed only, executed while it is timed (live), or recorded and then timed.
#include "sim/cuda/launch_modes.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sim/base/log.h"
#include "sim/emu/core/memory_check.h"
#include "sim/live/live_launch.h"
#include "sim/replay/kernel_report.h"
#include "sim/trace/sast_writer.h"

namespace sassim::cuda {

namespace {

// What S2R and CS2R give that depends on when, and on where, a warp runs.
constexpr std::string_view kTimes[] = {"SR_CLOCK", "SR_GLOBALTIMER"};
constexpr std::string_view kPlaces[] = {"SR_VIRTUALSMID", "SR_SMID", "SR_VIRTID"};

bool reads(const emu::Kernel& kernel, std::span<const std::string_view> names) {
  return std::any_of(kernel.code.begin(), kernel.code.end(), [&](const isa::Instruction& instruction) {
    return std::any_of(instruction.operands.begin(), instruction.operands.end(), [&](const isa::Operand& operand) {
      return operand.kind == isa::OperandKind::special &&
             std::any_of(names.begin(), names.end(),
                         [&](std::string_view name) { return operand.text.starts_with(name); });
    });
  });
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

void write_trace(const LaunchDevice& device, const DeviceLaunch& request,
                 const std::vector<std::shared_ptr<const trace::BlockTrace>>& blocks) {
  trace::KernelInfo info = request.info;
  info.made_on = replay::made_on(device.config);
  trace::SastWriter writer(request.path, Sync::yes);
  const std::size_t number = writer.begin_kernel(info);
  for (const auto& block : blocks) writer.add_block(number, *block);
  writer.finish();
}

/// Tells what the check of memory has found in a launch, however that ends.
class Findings {
 public:
  Findings(LaunchDevice& device, const DeviceLaunch& request) : device_(device), request_(request) {}
  Findings(const Findings&) = delete;
  ~Findings() {
    if (emu::MemoryCheck* check = emu::MemoryCheck::active())
      for (const emu::Finding& finding : check->take()) tell(finding);
  }

 private:
  void tell(const emu::Finding& finding) {
    logger("memcheck")->error("{}", finding.message);
    report::KernelReport report;
    report.name = finding.site.kernel;
    report.grid = request_.launch.grid;
    report.block = request_.launch.block;
    report.fault = {finding.kind, finding.message, finding.site.pc, finding.site.line};
    device_.log.kernel(report, 0);
  }

  LaunchDevice& device_;
  const DeviceLaunch& request_;
};

}  // namespace

bool reads_clock(const emu::Kernel& kernel) { return reads(kernel, kTimes); }

bool depends_on_time(const emu::Kernel& kernel) {
  return emu::order_matters(kernel) || emu::waits_in_loops(kernel) || reads_clock(kernel) || reads(kernel, kPlaces);
}

emu::RunResult FunctionalMode::execute(const DeviceLaunch& request, LaunchProgress& progress) {
  if (device_.saves_traces()) return device_.record(request, progress, emu::Meeting::ignored).result;
  const bool checked = emu::MemoryCheck::active() != nullptr;
  if (const emu::RunResult* known = checked ? nullptr : settled_.find(request, device_.memory)) return *known;
  emu::RunOptions options;
  options.progress = [&](std::uint64_t count) { progress.recording(count); };
  options.threads = device_.options.threads;
  const Findings findings(device_, request);
  emu::RunResult result;
  try {
    result = emu::run(request.kernel, request.launch, device_.memory, options);
  } catch (...) {
    device_.memory.changed();
    throw;
  }
  device_.report_beside(request.kernel, result.beside);
  settled_.executed(request, device_.memory, result);
  return result;
}

Launched FunctionalMode::run(const DeviceLaunch& request, LaunchProgress& progress) {
  return {{}, device_.time_of(Cycle{execute(request, progress).warp_instructions})};
}

Launched LiveMode::run(const DeviceLaunch& request, LaunchProgress& progress) {
  if (request.settle) request.settle();
  if (device_.strata) device_.strata->other_timed();
  const bool save = device_.saves_traces();
  live::LiveLaunch source(request.kernel, request.launch, device_.memory, request.info,
                          {device_.config.sm.count, device_.clock, device_.config.clock.sm, save});
  progress.timing(0);
  arch::RunOptions options = device_.run_options(request.number);
  options.progress = [&](const arch::KernelProgress& at) {
    progress.look(at);
    source.check_progress();
  };
  const auto began = Clock::now();
  const arch::KernelResult result = device_.model().run(source, options);
  const double took = seconds_since(began);
  const emu::RunResult done = source.finish();
  device_.report_beside(request.kernel, done.beside);
  if (save) write_trace(device_, request, source.take_recorded());
  device_.log.kernel(device_.report_of(request.kernel, source, result, request.path, done.beside,
                                       "its warps were executed when they were timed (live)"),
                     took);
  return device_.passed(result.cycles);
}

Launched ReplayMode::run(const DeviceLaunch& request, LaunchProgress& progress) {
  const LaunchDevice::Recorded recorded = device_.record_for_sampling(request, progress);
  if (device_.strata && device_.strata->leaves_out(request, recorded.result.warp_instructions))
    return left_out(request, recorded.result);
  const std::unique_ptr<trace::BlockSource> source = recorded.trace();
  progress.timing(recorded.result.warp_instructions);
  arch::RunOptions options = device_.run_options(request.number);
  options.progress = [&](const arch::KernelProgress& at) { progress.look(at); };
  if (device_.options.caches == "replay") {  // a profiler runs a kernel several times: it finds what it left itself
    const std::unique_ptr<trace::BlockSource> before = recorded.trace();
    arch::RunOptions uncounted = options;
    uncounted.series = 0;
    device_.model().run(*before, uncounted);
  }
  const auto began = Clock::now();
  const arch::KernelResult result = device_.model().run(*source, options);
  const double took = seconds_since(began);
  const report::KernelReport report =
      device_.report_of(request.kernel, *source, result, request.path, recorded.result.beside,
                        device_.path_note(request.kernel, recorded.result));
  if (device_.strata) device_.strata->timed(report);
  device_.log.kernel(report, took);
  return device_.passed(result.cycles);
}

Launched ReplayMode::left_out(const DeviceLaunch& request, const emu::RunResult& done) {
  report::KernelReport report = device_.strata->next_report(done.warp_instructions);
  device_.describe(report, request.path, done.beside, device_.path_note(request.kernel, done));
  device_.log.kernel(report, 0);
  return device_.passed(Cycle{static_cast<std::uint64_t>(report.metrics["gpc__cycles_elapsed.max"])});
}

}  // namespace sassim::cuda
