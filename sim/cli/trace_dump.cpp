// SPDX-License-Identifier: Apache-2.0
// sassim trace dump: prints the steps that the warps of a trace executed, or the code of its kernels
#include <optional>

#include "sim/base/printable.h"
#include "sim/cli/standard_streams.h"
#include "sim/cli/trace_actions.h"
#include "sim/cli/trace_choice.h"
#include "sim/isa/assembly.h"

namespace sassim::cli {
namespace {

constexpr const char* space_name(isa::Space space) {
  constexpr const char* kNames[] = {"", "global", "local", "shared", "constant", "generic", "texture"};
  return kNames[static_cast<std::size_t>(space)];
}

std::string instruction_text(const trace::KernelInfo& kernel, std::uint32_t index) {
  const isa::Instruction& i = kernel.code[index];
  const std::string control = kernel.has_encodings ? isa::control_text(i.control) + "  " : std::string();
  return fmt::format("{:06x}  {}{}", i.pc, control, i.text());
}

/// The distance between addresses of neighbouring lanes, if it is the same for all lanes and there are two or more.
std::optional<std::int64_t> stride_of(const trace::Step& step, int first) {
  std::optional<std::int64_t> stride;
  for (int lane = first + 1; lane < kWarpSize; ++lane) {
    if (!step.lanes.test(lane)) continue;
    const auto distance = static_cast<std::int64_t>(step.addresses[lane] - step.addresses[first]);
    if (!stride) stride = distance / (lane - first);
    if (*stride * (lane - first) != distance) return std::nullopt;
  }
  return stride;
}

/// "global 0x7f0000000000 +4 a lane", or all addresses if there is no stride; then the step's detail.
std::string addresses_text(const trace::Step& step) {
  std::string text = fmt::format("  {}", space_name(step.space));
  if (step.lanes != step.active) text += fmt::format(" lanes {:08x}", step.lanes.bits);
  if (!step.detail.none()) text += fmt::format(" [{}]", trace::detail_text(step.detail, step.lanes));
  if (!step.has_addresses || step.lanes.none()) return text;
  int lane = 0;
  while (!step.lanes.test(lane)) ++lane;
  if (const auto stride = stride_of(step, lane))
    return text + fmt::format(" {:#x} {:+} a lane", step.addresses[lane], *stride);
  for (; lane < kWarpSize; ++lane)
    if (step.lanes.test(lane)) text += fmt::format(" {:#x}", step.addresses[lane]);
  return text;
}

class Dump {
 public:
  Dump(const TraceDumpOptions& options, const IndexRanges& blocks)
      : options_(options), blocks_(blocks), left_(options.limit) {}

  void kernel(const ChosenKernel& chosen) {
    const trace::KernelInfo& info = chosen.source->kernel();
    show("kernel {}: {} (sm_{}, grid {} x {} x {}, block {} x {} x {})\n", chosen.index, printable(info.name), info.sm,
         info.grid.x, info.grid.y, info.grid.z, info.block.x, info.block.y, info.block.z);
    if (options_.code) {
      for (std::uint32_t i = 0; i < info.code.size(); ++i) show("  {}\n", printable(instruction_text(info, i)));
      return;
    }
    for (std::uint64_t i = 0; i < chosen.source->block_count() && left_ > 0; ++i) {
      const auto block = chosen.source->block(BlockId(i));
      const std::uint64_t linear = trace::block_index(info.grid, block->id);
      if (!blocks_.contains(linear)) continue;
      found_ = true;
      warps(info, *block, linear);
    }
  }

  bool cut() const { return left_ == 0; }
  bool found() const { return found_; }

 private:
  void warps(const trace::KernelInfo& info, const trace::BlockTrace& block, std::uint64_t linear) {
    for (std::uint32_t w = 0; w < block.warps.size() && left_ > 0; ++w) {
      if (options_.warp && *options_.warp != w) continue;
      show("block {} ({},{},{}) warp {}: {} steps\n", linear, block.id.x, block.id.y, block.id.z, w,
           block.warps[w]->steps());
      auto cursor = block.warps[w]->cursor();
      trace::Step step;
      for (; left_ > 0 && cursor.next(step); --left_) {
        const bool memory = step.has_addresses || step.lanes != step.active || !step.detail.none();
        show("  {:08x}  {}{}\n", step.active.bits, printable(instruction_text(info, step.index)),
             memory ? addresses_text(step) : std::string());
      }
    }
  }

  const TraceDumpOptions& options_;
  const IndexRanges& blocks_;
  std::uint64_t left_;
  bool found_ = false;  ///< a requested block has been found
};

}  // namespace

ExitStatus trace_dump(const TraceDumpOptions& options) {
  const IndexRanges blocks(options.blocks);
  const auto kernels = choose_kernels(options.trace, options.kernels);
  check_blocks(blocks, "--block", options.blocks, kernels);
  if (options.warp) check_warp(*options.warp, kernels);
  Dump dump(options, blocks);
  for (const auto& chosen : kernels) dump.kernel(chosen);
  if (!dump.found() && !dump.cut() && !options.code)
    throw UsageError("--blocks {}: {} holds a part of the grid without these blocks", options.blocks, options.trace);
  if (dump.cut() && !options.code) show("... (--limit {} reached)\n", options.limit);
  return ExitStatus::done;
}

}  // namespace sassim::cli
