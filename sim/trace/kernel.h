// SPDX-License-Identifier: Apache-2.0
// A kernel trace in memory: the static code, and for each thread block the executed steps of its warps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/types.h"
#include "sim/isa/architecture.h"
#include "sim/isa/instruction.h"
#include "sim/trace/live.h"
#include "sim/trace/step.h"
#include "sim/trace/stream.h"
#include "sim/trace/stream_builder.h"

namespace sassim::trace {

struct ConstantBank {
  std::uint8_t bank = 0;
  std::vector<std::uint8_t> bytes;
};

/// The parameters of a kernel launch.
struct KernelInfo {
  std::string name;
  int sm = 70;                      ///< of the table of architectures
  std::uint32_t registers = 0;      ///< per thread, as the launch allocates them
  std::uint32_t static_shared = 0;  ///< bytes per block
  std::uint32_t dynamic_shared = 0;
  std::uint32_t local_bytes = 0;  ///< per thread
  std::uint32_t barriers = 1;
  Dim3 grid, block;
  std::uint64_t code_address = 0;      ///< address of the code in device memory, for instruction caches
  std::uint64_t constant_address = 0;  ///< address of constant bank 0; bank b is at + b * 64 KiB, for constant caches
  std::uint32_t preferred_shared_carveout = 0xffffffff;  ///< bytes; all ones: the driver's choice
  bool has_encodings = true;           ///< false: no control bits, so that only scoreboard mode is possible
  std::vector<isa::Instruction> code;  ///< code[i].pc == layout().pc(i)
  std::vector<ConstantBank> constants;
  std::string made_on;  ///< name and hash of the configuration whose timing determined the warps' paths; empty: none

  std::uint32_t warps_per_block() const { return static_cast<std::uint32_t>((block.count() + 31) / 32); }
  std::uint32_t shared_bytes() const { return static_shared + dynamic_shared; }
  isa::CodeLayout layout() const { return isa::architecture(sm).code; }
  std::uint64_t code_bytes() const { return layout().bytes(code.size()); }
};

struct BlockTrace {
  Dim3 id{0, 0, 0};
  std::vector<std::shared_ptr<const WarpStream>> warps;
  std::shared_ptr<BlockProgram> live;  ///< if set, it executes the warps, and their streams are null
};

/// Provides blocks to the block scheduler, which asks for each once and roughly in order.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual const KernelInfo& kernel() const = 0;
  /// The number of blocks: the whole grid, or fewer if the trace is a slice of it.
  virtual std::uint64_t block_count() const { return kernel().grid.count(); }
  /// The n-th of block_count() blocks; BlockTrace::id is its place in the grid. Safe to call from several threads.
  virtual std::shared_ptr<const BlockTrace> block(BlockId) = 0;
  /// True if block() decodes or makes the block, always the same: threads may share this work, in any order and ahead.
  virtual bool decodes() const { return false; }
  /// The warp instructions of the n-th block, if it is recorded.
  virtual std::uint64_t steps(BlockId id) {
    const std::shared_ptr<const BlockTrace> recorded = block(id);
    std::uint64_t all = 0;
    for (const auto& warp : recorded->warps) all += warp->steps();
    return all;
  }
  /// The memory that live blocks read and write; nullptr: all blocks are recorded.
  virtual const LiveMemory* live_memory() const { return nullptr; }
  /// A hash of the whole trace in hexadecimal, which identifies it in results.
  virtual std::string hash() const = 0;
};

/// The place in the grid of the block with this linear index.
inline Dim3 block_position(const Dim3& grid, std::uint64_t linear) {
  return {static_cast<std::uint32_t>(linear % grid.x), static_cast<std::uint32_t>(linear / grid.x % grid.y),
          static_cast<std::uint32_t>(linear / grid.x / grid.y)};
}
inline std::uint64_t block_index(const Dim3& grid, const Dim3& at) {
  return at.x + std::uint64_t{grid.x} * (at.y + std::uint64_t{grid.y} * at.z);
}

}  // namespace sassim::trace
