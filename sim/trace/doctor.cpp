// SPDX-License-Identifier: Apache-2.0
// Walks a trace for `sassim trace lint`: masks, addresses, exits, opcodes and dependences of each step.
#include "sim/trace/doctor.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "sim/base/error.h"
#include "sim/isa/architecture.h"
#include "sim/isa/code_rules.h"
#include "sim/trace/block_codec.h"
#include "sim/trace/dependence_check.h"
#include "sim/trace/memory_ops.h"

namespace sassim::trace {
namespace {

/// CUDA's virtual addresses have 49 bits, a constant bank has 64 KiB.
constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 49;
constexpr std::uint64_t kConstantEnd = std::uint64_t{1} << 16;

class Doctor {
 public:
  Doctor(BlockSource& source, const LintOptions& options)
      : source_(source), kernel_(source.kernel()), options_(options), left_(options.max_steps) {
    decode_code();
    dependence_ =
        std::make_unique<DependenceCheck>(kernel_.code, decoded_, latencies_, isa::architecture(kernel_.sm).set,
                                          [this](const auto& close) { report_dependence(close); });
  }

  LintResult run() {
    if (options_.arch && *options_.arch != kernel_.sm)
      add(Check::architecture, {}, 0,
          fmt::format("the trace is for sm_{}, the configuration for sm_{}", kernel_.sm, *options_.arch));
    const std::uint64_t count = std::min(options_.blocks, source_.block_count());
    for (std::uint64_t b = 0; b < count && complete_; ++b) {
      const auto block = source_.block(BlockId(b));
      block_ = block_index(kernel_.grid, block->id);
      for (warp_ = 0; warp_ < block->warps.size() && complete_; ++warp_) check_warp(*block->warps[warp_]);
    }
    LintResult result;
    for (auto& [key, finding] : findings_) result.findings.push_back(std::move(finding));
    result.complete = complete_;
    return result;
  }

 private:
  void decode_code() {
    for (const isa::Instruction& instruction : kernel_.code) {
      const isa::OpcodeRow* row = isa::find_opcode(instruction.opcode, isa::architecture(kernel_.sm).set);
      decoded_.push_back(row ? isa::decode(instruction, kernel_.sm) : isa::Decoded{});
      if (!row)
        add(Check::unknown_opcode, instruction.pc, 0,
            fmt::format("'{}' is not in the opcode table", instruction.opcode.empty() ? "" : instruction.text()));
      const isa::Decoded& decoded = decoded_.back();
      const bool timed = options_.latency && row && decoded.latency == isa::Latency::fixed;
      latencies_.push_back(timed ? options_.latency(decoded) : 0);
    }
  }

  void check_warp(const WarpStream& warp) {
    const std::uint64_t left = kernel_.block.count() - std::uint64_t{warp_} * kWarpSize;
    const LaneMask threads = left >= kWarpSize ? LaneMask::all() : LaneMask((1u << left) - 1);
    // Warps with the same body took the same path: dependences are checked once.
    const bool new_path = options_.latency && kernel_.has_encodings &&
                          isa::code_rules(isa::architecture(kernel_.sm)).counters && warp.body() &&
                          paths_.insert(TraceHash::of(warp.body()->bytes())).second;
    if (new_path) dependence_->start_warp();
    LaneMask at_exit;  // threads whose last instruction was an EXIT
    LaneMask gone;     // threads that reached an EXIT without a guard
    Cursor cursor = warp.cursor();
    Step step;
    for (step_ = 0; cursor.next(step); ++step_) {
      if (left_ == 0) {  // the rest of the warp is not examined
        complete_ = false;
        return;
      }
      --left_;
      check_masks(step, threads, gone);
      const bool exits = decoded_[step.index].flow == isa::ControlFlow::exit;
      // A guarded EXIT may be recorded with all active threads as lanes: threads that continue had a false guard.
      if (exits && kernel_.code[step.index].guard.always() && kernel_.has_encodings) gone = gone | step.lanes;
      at_exit = exits ? at_exit | step.lanes : at_exit & ~step.active;
      if (step.has_addresses) check_addresses(step);
      if (!step.detail.none()) check_detail(step);
      if (!step.has_addresses && !step.lanes.none()) check_missing(step);
      if (new_path) dependence_->step(step);
    }
    if (at_exit != threads)
      add(Check::truncated_warp, {}, 0,
          fmt::format("threads {:#010x} of {:#010x} did not reach EXIT", (threads & ~at_exit).bits, threads.bits));
  }

