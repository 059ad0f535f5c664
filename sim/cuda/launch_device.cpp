// SPDX-License-Identifier: Apache-2.0
// What all launch modes use: recording by the emulator, options of the model, the kernel's report.
#include "sim/cuda/launch_device.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "sim/base/log.h"
#include "sim/cuda/launch_modes.h"
#include "sim/cuda/recorded_trace.h"
#include "sim/cuda/repeated_trace.h"
#include "sim/replay/kernel_report.h"

namespace sassim::cuda {

namespace {

void add_source(const emu::Kernel& kernel, report::LineStalls& line) {
  const isa::LineTable& table = kernel.source;
  const std::size_t at = kernel.layout().index(line.pc);
  if (at >= table.lines.size() || table.lines[at].line == 0 || table.lines[at].file >= table.files.size()) return;
  line.file = table.files[table.lines[at].file];
  line.source_line = table.lines[at].line;
}

}  // namespace

LiveKernels live_kernels(const std::string& name) {
  if (name == "always") return LiveKernels::all;
  return name == "auto" ? LiveKernels::timed_paths : LiveKernels::none;
}

LaunchDevice::LaunchDevice(const config::GpuConfig& gpu_config, emu::DeviceMemory& device_memory,
                           LaunchOptions launch_options)
    : config(gpu_config),
      memory(device_memory),
      options(std::move(launch_options)),
      log(options.session_dir, options.device) {
  if (options.mean > 0) strata.emplace(options.mean);
}

arch::Gpu& LaunchDevice::model() {
  if (!gpu) (gpu = std::make_unique<arch::Gpu>(config))->reuse_results(options.reuse);
  return *gpu;
}

bool LaunchDevice::may_be_live(const emu::Kernel& kernel) const {
  if (!options.timing || options.live == LiveKernels::none) return false;
  return options.live == LiveKernels::all || !kernel.uses_heap;
}

bool LaunchDevice::is_live(const emu::Kernel& kernel) const {
  return may_be_live(kernel) && (options.live == LiveKernels::all || depends_on_time(kernel));
}

const char* LaunchDevice::why_not_live(const emu::Kernel& kernel) const {
  return options.live == LiveKernels::none || !kernel.uses_heap ? "with --live=never"
                                                                : "with malloc or free in the kernel";
}

arch::CacheStart LaunchDevice::caches() const {
  if (options.caches == "cold") return arch::CacheStart::cold;
  return options.caches == "warm" ? arch::CacheStart::warm : arch::CacheStart::keep;
}

arch::RunOptions LaunchDevice::run_options(std::uint64_t number) const {
  arch::RunOptions run;
  run.threads = options.threads;
  run.caches = caches();
  run.launch = number - before_context;
  run.allow_arch_mismatch = true;  // the driver runs sm_70 code on sm_75: the image was chosen by its rules
  run.series = options.series;
  run.sample = options.sample;
  return run;
}

Picoseconds LaunchDevice::time_of(Cycle cycles) const {
  return Picoseconds{
      static_cast<std::uint64_t>(static_cast<double>(cycles.value) * 1e12 / static_cast<double>(config.clock.sm))};
}

Launched LaunchDevice::passed(Cycle cycles) {
  clock += cycles + config.launch.overhead_cycles;
  return {{}, time_of(cycles)};
}

LaunchProgress::Watchers LaunchDevice::watchers() const {
  return {options.session_dir, options.progress_line, options.mangled_names};
}

LaunchDevice::Recorded LaunchDevice::record(const DeviceLaunch& request, LaunchProgress& progress, emu::Meeting meeting,
                                            std::uint64_t in_memory) {
  std::optional<RecordedTrace> recorded;
  const auto begin = [&] {
    recorded.reset();
    if (saves_traces())
      recorded.emplace(request.info, request.path, Keep::yes);
    else if (!log.reaches_folder())
      recorded.emplace(request.info);
    else if (in_memory != 0)
      recorded.emplace(request.info, request.path, in_memory);
    else
      recorded.emplace(request.info, request.path, Keep::no);
  };
  begin();
  using Order = emu::BlockRecorder::Order;  // only a file that the user keeps must always have the same bytes
  emu::BlockRecorder recorder(
      request.info, [&](const std::shared_ptr<const trace::BlockTrace>& block) { recorded->add(block); }, begin, {},
      saves_traces() ? Order::by_number : Order::none);
  emu::RunOptions run;
  run.recorder = &recorder;
  run.progress = [&](std::uint64_t count) { progress.recording(count); };
  run.meeting = meeting;
  run.threads = options.threads;
  emu::RunResult result = emu::run(request.kernel, request.launch, memory, run);
  Recorded done{std::move(result), recorded->finish()};
  report_beside(request.kernel, done.result.beside);
  return done;
}

LaunchDevice::Recorded LaunchDevice::record_for_timing(const DeviceLaunch& request, LaunchProgress& progress,
                                                       std::uint64_t in_memory) {
  return record(request, progress, may_be_live(request.kernel) ? emu::Meeting::stops : emu::Meeting::told, in_memory);
}

LaunchDevice::Recorded LaunchDevice::record_for_sampling(const DeviceLaunch& request, LaunchProgress& progress) {
  const bool left_out = strata && strata->likely_left_out(request);
  if (!saves_traces() && (left_out || (options.sample > 0 && model().samples(request.info)))) {
    emu::RunOptions run;
    run.progress = [&](std::uint64_t count) { progress.recording(count); };
    run.threads = options.threads;
    const std::shared_ptr<emu::RepeatableLaunch> launch =
        emu::run_repeatable(request.kernel, request.launch, memory, run);
    if (launch)
      return {launch->result(), [&info = request.info, launch, threads = options.threads] {
                return std::make_unique<RepeatedTrace>(info, launch, threads);
              }};
  }
  return record_for_timing(request, progress, RecordedTrace::kShort);
}

report::KernelReport LaunchDevice::report_of(const emu::Kernel& kernel, const trace::BlockSource& source,
                                             const arch::KernelResult& result, const std::string& path,
                                             const emu::BesideAccesses& beside, const std::string& note,
                                             std::uint64_t group) const {
  report::KernelReport report = replay::kernel_report(source, result, config);
  if (report.beside) report.beside->group = group;
  for (report::LineStalls& line : report.lines) add_source(kernel, line);
  describe(report, path, beside, note);
  return report;
}

void LaunchDevice::describe(report::KernelReport& report, const std::string& path, const emu::BesideAccesses& beside,
                            const std::string& note) const {
  if (saves_traces()) report.trace = path;
  if (options.device != 0) report.notes.push_back(fmt::format("on device {}", options.device));
  if (!note.empty()) report.notes.push_back(note);
  if (beside.count != 0)
    report.notes.push_back(fmt::format("{} accesses beside an allocation, the first: {}", beside.count, beside.first));
}

std::string LaunchDevice::path_note(const emu::Kernel& kernel, const emu::RunResult& result) const {
  if (!depends_on_time(kernel) && !result.blocks_met) return {};
  return fmt::format(
      "its path was not timed: warps and blocks took turns in a plain order before the kernel was timed, and clocks "
      "counted instructions ({})",
      why_not_live(kernel));
}

void LaunchDevice::report_counts(const emu::Kernel& kernel) {
  if (std::exchange(told_of_counts_, true)) return;
  logger("cuda")->warn("kernel {} reads the clock: {} it gets the number of instructions that its warp has executed",
                       kernel.name, options.timing ? why_not_live(kernel) : "without timing (--functional)");
}

void LaunchDevice::report_beside(const emu::Kernel& kernel, const emu::BesideAccesses& beside) {
  if (beside.count == 0 || !told_of_beside_.insert(kernel.name).second) return;
  logger("cuda")->warn(
      "kernel {}: {} accesses beside an allocation, which a GPU allows in a mapped page of 2 MiB; the first: {} "
      "(reported once per kernel; --strict-memory makes it a fault)",
      kernel.name, beside.count, beside.first);
}

}  // namespace sassim::cuda
