// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/launcher.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "arch/gpu/gpu.h"
#include "sim/base/log.h"
#include "sim/config/occupancy.h"
#include "sim/cuda/launch_progress.h"
#include "sim/cuda/recorded_trace.h"
#include "sim/cuda/side_by_side.h"
#include "sim/emu/core/recording.h"
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

/// The name of a trace: NNNN-kernel.sast in the first process; in others the process comes first (session_log.h).
std::string file_name(const std::string& process, std::uint64_t number, const std::string& kernel) {
  constexpr std::size_t kLongest = 80;
  std::string name;
  for (char c : kernel.substr(0, kLongest)) name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  return fmt::format("{}{:04}-{}.sast", process == "1" ? "" : fmt::format("p{}-", process), number, name);
}

arch::CacheStart cache_start(const std::string& name) {
  return name == "cold" ? arch::CacheStart::cold : name == "warm" ? arch::CacheStart::warm : arch::CacheStart::keep;
}

}  // namespace

struct Launcher::Impl {
  Impl(const config::GpuConfig& gpu_config, emu::DeviceMemory& device_memory, LaunchOptions launch_options)
      : config(gpu_config), memory(device_memory), options(std::move(launch_options)), log(options.session_dir) {}

  const config::GpuConfig& config;
  emu::DeviceMemory& memory;
  LaunchOptions options;
  SessionLog log;
  pid_t maker = getpid();  ///< a process that this one forks must not remove its folder
  std::unique_ptr<arch::Gpu> gpu;
  std::filesystem::path folder;  ///< for traces that the user does not keep
  std::uint64_t launches = 0;
  std::uint64_t before_context = 0;  ///< launches in earlier contexts
  Cycle clock;                       ///< the SM clock goes on from launch to launch
  /// A kernel that waits for its times, by the KernelDevice's name.
  struct Waiting {
    const emu::Kernel* kernel;
    std::uint64_t number;
    std::uint64_t in_log;  ///< its number in the log
    std::string path;
    emu::RunResult recorded;
    StreamName stream;
  };
  std::map<std::uint64_t, Waiting> waiting;
  std::unique_ptr<LaunchProgress> progress_beside;  ///< of the run that the KernelDevice has begun last
  std::unique_ptr<SideBySide> streams;
  bool told_of_counts = false;
  std::set<std::string> told_of_beside = {};  ///< kernels

  arch::Gpu& model() {
    if (!gpu) gpu = std::make_unique<arch::Gpu>(config);
    return *gpu;
  }

  Picoseconds time_of(Cycle cycles) const {
    return Picoseconds{
        static_cast<std::uint64_t>(static_cast<double>(cycles.value) * 1e12 / static_cast<double>(config.clock.sm))};
  }

  /// Without the timing model events count as clock reads do: a cycle for each warp instruction, here of all warps one
  /// after another. It is no estimate, but never zero, and more work takes longer.
  Picoseconds functional_time(const emu::RunResult& result) const { return time_of(Cycle{result.warp_instructions}); }

  /// Once: what clocks are in a kernel that is not live.
  void tell_of_counts(const emu::Kernel& kernel) {
    if (std::exchange(told_of_counts, true)) return;
    logger("cuda")->warn("kernel {} reads the clock: {} it gets the number of instructions that its warp has executed",
                         kernel.name, options.timing ? why_not_live(kernel) : "without timing (--functional)");
  }

  const char* why_not_live(const emu::Kernel& kernel) const {
    return options.live == LiveKernels::none || !kernel.uses_heap ? "with --live=never"
                                                                  : "with malloc or free in the kernel";
  }

  /// Of a kernel that is not live although its path depends on time: what its times are worth. Empty for others.
  std::string path_note(const emu::Kernel& kernel, const emu::RunResult& result) const {
    if (!depends_on_time(kernel) && !result.blocks_met) return {};
    return fmt::format(
        "its path was not timed: warps and blocks took turns in a plain order before the kernel was timed, and clocks "
        "counted instructions ({})",
        why_not_live(kernel));
  }

  /// Once for each kernel, what it did beside allocations.
  void tell_of_beside(const emu::Kernel& kernel, const emu::BesideAccesses& beside) {
    if (beside.count == 0 || !told_of_beside.insert(kernel.name).second) return;
    logger("cuda")->warn(
        "kernel {}: {} accesses beside an allocation, which a GPU allows in a mapped page of 2 MiB; the first: {} "
        "(reported once per kernel; --strict-memory makes it a fault)",
        kernel.name, beside.count, beside.first);
  }