  void check_masks(const Step& step, LaneMask threads, LaneMask gone) {
    const std::uint32_t pc = pc_of(step);
    // Other tools record the threads whose guard was true, which may be none.
    const bool guarded = !kernel_.has_encodings || !kernel_.code[step.index].guard.always();
    if (step.active.none() && !guarded) add(Check::mask, pc, 0, "no thread is active");
    if (!(step.active & ~threads).none())
      add(Check::mask, pc, 1,
          fmt::format("active threads {:#010x}, but the warp has {:#010x}", step.active.bits, threads.bits));
    if (!(step.lanes & ~step.active).none())
      add(Check::mask, pc, 2,
          fmt::format("lanes {:#010x} of active threads {:#010x}", step.lanes.bits, step.active.bits));
    if (!(step.active & gone).none())
      add(Check::mask, pc, 3, fmt::format("threads {:#010x} continue after EXIT", (step.active & gone).bits));
  }

  std::uint32_t pc_of(const Step& step) const { return kernel_.code[step.index].pc; }

  void check_missing(const Step& step) {
    const isa::Space space = decoded_[step.index].space;
    const isa::OpClass op = decoded_[step.index].op;
    if (space != isa::Space::none && accesses_memory(op))
      add(Check::address, pc_of(step), 0, "a memory access has no addresses");
  }

  void check_addresses(const Step& step) {
    const std::uint32_t pc = pc_of(step);
    const std::uint64_t bytes = std::max<std::uint64_t>(1, decoded_[step.index].access_bytes);
    const std::uint64_t end = end_of(step.space);
    const isa::Decoded& decoded = decoded_[step.index];
    const bool indexed = !decoded.constants.empty() && decoded.constants.front().indexed;
    if (decoded.space == isa::Space::none && !indexed)
      add(Check::address, pc, 1, "not a memory instruction, but has addresses");
    for (std::uint32_t left = step.lanes.bits; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const bool constant = step.space == isa::Space::constant;  // the upper half is the bank
      const std::uint64_t address = constant ? step.addresses[lane] & 0xffffffffu : step.addresses[lane];
      if (address % bytes != 0)
        return add(
            Check::address, pc, 2,
            fmt::format("address {:#x} (lane {}) is not aligned to the access of {} bytes", address, lane, bytes));
      if (address > end || bytes > end - address)
        return add(Check::address, pc, 3,
                   fmt::format("address {:#x} (lane {}), {} bytes, is beyond the {:#x} bytes of its space", address,
                               lane, bytes, end));
    }
  }

  void check_detail(const Step& step) {
    const isa::Instruction& instruction = kernel_.code[step.index];
    if (step.detail.kind() != detail_kind(instruction))
      add(Check::detail, pc_of(step), 0,
          fmt::format("has a {} ({}), which {} does not have", detail_name(step.detail.kind()),
                      detail_text(step.detail, step.lanes), instruction.opcode));
  }

  std::uint64_t end_of(isa::Space space) const {
    if (space == isa::Space::shared) return isa::architecture(kernel_.sm).system_shared + kernel_.shared_bytes();
    if (space == isa::Space::constant) return kConstantEnd;
    // If the trace does not give the size of local memory, it cannot be checked.
    if (space == isa::Space::local) return kernel_.local_bytes ? kernel_.local_bytes : kAddressEnd;
    return kAddressEnd;
  }

  void report_dependence(const DependenceCheck::TooClose& close) {
    const isa::Instruction& producer = kernel_.code[close.producer];
    add(Check::dependence, kernel_.code[close.consumer].pc, 16 + close.producer,
        fmt::format("reads {} of {} at {:#x} after {} cycles; latency of {} is {}", close.resource, producer.opcode,
                    producer.pc, close.cycles, isa::op_class_name(decoded_[close.producer].op), close.latency));
  }

  void add(Check check, std::optional<std::uint32_t> pc, std::uint32_t kind, std::string message) {
    const auto key = std::make_tuple(check, pc, kind);
    const auto [found, fresh] = findings_.try_emplace(key);
    if (!fresh) {
      ++found->second.times;
      return;
    }
    const bool dynamic = check != Check::architecture && check != Check::unknown_opcode;
    found->second = {check, pc, std::move(message),
                     dynamic ? fmt::format("block {}, warp {}, step {}", block_, warp_, step_) : std::string(), 1};
  }

  BlockSource& source_;
  const KernelInfo& kernel_;
  const LintOptions& options_;
  std::vector<isa::Decoded> decoded_;
  std::vector<std::uint32_t> latencies_;
  std::unique_ptr<DependenceCheck> dependence_;
  std::unordered_set<std::uint64_t> paths_;
  std::map<std::tuple<Check, std::optional<std::uint32_t>, std::uint32_t>, Finding> findings_;
  std::uint64_t block_ = 0, step_ = 0;
  std::uint64_t left_;  ///< steps left until max_steps
  bool complete_ = true;
  std::size_t warp_ = 0;
};

}  // namespace

LintResult lint(BlockSource& source, const LintOptions& options) { return Doctor(source, options).run(); }

}  // namespace sassim::trace
