// SPDX-License-Identifier: Apache-2.0
// Runs kernels functionally: bit-exact results, memory effects, and a record of every executed warp instruction.
//
//   DeviceMemory memory;
//   Module module(cubin_bytes, memory);
//   std::uint64_t a = memory.allocate(4096);
//   LaunchConfig launch{.grid = {8}, .block = {128}, .params = ...};
//   RunResult result = run(module.kernel("vadd"), launch, memory, {.recorder = &recorder});
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/types.h"
#include "sim/emu/core/fault.h"
#include "sim/emu/core/module.h"
#include "sim/emu/core/textures.h"
#include "sim/emu/memory/device_memory.h"
#include "sim/emu/order/order_matters.h"
#include "sim/trace/kernel.h"

namespace sassim::emu {

/// The default of LaunchConfig::watchdog.
inline constexpr std::uint64_t kWatchdog = 20'000;

struct LaunchConfig {
  Dim3 grid, block;
  std::uint32_t dynamic_shared = 0;
  std::vector<std::uint8_t> params = {};  ///< as the kernel's parameter space lays them out
  std::uint32_t stack_bytes = 1024;       ///< per thread (cudaLimitStackSize); at least what the kernel declares
  std::uint64_t heap_bytes = std::uint64_t{8} << 20;  ///< for malloc() in kernels (cudaLimitMallocHeapSize)
  Dim3 cluster{0, 0, 0};                              ///< blocks of a cluster; no blocks: the launch has no clusters
  bool cooperative = false;                           ///< all blocks resident; grid-wide barriers work
  std::uint64_t max_instructions = 0;  ///< limit on warp instructions, 0: none. At the limit: NoProgress with a report
  /// After this many instructions of each resident warp without a change, standstill.h checks whether the warps repeat
  /// themselves forever, which ends the run: NoProgress with a report. 0: no check.
  std::uint64_t watchdog = kWatchdog;
  std::uint32_t resident_blocks = 0;   ///< most blocks that run at the same time; 0: enough for any real GPU
  std::uint64_t grid_id = 0;           ///< the number of this launch among all launches
  const Textures* textures = nullptr;  ///< texture and surface objects that the kernel may use
  /// The values of the conditions that kernels of graphs may set (cudaGraphSetConditional), by handle.
  std::map<std::uint64_t, std::uint32_t>* conditions = nullptr;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> texture_words = {};  ///< of bank 0: offsets, objects
  std::uint32_t sm_count = 1;        ///< SMID of block b is b modulo this, unless a ClockSource answers
  std::uint32_t virtual_config = 0;  ///< the value of SR_VIRTCFG
  bool strict_memory = false;        ///< true: an access outside allocations is a fault, also in a mapped page
};

/// What a kernel can read that depends on time or on where it runs.
enum class TimeKind : std::uint8_t { clock, global_timer, sm_id, warp_id };

struct TimeRead {
  TimeKind kind = TimeKind::clock;
  BlockId block;
  std::uint32_t warp = 0;      ///< in its block
  std::uint64_t ordinal = 0;   ///< reads of any kind that this warp did before
  std::uint64_t executed = 0;  ///< warp instructions that this warp executed before
  std::uint32_t index = 0;     ///< index of the instruction in the kernel's code
};

/// Answers reads of clocks. The default is the warp's own count of executed instructions, also for nanoseconds.
class ClockSource {
 public:
  virtual ~ClockSource() = default;
  virtual std::uint64_t read(const TimeRead&) = 0;
};

/// Sees everything that is executed. Blocks may interleave; a block's steps come between its start and its finish. A
/// launch whose blocks may meet (Meeting) may begin again.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void block_started(BlockId, Dim3 /*ctaid*/) {}
  /// `warp` is the warp's index in its block. The step is valid during the call only.
  virtual void step(BlockId, std::uint32_t warp, const trace::Step&) = 0;
  virtual void block_finished(BlockId) {}
  /// The launch starts again: forget everything received so far.
  virtual void started_again() {}
  /// A recorder for another thread, which passes blocks on to this one in the order of their numbers. Together such
  /// recorders see all blocks of the launch. nullptr: there is none.
  virtual std::unique_ptr<Recorder> apart() { return nullptr; }
  /// Blocks must finish in the plain order.
  virtual bool keeps_order() const { return true; }
};