  /// A launch that has been executed.
  struct Recorded {
    emu::RunResult result;
    SideBySide::Trace trace;
  };

  /// `meeting`: what is done when blocks see what others write.
  Recorded record(const emu::Kernel& kernel, const emu::LaunchConfig& launch, const trace::KernelInfo& info,
                  const std::string& path, LaunchProgress& progress, emu::Meeting meeting) {
    const bool save = !options.trace_dir.empty();
    std::optional<RecordedTrace> recorded;
    const auto begin = [&] {
      recorded.reset();
      if (save || log.reaches_folder())
        recorded.emplace(info, path, save ? Keep::yes : Keep::no);
      else
        recorded.emplace(info);
    };
    begin();
    emu::BlockRecorder recorder(
        info, [&](const std::shared_ptr<const trace::BlockTrace>& block) { recorded->add(block); }, begin);
    emu::RunOptions run_options;
    run_options.recorder = &recorder;
    run_options.progress = [&](std::uint64_t count) { progress.recording(count); };
    run_options.meeting = meeting;
    emu::RunResult result = emu::run(kernel, launch, memory, run_options);
    return {std::move(result), recorded->finish()};
  }

  static bool depends_on_time(const emu::Kernel& kernel) {
    return emu::order_matters(kernel) || emu::waits_in_loops(kernel) || reads(kernel, kTimes) || reads(kernel, kPlaces);
  }

  /// Kernels with malloc or free cannot be live.
  bool may_be_live(const emu::Kernel& kernel) const {
    if (!options.timing || options.live == LiveKernels::none) return false;
    return options.live == LiveKernels::all || !kernel.uses_heap;
  }

  bool is_live(const emu::Kernel& kernel) const {
    return may_be_live(kernel) && (options.live == LiveKernels::all || depends_on_time(kernel));
  }

