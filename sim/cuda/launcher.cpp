// SPDX-License-Identifier: Apache-2.0
// Chooses how each kernel launch runs: functional, live, replay or side by side.
#include "sim/cuda/launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <utility>

#include "sim/base/demangle.h"
#include "sim/cuda/launch_device.h"
#include "sim/cuda/launch_modes.h"
#include "sim/cuda/side_by_side_mode.h"
#include "sim/emu/core/memory_check.h"
#include "sim/emu/core/recording.h"

namespace sassim::cuda {

namespace {

/// The name of a trace: NNNN-kernel.sast in the first process, on its device 0; otherwise the process comes first
/// (session_log.h).
std::string file_name(const std::string& process, std::uint64_t number, const std::string& kernel) {
  constexpr std::size_t kLongest = 80;
  std::string name;
  for (char c : kernel.substr(0, kLongest)) name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  return fmt::format("{}{:04}-{}.sast", process == "1" ? "" : fmt::format("p{}-", process), number, name);
}

}  // namespace

struct Launcher::Impl {
  Impl(const config::GpuConfig& config, emu::DeviceMemory& memory, LaunchOptions options)
      : device(config, memory, std::move(options)), functional(device), live(device), replay(device) {
    const LaunchOptions& wishes = device.options;
    if (wishes.timing && !wishes.serial && wishes.caches == "keep")
      side_by_side = std::make_unique<SideBySideMode>(device);
    folder = wishes.session_dir.empty() ? std::filesystem::temp_directory_path() / fmt::format("sassim-{}", getpid())
                                        : std::filesystem::path(wishes.session_dir);
    std::filesystem::create_directories(folder);
    if (wishes.timed) choice.emplace(*wishes.timed);
  }

  bool is_timed(const emu::Kernel& kernel) {
    return device.options.timing && (!choice || (choice->matches(demangled(kernel.name)) && choice->take()));
  }

  LaunchMode& mode_for(const DeviceLaunch& request) {
    if (!request.timed) return functional;
    device.memory.changed();
    if (device.is_live(request.kernel)) return live;
    if (request.settle) return *side_by_side;
    return replay;
  }

  /// Where blocks see what others write, a launch that was not live has begun in vain.
  Launched run(const DeviceLaunch& request) {
    LaunchProgress progress(device.watchers(), device.log.process(), request.kernel.name, request.number + 1);
    const bool is_live = request.timed && device.is_live(request.kernel);
    if (!is_live && reads_clock(request.kernel)) device.report_counts(request.kernel);
    try {
      return mode_for(request).run(request, progress);
    } catch (const emu::OrderMatters&) {
      return live.run(request, progress);
    }
  }

  std::string trace_path(const emu::Kernel& kernel, std::uint64_t number) const {
    const std::filesystem::path where =
        device.saves_traces() ? std::filesystem::path(device.options.trace_dir) : folder;
    return (where / file_name(device.log.process(), number, kernel.name)).string();
  }

  LaunchDevice device;
  FunctionalMode functional;
  LiveMode live;
  ReplayMode replay;
  std::unique_ptr<SideBySideMode> side_by_side{};  ///< nullptr: kernels always run one at a time
  pid_t maker = getpid();                          ///< a process that this one forks must not remove its folder
  std::filesystem::path folder{};                  ///< for traces that the user does not keep
  std::uint64_t launches = 0;
  std::optional<LaunchChoice> choice{};  ///< of the launches that are timed; absent: all are
};

Launcher::Launcher(const config::GpuConfig& gpu, emu::DeviceMemory& memory, LaunchOptions options)
    : impl_(std::make_unique<Impl>(gpu, memory, std::move(options))) {}

Launcher::~Launcher() { remove_folder(); }

void Launcher::work_alone() {
  impl_->device.options.threads = 1;
  if (impl_->device.gpu) impl_->device.gpu->rest(true);
}

void Launcher::remove_folder() {
  std::error_code ignored;
  if (impl_->device.options.session_dir.empty() && impl_->maker == getpid())
    std::filesystem::remove_all(impl_->folder, ignored);
}

void Launcher::written(std::uint64_t address, std::uint64_t bytes, bool from_host) {
  if (emu::MemoryCheck* check = emu::MemoryCheck::active()) check->written(address, bytes);
  if (!impl_->device.options.timing) return;
  if (impl_->side_by_side && impl_->side_by_side->kernels().in_use())
    impl_->side_by_side->kernels().written(address, bytes, from_host);
  else
    impl_->device.model().written(address, bytes, from_host);
}

KernelDevice* Launcher::device() { return impl_->side_by_side ? &impl_->side_by_side->kernels() : nullptr; }

void Launcher::close() {
  if (impl_->side_by_side) impl_->side_by_side->kernels().close();
}

void Launcher::renew() {
  if (emu::MemoryCheck* check = emu::MemoryCheck::active()) check->reset();
  impl_->device.gpu.reset();
  if (impl_->device.strata) impl_->device.strata->renewed();
  impl_->device.before_context = impl_->launches;
}

bool Launcher::only_executes() const {
  return !impl_->device.options.timing && impl_->device.options.trace_dir.empty();
}

SessionLog& Launcher::log() { return impl_->device.log; }

Launched Launcher::launch(const emu::Kernel& kernel, const emu::LaunchConfig& requested,
                          std::uint32_t preferred_carveout, const StreamName& stream,
                          const std::function<void()>& settle) {
  Impl& impl = *impl_;
  const LaunchOptions& options = impl.device.options;
  emu::LaunchConfig launch = requested;
  launch.max_instructions = options.max_instructions;
  launch.strict_memory = options.strict_memory;
  launch.watchdog = options.watchdog;
  const std::uint64_t number = impl.launches++;
  launch.grid_id = number + 1;
  SessionLog& log = impl.device.log;
  const std::uint64_t in_log = log.begin(kernel.name);
  try {
    if (settle) impl.side_by_side->make_room(settle);
    DeviceLaunch request{kernel, launch, {}, {}, number, in_log, impl.is_timed(kernel), stream, settle};
    if (options.timing && !request.timed) log.untimed();
    if (request.timed || impl.device.saves_traces()) {
      request.info = emu::kernel_info(kernel, launch);
      request.info.preferred_shared_carveout = preferred_carveout;
      request.path = impl.trace_path(kernel, number);
    }
    const Launched launched = impl.run(request);
    if (!launched.kernel) log.end();
    return launched;
  } catch (const emu::DeviceFault& fault) {
    if (settle) settle();
    log.fault(launch.grid, launch.block, fault);
    log.end();
    throw;
  }
}

}  // namespace sassim::cuda