/// What is done when a block reads what another block of its launch writes: the blocks meet.
enum class Meeting : std::uint8_t {
  ignored,  ///< not detected
  told,     ///< RunResult::blocks_met
  stops,    ///< throws OrderMatters, with memory as it was before
};

struct RunOptions {
  Meeting meeting = Meeting::ignored;
  Recorder* recorder = nullptr;
  ClockSource* clock = nullptr;
  /// What device-side printf writes goes here; standard output when absent.
  std::function<void(const std::string&)> print = {};
  /// Called now and then with the number of warp instructions executed so far.
  std::function<void(std::uint64_t warp_instructions)> progress = {};
  unsigned threads = 1;  ///< that may run blocks whose order changes nothing (run_apart.h)
};

/// Accesses outside allocations but in mapped pages, which a GPU does not report.
struct BesideAccesses {
  std::uint64_t count = 0;  ///< one per thread and access
  std::string first;        ///< the first access: SASS line, block, thread, address
};

struct RunResult {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t time_reads = 0;  ///< reads of clock, timer, SM id and warp id, of all warps
  bool blocks_met = false;       ///< Meeting::told: a block has read what another of the launch writes
  /// The launch left the device's memory as it was, printed nothing, and used nothing else than that memory: until
  /// something changes the memory, the same launch does the same again.
  bool settled = false;
  bool apart = false;  ///< blocks ran at the same time on several threads
  BesideAccesses beside;
};

/// Executes the whole grid in a plain order without time: blocks begin in the order of their numbers, warps take turns
/// of so many instructions, and so do blocks that have not ended after a while. A warp that waits for another warp or
/// block continues after the turn of that warp or block. Throws DeviceFault, NotSupported (an opcode), NoProgress (the
/// budget, or a deadlock) and UsageError (a launch that no GPU would take). Deterministic: the same inputs give the
/// same order of everything.
RunResult run(const Kernel& kernel, const LaunchConfig& launch, DeviceMemory& memory, const RunOptions& options = {});

/// A launch that has been executed, and whose blocks can be executed again, in any order: as long as this exists, what
/// a block reads is as it was before the launch. At the end memory is as the launch has left it. What it was made of
/// must outlive it.
class RepeatableLaunch {
 public:
  virtual ~RepeatableLaunch() = default;
  virtual const RunResult& result() const = 0;
  /// Warp instructions of a block.
  virtual std::uint64_t instructions(BlockId) const = 0;
  /// Executes the blocks from `begin` to before `end` once more, each as the first time, on the threads of the launch.
  /// `recorder` must have recorders for other threads. Throws std::logic_error if a block does something else.
  virtual void repeat(BlockId begin, BlockId end, Recorder& recorder) = 0;
};

/// Executes a launch as run() does, without a recorder. nullptr: nothing has happened, and run() must execute it,
/// because the order of its blocks may matter or could not be judged (run_apart.h).
std::unique_ptr<RepeatableLaunch> run_repeatable(const Kernel& kernel, const LaunchConfig& launch, DeviceMemory& memory,
                                                 const RunOptions& options);

/// From the code alone: what the launch does depends on which warps are ahead of others, because it has
/// compare-and-swap or exchange, or uses the results of atomic operations in global memory.
bool order_matters(const Kernel& kernel);
/// From the code alone: how often warps check barriers in shared memory depends on time.
bool waits_in_loops(const Kernel& kernel);

/// What a recorder needs to describe this launch.
trace::KernelInfo kernel_info(const Kernel& kernel, const LaunchConfig& launch);

}  // namespace sassim::emu