  /// Runs the kernel on the timing model, which executes it.
  Cycle time_live(const emu::Kernel& kernel, const emu::LaunchConfig& launch, const trace::KernelInfo& info,
                  const std::string& path, std::uint64_t number, LaunchProgress& progress) {
    const bool save = !options.trace_dir.empty();
    live::LiveLaunch source(kernel, launch, memory, info, {config.sm.count, clock, config.clock.sm, save});
    arch::RunOptions run_options;
    progress.timing(0);
    run_options.progress = [&](const arch::KernelProgress& of_kernel) {
      progress.look(of_kernel);
      source.check_progress();
    };
    run_options.threads = options.threads;
    run_options.caches = cache_start(options.caches);
    run_options.launch = number - before_context;
    run_options.allow_arch_mismatch = true;
    run_options.series = options.series;
    const auto began = std::chrono::steady_clock::now();
    const arch::KernelResult result = model().run(source, run_options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const emu::RunResult done = source.finish();
    tell_of_beside(kernel, done.beside);
    if (save) write_trace(path, info, source.take_recorded());
    log.kernel(
        report_of(kernel, source, result, path, done.beside, "its warps were executed when they were timed (live)"),
        took.count());
    return result.cycles;
  }

  void write_trace(const std::string& path, trace::KernelInfo info,
                   const std::vector<std::shared_ptr<const trace::BlockTrace>>& blocks) const {
    info.made_on = replay::made_on(config);
    trace::SastWriter writer(path, Sync::yes);
    const std::size_t number = writer.begin_kernel(info);
    for (const auto& block : blocks) writer.add_block(number, *block);
    writer.finish();
  }

  /// `path`: of the trace.
  report::KernelReport report_of(const emu::Kernel& kernel, const trace::BlockSource& source,
                                 const arch::KernelResult& result, const std::string& path,
                                 const emu::BesideAccesses& beside, const std::string& note = {},
                                 std::uint64_t group = 0) const {
    report::KernelReport report = replay::kernel_report(source, result, config);
    if (report.beside) report.beside->group = group;
    if (!options.trace_dir.empty()) report.trace = path;
    for (report::LineStalls& line : report.lines) add_source(kernel, line);
    if (!note.empty()) report.notes.push_back(note);
    if (beside.count != 0)
      report.notes.push_back(
          fmt::format("{} accesses beside an allocation, the first: {}", beside.count, beside.first));
    return report;
  }

  static void add_source(const emu::Kernel& kernel, report::LineStalls& line) {
    const isa::LineTable& table = kernel.source;
    const std::size_t at = kernel.layout().index(line.pc);
    if (at >= table.lines.size() || table.lines[at].line == 0 || table.lines[at].file >= table.files.size()) return;
    line.file = table.files[table.lines[at].file];
    line.source_line = table.lines[at].line;
  }

  // Runs the kernel on the timing model; the result goes to the session's file.
  Cycle time(const emu::Kernel& kernel, const std::string& path, const Recorded& recorded, std::uint64_t number,
             LaunchProgress& progress) {
    const std::unique_ptr<trace::BlockSource> source = recorded.trace();
    arch::RunOptions run_options;
    progress.timing(recorded.result.warp_instructions);
    run_options.progress = [&](const arch::KernelProgress& at) { progress.look(at); };
    run_options.threads = options.threads;
    run_options.caches = cache_start(options.caches);
    run_options.launch = number - before_context;
    run_options.allow_arch_mismatch = true;  // the driver runs sm_70 code on sm_75: the image was chosen by its rules
    if (options.caches == "replay") {        // a profiler runs a kernel several times: it finds what it left itself
      const std::unique_ptr<trace::BlockSource> before = recorded.trace();
      model().run(*before, run_options);
    }
    run_options.series = options.series;
    const auto began = std::chrono::steady_clock::now();
    const arch::KernelResult result = model().run(*source, run_options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    log.kernel(report_of(kernel, *source, result, path, recorded.result.beside, path_note(kernel, recorded.result)),
               took.count());
    return result.cycles;
  }

  LaunchProgress::Watchers watchers() const {
    return {options.session_dir, options.progress_line, options.mangled_names};
  }

  SideBySide::Hooks hooks() {
    return {[this]() -> arch::Gpu& { return model(); },
            [this](std::uint64_t kernel, std::uint64_t steps) { return options_beside(kernel, steps); },
            [this](std::uint64_t kernel, const trace::BlockSource& source, const arch::KernelResult& result,
                   std::uint64_t group, double seconds) { ended_beside(kernel, source, result, group, seconds); },
            [this](std::uint64_t name, const trace::BlockSource& source, const arch::KernelResult& result,
                   std::uint64_t group) {
              const Waiting& kernel = waiting.at(name);
              log.so_far(kernel.in_log, report_of(kernel, source, result, group), kernel.stream.number,
                         kernel.stream.ordered);
            }};
  }

  arch::RunOptions options_beside(std::uint64_t kernel, std::uint64_t steps) {
    const Waiting& first = waiting.at(kernel);
    progress_beside = std::make_unique<LaunchProgress>(watchers(), log.process(), first.kernel->name, first.number + 1);
    progress_beside->timing(steps);
    arch::RunOptions run_options;
    run_options.progress = [this](const arch::KernelProgress& at) { progress_beside->look(at); };
    run_options.threads = options.threads;
    run_options.caches = cache_start(options.caches);
    run_options.launch = first.number - before_context;
    run_options.allow_arch_mismatch = true;
    run_options.series = options.series;
    return run_options;
  }

  report::KernelReport report_of(const Waiting& kernel, const trace::BlockSource& source,
                                 const arch::KernelResult& result, std::uint64_t group) const {
    return report_of(*kernel.kernel, source, result, kernel.path, kernel.recorded.beside,
                     path_note(*kernel.kernel, kernel.recorded), group);
  }

  void ended_beside(std::uint64_t name, const trace::BlockSource& source, const arch::KernelResult& result,
                    std::uint64_t group, double seconds) {
    const Waiting kernel = std::move(waiting.extract(name).mapped());
    progress_beside.reset();
    log.kernel(report_of(kernel, source, result, group), seconds);
    log.end();
    log.ran_on(kernel.stream.number, kernel.stream.ordered, {.waited = false, .beside = group != 0});
    clock += result.cycles + config.launch.overhead_cycles;
  }

  Launched run(const emu::Kernel& kernel, const emu::LaunchConfig& launch, std::uint32_t preferred_carveout,
               std::uint64_t number, std::uint64_t in_log, const StreamName& stream,
               const std::function<void()>& settle) {
    LaunchProgress progress(watchers(), log.process(), kernel.name, number + 1);
    const bool save = !options.trace_dir.empty();
    if (!is_live(kernel) && reads(kernel, kTimes)) tell_of_counts(kernel);
    if (!options.timing && !save) {
      emu::RunOptions run_options;
      run_options.progress = [&](std::uint64_t count) { progress.recording(count); };
      const emu::RunResult result = emu::run(kernel, launch, memory, run_options);
      tell_of_beside(kernel, result.beside);
      return {{}, functional_time(result)};
    }

    trace::KernelInfo info = emu::kernel_info(kernel, launch);
    info.preferred_shared_carveout = preferred_carveout;
    const std::string path =
        ((save ? std::filesystem::path(options.trace_dir) : folder) / file_name(log.process(), number, kernel.name))
            .string();
    const auto live = [&]() -> Launched {
      if (settle) settle();
      const Cycle cycles = time_live(kernel, launch, info, path, number, progress);
      clock += cycles + config.launch.overhead_cycles;
      return {{}, time_of(cycles)};
    };
    if (is_live(kernel)) return live();
    const emu::Meeting meeting = !options.timing       ? emu::Meeting::ignored
                                 : may_be_live(kernel) ? emu::Meeting::stops
                                                       : emu::Meeting::told;
    Recorded recorded;
    try {
      recorded = record(kernel, launch, info, path, progress, meeting);
    } catch (const emu::OrderMatters&) {
      return live();
    }
    tell_of_beside(kernel, recorded.result.beside);
    if (!options.timing) return {{}, functional_time(recorded.result)};
    if (settle) {
      const std::uint64_t name =
          streams->add(std::move(recorded.trace), recorded.result.warp_instructions, stream.number);
      waiting.emplace(name, Waiting{&kernel, number, in_log, path, std::move(recorded.result), stream});
      return {name, {}};
    }

    const Cycle cycles = time(kernel, path, recorded, number, progress);
    clock += cycles + config.launch.overhead_cycles;
    return {{}, time_of(cycles)};
  }
};

LiveKernels live_kernels(const std::string& name) {
  if (name == "always") return LiveKernels::all;
  return name == "auto" ? LiveKernels::timed_paths : LiveKernels::none;
}

Launcher::Launcher(const config::GpuConfig& gpu, emu::DeviceMemory& memory, LaunchOptions options)
    : impl_(new Impl{gpu, memory, std::move(options)}) {
  impl_->folder = impl_->options.session_dir.empty()
                      ? std::filesystem::temp_directory_path() / fmt::format("sassim-{}", getpid())
                      : std::filesystem::path(impl_->options.session_dir);
  std::filesystem::create_directories(impl_->folder);
  const LaunchOptions& wishes = impl_->options;
  if (wishes.timing && !wishes.serial && wishes.caches == "keep")
    impl_->streams = std::make_unique<SideBySide>(gpu.clock.sm, impl_->hooks());
}

Launcher::~Launcher() { remove_folder(); }

void Launcher::work_alone() {
  impl_->options.threads = 1;
  if (impl_->gpu) impl_->gpu->rest(true);
}

void Launcher::remove_folder() {
  std::error_code ignored;
  if (impl_->options.session_dir.empty() && impl_->maker == getpid())
    std::filesystem::remove_all(impl_->folder, ignored);
}

void Launcher::written(std::uint64_t address, std::uint64_t bytes, bool from_host) {
  if (!impl_->options.timing) return;
  if (impl_->streams && impl_->streams->in_use())
    impl_->streams->written(address, bytes, from_host);
  else
    impl_->model().written(address, bytes, from_host);
}

KernelDevice* Launcher::device() { return impl_->streams.get(); }

void Launcher::close() {
  if (impl_->streams) impl_->streams->close();
}

void Launcher::renew() {
  impl_->gpu.reset();
  impl_->before_context = impl_->launches;
}

SessionLog& Launcher::log() { return impl_->log; }

Launcher::Launched Launcher::launch(const emu::Kernel& kernel, const emu::LaunchConfig& requested,
                                    std::uint32_t preferred_carveout, const StreamName& stream,
                                    const std::function<void()>& settle) {
  constexpr std::size_t kMostWaiting = 512;  // their traces are files
  Impl& impl = *impl_;
  emu::LaunchConfig launch = requested;
  launch.max_instructions = impl.options.max_instructions;
  launch.strict_memory = impl.options.strict_memory;
  launch.watchdog = impl.options.watchdog;
  const std::uint64_t number = impl.launches++;
  launch.grid_id = number + 1;
  const std::uint64_t in_log = impl.log.begin(kernel.name);
  try {
    if (settle && impl.streams->pending() >= kMostWaiting) settle();
    const Launched launched = impl.run(kernel, launch, preferred_carveout, number, in_log, stream, settle);
    if (!launched.kernel) impl.log.end();
    return launched;
  } catch (const emu::DeviceFault& fault) {
    if (settle) settle();
    impl.log.fault(launch.grid, launch.block, fault);
    impl.log.end();
    throw;
  }
}

}  // namespace sassim::cuda
