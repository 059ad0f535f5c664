// SPDX-License-Identifier: Apache-2.0
// A kernel trace in memory: static code, and per thread block the dynamic streams of its warps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/types.h"
#include "sim/isa/instruction.h"

namespace sassim::trace {

struct ConstantBank {
  std::uint8_t bank = 0;
  std::vector<std::uint8_t> bytes;
};

/// What a kernel launch is, before any of it runs.
struct KernelInfo {
  std::string name;
  int sm = 70;                         ///< 70, 75, 80, 86, 90
  std::uint32_t registers = 0;         ///< per thread, as the launch allocates them
  std::uint32_t static_shared = 0;     ///< bytes per block
  std::uint32_t dynamic_shared = 0;
  std::uint32_t local_bytes = 0;       ///< per thread
  std::uint32_t barriers = 1;
  Dim3 grid, block;
  std::uint64_t code_address = 0;      ///< where the code lies in device memory (instruction caches)
  std::uint64_t constant_address = 0;  ///< where constant bank 0 lies; bank b at + b * 64 KiB (constant caches)
  std::uint32_t preferred_shared_carveout = 0xffffffff;  ///< bytes; all ones: the driver's choice
  bool has_encodings = true;           ///< false: control bits are unknown, scoreboard mode only
  std::vector<isa::Instruction> code;  ///< code[i].pc == 16 * i
  std::vector<ConstantBank> constants;

  std::uint32_t warps_per_block() const { return static_cast<std::uint32_t>((block.count() + 31) / 32); }
  std::uint32_t shared_bytes() const { return static_shared + dynamic_shared; }
};

/// One executed warp instruction. The addresses are of the lanes in `lanes` only; the others hold zero.
struct Step {
  std::uint32_t index = 0;  ///< into KernelInfo::code
  LaneMask active;          ///< threads that are converged here
  LaneMask lanes;           ///< memory instructions: active threads whose guard is true; else == active
  bool has_addresses = false;
  /// Byte addresses in the instruction's space: shared 0-based in the block's window; local per-thread offsets 0-based;
  /// constant = bank << 32 | offset; global and generic virtual addresses. A generic access to a shared or local window
  /// is recorded with its window stripped, and `space` says which it was.
  std::array<std::uint64_t, 32> addresses{};
  std::uint8_t space = 0;   ///< isa::Space of the access after generic resolution
};

/// A warp's stream, stored compactly. Cursors decode it step by step, so memory stays near the file's size.
class WarpStream {
 public:
  virtual ~WarpStream() = default;
  class Cursor {
   public:
    virtual ~Cursor() = default;
    /// Fills `step` and returns true, or returns false at the end. Throws InputError on damaged data.
    virtual bool next(Step& step) = 0;
  };
  virtual std::unique_ptr<Cursor> cursor() const = 0;
  virtual std::uint64_t steps() const = 0;
};

struct BlockTrace {
  Dim3 id{0, 0, 0};
  std::vector<std::shared_ptr<const WarpStream>> warps;
};

/// Where the block scheduler gets its blocks from. Blocks are asked for once, roughly in order.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual const KernelInfo& kernel() const = 0;
  virtual std::uint64_t block_count() const { return kernel().grid.count(); }
  virtual std::shared_ptr<const BlockTrace> block(BlockId) = 0;
  /// A hash of everything the trace holds, in hexadecimal: names the trace in results.
  virtual std::string hash() const = 0;
};

/// A recorder's view: steps appended in execution order, sealed into a compact stream.
class WarpStreamBuilder {
 public:
  virtual ~WarpStreamBuilder() = default;
  virtual void append(const Step&) = 0;
  virtual std::shared_ptr<const WarpStream> finish() = 0;
  static std::unique_ptr<WarpStreamBuilder> make(const KernelInfo&);
};

}  // namespace sassim::trace
