// SPDX-License-Identifier: Apache-2.0
// Runs a launch and, when its kernel has ended, the launches that the kernel itself has made (dynamic parallelism).
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/cuda/kernel_call.h"
#include "sim/cuda/process_end.h"
#include "sim/emu/core/builtins.h"
#include "sim/emu/core/memory_check.h"

namespace sassim::cuda {
namespace {

/// Runs the launch and adds it to the simulated time of its stream.
void run_and_book(Session& session, Stream stream, const emu::Kernel& kernel, const emu::LaunchConfig& config,
                  std::uint32_t carveout) {
  Timeline& timeline = session.timeline();
  const StreamState& state = *timeline.find(stream);
  const bool defers = timeline.defers();
  session.host_memory().look();
  const auto settle = defers ? std::function<void()>([&] { session.settle(); }) : std::function<void()>();
  const Launched launched = session.launcher().launch(kernel, config, carveout, {state.number, state.blocking}, settle);
  if (launched.kernel) {
    settle_when_exit_begins();
    return timeline.run_kernel(stream, *launched.kernel);
  }
  timeline.run(stream, launched.duration);
  session.launcher().log().ran_on(state.number, state.blocking,
                                  {timeline.waited_for_device(), defers ? std::optional(false) : std::nullopt});
}

/// The kernels that a kernel launches. They run when it has ended, in the order of the launches, each with all that it
/// launches itself before the next: this respects all streams and events.
class Children : public emu::ChildLaunches {
 public:
  Children(Session& session, const KernelRun& parent) : session_(session), parent_(parent) {}
  ~Children() override {
    for (const auto& [address, child] : prepared_) release(session_, reinterpret_cast<void*>(address));
  }
  Parameters prepare(const emu::ChildLaunch& launch) override {
    constexpr unsigned kMostDepth = 24, kMaxDepthExceeded = 65;  // cudaErrorLaunchMaxDepthExceeded
    const auto error = [](Result result) { return Parameters{0, static_cast<std::uint32_t>(result)}; };
    const emu::Kernel* kernel = kernel_at(launch.function);
    if (!kernel) return error(kInvalidDeviceFunction);
    if (parent_.depth == kMostDepth) return {0, kMaxDepthExceeded};
    if (!legal_shape(dim_of(launch.grid), dim_of(launch.block))) return error(kInvalidConfiguration);
    if (launch.dynamic_shared > dynamic_shared_limit({}, *kernel)) return error(kInvalidValue);
    const auto threads = static_cast<std::uint32_t>(launch.block.count());
    const std::uint32_t blocks = occupancy_of(session_, *kernel, threads, launch.dynamic_shared).blocks;
    if (blocks == 0 || (kernel->max_threads && threads > kernel->max_threads)) return error(kLaunchOutOfResources);
    const std::uint64_t bytes = std::max<std::uint64_t>(kernel->param_bytes, 1);
    const std::uint64_t address = session_.memory().allocate(bytes);
    if (address == 0) return error(kMemoryAllocation);
    if (emu::MemoryCheck* check = emu::MemoryCheck::active()) check->allocated(address, bytes);
    prepared_[address] = {kernel, launch, blocks * session_.gpu().sm.count};
    return {address, 0};
  }

  bool launch(std::uint64_t parameters, bool at_end) override {
    if (!prepared_.contains(parameters)) return false;
    (at_end ? last_ : made_).push_back(parameters);
    return true;
  }

  void run(Stream stream) {
    for (const std::uint64_t parameters : made_) run(stream, parameters);
    for (const std::uint64_t parameters : last_) run(stream, parameters);
  }

 private:
  struct Child {
    const emu::Kernel* kernel = nullptr;
    emu::ChildLaunch launch;
    std::uint32_t resident = 0;
  };
  static Dim dim_of(Dim3 d) { return {d.x, d.y, d.z}; }

  const emu::Kernel* kernel_at(std::uint64_t code_address) const {
    for (const std::string& name : parent_.module.kernel_names())
      if (const emu::Kernel* kernel = parent_.module.find_kernel(name); kernel->code_address == code_address)
        return kernel;
    return nullptr;
  }

  void run(Stream stream, std::uint64_t parameters) {
    const auto found = prepared_.find(parameters);
    if (found == prepared_.end()) return;  // launched twice
    const Child child = found->second;
    const emu::Kernel& kernel = parent_.module.kernel(child.kernel->name);  // with its code
    emu::LaunchConfig config = parent_.config;
    config.grid = child.launch.grid;
    config.block = child.launch.block;
    config.dynamic_shared = child.launch.dynamic_shared;
    config.cluster = kernel.cluster;
    config.cooperative = false;
    config.resident_blocks = child.resident;
    config.params.resize(kernel.param_bytes);
    session_.memory().read(parameters, config.params.data(), config.params.size());
    config.texture_words = texture_words(session_, parent_.binary, kernel);
    prepared_.erase(found);
    release(session_, reinterpret_cast<void*>(parameters));
    run_with_children(session_, stream, kernel,
                      {parent_.module, parent_.binary, config, kNoCarveout, parent_.depth + 1});
  }

  Session& session_;
  const KernelRun& parent_;
  std::map<std::uint64_t, Child> prepared_;  ///< by the address of their parameters
  std::vector<std::uint64_t> made_, last_;   ///< addresses, in the order of the launches
};

}  // namespace

void run_with_children(Session& session, Stream stream, const emu::Kernel& kernel, const KernelRun& run) {
  if (!session.launcher().only_executes()) return run_and_book(session, stream, kernel, run.config, run.carveout);
  Children children(session, run);
  run_and_book(session, stream, kernel, run.config, run.carveout);
  children.run(stream);
}

}  // namespace sassim::cuda
