// SPDX-License-Identifier: Apache-2.0
// Runs kernels functionally: bit-exact results, memory effects, and a view of every executed warp instruction.
//
//   DeviceMemory memory;
//   Module module(cubin_bytes, memory);
//   std::uint64_t a = memory.allocate(4096);
//   LaunchConfig launch{.grid = {8}, .block = {128}, .params = ...};
//   RunResult result = run(module.kernel("vadd"), launch, memory, {.recorder = &recorder});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/nap.h"
#include "sim/base/types.h"
#include "sim/emu/core/device_memory.h"
#include "sim/emu/core/fault.h"
#include "sim/emu/core/module.h"
#include "sim/emu/core/textures.h"
#include "sim/trace/kernel.h"

namespace sassim::emu {

/// When blocks of an SM begin after each other, in cycles, where blocks compete.
struct BlockStarts {
  std::uint64_t block = 24, block_warp = 3;  ///< first blocks: at least, and for each of a block's warps
  std::uint64_t warp = 2;                    ///< from one warp of a block to the next
  std::uint64_t replacement = 300;           ///< from a block's end to the start of the next
};

struct LaunchConfig {
  Dim3 grid, block;
  std::uint32_t dynamic_shared = 0;
  std::vector<std::uint8_t> params = {};  ///< as the kernel's parameter space lays them out
  std::uint32_t stack_bytes = 1024;       ///< per thread (cudaLimitStackSize); grows to what the kernel declares
  std::uint64_t heap_bytes = std::uint64_t{8} << 20;  ///< for malloc() in kernels (cudaLimitMallocHeapSize)
  bool cooperative = false;                           ///< all blocks resident; grid-wide barriers work
  std::uint64_t max_instructions = 0;  ///< warp instructions; 0: no limit. Beyond it: NoProgress with a report
  std::uint32_t resident_blocks = 0;   ///< how many blocks run interleaved; 0: enough for any real GPU
  std::uint64_t grid_id = 0;           ///< of this launch, among all
  std::vector<bool> upper_half = {};   ///< by SM, on a chip with two halves: which it is at
  const Textures* textures = nullptr;  ///< objects that the kernel may have been given
  std::vector<std::pair<std::uint32_t, std::uint32_t>> texture_words = {};  ///< of bank 0: offsets, objects
  std::uint32_t sm_count = 1;  ///< SMID of block b is b modulo this, until a ClockSource says better
  BlockStarts starts = {};
  ShortSleep short_sleep = {};
  std::uint32_t virtual_config = 0;  ///< what SR_VIRTCFG holds
  bool strict_memory = false;        ///< an access beside an allocation is a fault, also in a mapped page
};

/// What a kernel can read that depends on time or place.
enum class TimeKind : std::uint8_t { clock, global_timer, sm_id, warp_id };

struct TimeRead {
  TimeKind kind = TimeKind::clock;
  BlockId block;
  std::uint32_t warp = 0;      ///< in its block
  std::uint64_t ordinal = 0;   ///< how many reads of any kind this warp did before
  std::uint64_t executed = 0;  ///< warp instructions that this warp executed before
  std::uint32_t index = 0;     ///< into the kernel's code
};

/// Where clock values come from. By default a warp's own count of executed instructions, nanoseconds alike.
class ClockSource {
 public:
  virtual ~ClockSource() = default;
  virtual std::uint64_t read(const TimeRead&) = 0;
  /// What was read does not count: the launch begins again.
  virtual void started_again() {}
};

/// Sees everything that is executed. Blocks may interleave; a block's steps come between its start and its finish. A
/// launch whose blocks turn out to see what others write begins again.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void block_started(BlockId, Dim3 /*ctaid*/) {}
  /// `warp` is the warp's index in its block. The step is valid during the call only.
  virtual void step(BlockId, std::uint32_t warp, const trace::Step&) = 0;
  virtual void block_finished(BlockId) {}
  /// All that was seen does not count: the launch begins again.
  virtual void started_again() {}
};

/// Blocks of a launch see what others of it write: what they do depends on when they do it.
struct OrderMatters {};

struct RunOptions {
  bool only_in_any_order = false;  ///< throws OrderMatters, with memory as it was before, instead of beginning again
  Recorder* recorder = nullptr;
  ClockSource* clock = nullptr;
  bool hash_paths = false;  ///< fills RunResult::path_hashes
  /// What device-side printf writes goes here; standard output when absent.
  std::function<void(const std::string&)> print = {};
  /// Told now and then how many warp instructions were executed so far.
  std::function<void(std::uint64_t warp_instructions)> progress = {};
};

/// What threads did beside allocations, in mapped pages: a GPU says nothing of it.
struct BesideAccesses {
  std::uint64_t count = 0;  ///< of single threads
  std::string first;        ///< where it was: SASS line, block, thread, address
};

struct RunResult {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t time_reads = 0;            ///< clock, timer, SM and warp number reads by all warps
  std::vector<std::uint64_t> path_hashes;  ///< per block and warp: which instructions ran with which masks
  BesideAccesses beside;
};

/// Executes the whole grid. Throws DeviceFault, NotSupported (an opcode), NoProgress (the budget, or a deadlock) and
/// UsageError (a launch that no GPU would take). Deterministic: the same inputs give the same order of everything.
RunResult run(const Kernel& kernel, const LaunchConfig& launch, DeviceMemory& memory, const RunOptions& options = {});

/// From the code alone: what the launch does depends on which warps are ahead of others.
bool order_matters(const Kernel& kernel);

/// What a recorder needs to describe this launch.
trace::KernelInfo kernel_info(const Kernel& kernel, const LaunchConfig& launch);

/// A kernel whose warps took other paths with other clock values cannot be annotated: the message, or empty when all is
/// well.
std::string clock_dependence(const Kernel& kernel, const LaunchConfig& launch, const RunResult& before,
                             const RunResult& after);

}  // namespace sassim::emu
