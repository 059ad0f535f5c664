// SPDX-License-Identifier: Apache-2.0
// Kernels for tests, written as SASS: assembled text, loops with known trip counts, addresses by a function.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/isa/assembly.h"
#include "sim/isa/opcode.h"
#include "sim/trace/kernel.h"
#include "sim/trace/memory_trace.h"

namespace sassim::arch::test {

/// A detail with one value.
inline trace::Detail detail_of(trace::DetailKind kind, std::uint32_t value) {
  trace::Detail detail;
  detail.set(kind, value);
  return detail;
}
inline trace::Detail detail_of(trace::PhaseTest test) {
  return detail_of(trace::DetailKind::phase_test, trace::Detail::phase_bits(test));
}
inline trace::Detail detail_of(trace::BlockBarrier barrier) {
  trace::Detail detail;
  detail.set(barrier);
  return detail;
}

class SassKernel {
 public:
  /// Labels in `text` are known by name to the calls below. One thread block of one warp unless told otherwise.
  explicit SassKernel(std::string_view text, int sm = 70);

  SassKernel& warps(std::uint32_t count);
  SassKernel& blocks(std::uint32_t count);
  SassKernel& registers(std::uint32_t count);
  SassKernel& shared(std::uint32_t bytes);
  /// The backward branch to `label` makes the body run `trips` times, each time it is reached.
  SassKernel& loop(const std::string& label, std::uint64_t trips);
  /// Only the warps for which `enter` names a label run from there; "" means: from the top.
  SassKernel& entry(std::function<std::string(std::uint32_t warp)> enter);
  /// The same for kernels whose blocks differ.
  SassKernel& entry_by_block(std::function<std::string(std::uint64_t block, std::uint32_t warp)> enter);
  /// Byte address of a lane in a memory instruction's n-th execution. Default: 4 bytes per lane from 0x10000000
  /// (global) or 0 (shared); an LDC reads bank << 32 | offset, by default what its operand says.
  using Address =
      std::function<std::uint64_t(std::uint32_t warp, std::uint32_t line, std::uint64_t execution, int lane)>;
  SassKernel& addresses(Address address);
  /// The same for kernels whose blocks differ: also told the block. Streams are then made block by block, when asked
  /// for.
  using BlockAddress = std::function<std::uint64_t(std::uint64_t block, std::uint32_t warp, std::uint32_t line,
                                                   std::uint64_t execution, int lane)>;
  SassKernel& addresses_by_block(BlockAddress address);
  /// What the trace says of an instruction beside its addresses.
  SassKernel& details(std::function<trace::Detail(std::uint32_t warp, std::uint32_t line)> detail);
  /// Lanes of every instruction of a warp.
  SassKernel& active(std::function<LaneMask(std::uint32_t warp)> mask);
  /// Lanes by line, of all warps.
  SassKernel& active_at(std::function<LaneMask(std::uint32_t line)> mask);
  /// What every warp executes, line by line, instead of following the code: for instructions without addresses.
  SassKernel& path(std::vector<std::pair<std::uint32_t, LaneMask>> steps);
  trace::KernelInfo& info() { return kernel_; }

  /// The line of a label, or of the n-th instruction with this opcode.
  std::uint32_t line_of(const std::string& label) const;
  /// The kernel must outlive it.
  std::unique_ptr<trace::BlockSource> source() const;

 private:
  std::shared_ptr<const trace::WarpStream> stream(std::uint64_t block, std::uint32_t warp) const;
  std::shared_ptr<const trace::BlockTrace> block(BlockId id) const;

  trace::KernelInfo kernel_;
  std::vector<isa::Decoded> decoded_;
  std::map<std::string, std::uint32_t> labels_;
  std::map<std::uint32_t, std::uint64_t> trips_;  ///< by the line that the branch goes to
  std::function<std::string(std::uint32_t)> entry_;
  std::function<std::string(std::uint64_t, std::uint32_t)> block_entry_;
  std::function<LaneMask(std::uint32_t)> active_, active_at_;
  std::vector<std::pair<std::uint32_t, LaneMask>> path_;
  std::function<trace::Detail(std::uint32_t, std::uint32_t)> detail_;
  Address address_;
  BlockAddress block_address_;
};

}  // namespace sassim::arch::test
