// SPDX-License-Identifier: Apache-2.0
#include "sim/study/mix_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sim/base/error.h"
#include "sim/study/block_fit.h"
#include "sim/study/sass_writer.h"
#include "sim/trace/memory_trace.h"

namespace sassim::study {

namespace {

constexpr std::array<std::string_view, 3> kPatterns{"streaming", "stride2", "random"};
constexpr std::uint32_t kRegisters = 32;
constexpr std::uint32_t kBody = 512;  // instructions, as section 5.1: small enough for the instruction cache
constexpr std::uint64_t kCode = 0x7f0000000000, kConstants = 0x7f1000000000, kArray = 0x7f2000000000;
// Chains are in even registers, R4 to R11, with the upper half of an address after them; what is added is in an odd
// one, so that the operands of an add are in different banks.
constexpr int kChain = 4;

/// Instructions of one chain's repeating group.
struct Group {
  std::uint32_t others = 0, adds = 0;
};

Group group_of(double alpha) {
  if (std::isinf(alpha) && alpha > 0) return {0, 1};
  if (alpha == 0) return {1, 0};
  const double whole = alpha >= 1 ? alpha : 1 / alpha;
  if (!(alpha > 0) || std::abs(whole - std::round(whole)) > 1e-6 || whole > 4096)
    throw UsageError("alpha {}: must be a whole number up to 4096, or one over it, or inf", alpha);
  const auto count = static_cast<std::uint32_t>(std::lround(whole));
  return alpha >= 1 ? Group{1, count} : Group{count, 1};
}

std::string other_text(const MixWorkload& workload, int sm, int chain) {
  const int r = kChain + 2 * chain;
  switch (workload.kind) {
    case model::MixKind::sfu:
      return fmt::format("MUFU.RSQ R{0}, R{0}", r);
    case model::MixKind::smem:
      return fmt::format("LDS R{0}, [R{0}]", r);
    case model::MixKind::mem:
      break;
  }
  if (sm >= 90) return fmt::format("LDG.E R{0}, desc[UR4][R{0}.64]", r);
  return sm >= 80 ? fmt::format("LDG.E R{0}, [R{0}.64]", r) : fmt::format("LDG.E.SYS R{0}, [R{0}]", r);
}

/// What the kernel does between its start and its loop: an add of zero leaves an address or a 1.0 as it is.
void write_prologue(SassWriter& sass, const MixWorkload& workload, int sm, std::uint64_t iterations) {
  if (workload.kind == model::MixKind::mem && sm >= 90) sass.emit("ULDC.64 UR4, c[0x0][0x208]");
  sass.emit("S2R R0, SR_TID.X", 0, 0);
  sass.emit("S2R R1, SR_CTAID.X", 0, 1);
  sass.emit("MOV R13, RZ");
  sass.emit(fmt::format("MOV R12, 0x{:x}", iterations));
  sass.emit("MOV R14, 0x4");
  sass.emit("IMAD R2, R1, c[0x0][0x0], R0", 0b11);
  for (int chain = 0; chain < static_cast<int>(workload.ilp); ++chain) {
    const int r = kChain + 2 * chain;
    if (workload.kind == model::MixKind::mem)
      sass.emit(fmt::format("IMAD.WIDE R{}, R2, R14, c[0x0][0x{:x}]", r, 0x160 + 8 * chain));
    else
      sass.emit(fmt::format("MOV R{}, 0x{:x}", r, workload.kind == model::MixKind::sfu ? 0x3f800000 : 0));
  }
}

/// One group of every chain, interleaved. Chain c has dependence counter c.
void write_group(SassWriter& sass, const MixWorkload& workload, const Group& group, int sm) {
  const int chains = static_cast<int>(workload.ilp);
  for (std::uint32_t i = 0; i < group.others; ++i)
    for (int chain = 0; chain < chains; ++chain) {
      // Only adds, whose results stall counts guard, come between a group's last add and this.
      const bool after_other = i > 0 || group.adds == 0;
      sass.emit(other_text(workload, sm, chain), static_cast<std::uint8_t>(after_other ? 1u << chain : 0u),
                static_cast<std::uint8_t>(chain));
    }
  for (std::uint32_t i = 0; i < group.adds; ++i)
    for (int chain = 0; chain < chains; ++chain) {
      const bool after_other = i == 0 && group.others > 0;
      sass.emit(fmt::format("FADD R{0}, R{0}, R13", kChain + 2 * chain),
                static_cast<std::uint8_t>(after_other ? 1u << chain : 0u));
    }
}

/// The kernel, and what one warp of it executes.
struct Program {
  trace::KernelInfo kernel;
  MixWorkload workload;
  std::uint32_t loop_start = 0, loop_end = 0;  ///< indices into the code, the branch included
  std::uint64_t iterations = 0, groups_per_iteration = 0;
  Group group;
  std::vector<std::int8_t> chain;  ///< per instruction: whose memory access it is, or -1

  std::uint64_t accesses() const { return iterations * groups_per_iteration * group.others; }  ///< per chain and thread
};

Program write_program(const config::GpuConfig& gpu, const MixWorkload& workload) {
  Program program;
  program.workload = workload;
  program.group = group_of(workload.alpha);
  const std::uint32_t size = (program.group.others + program.group.adds) * workload.ilp;
  program.groups_per_iteration = std::clamp<std::uint32_t>(kBody / size, 1, std::max(1u, workload.groups));
  program.iterations = (workload.groups + program.groups_per_iteration - 1) / program.groups_per_iteration;

  SassWriter sass(gpu.arch, [&gpu](const isa::Decoded& decoded) {
    return gpu.sm.pipes.ops[static_cast<std::size_t>(decoded.op)].latency;
  });
  write_prologue(sass, workload, gpu.arch, program.iterations);
  sass.label("loop");
  program.loop_start = sass.size();
  sass.emit("IADD3 R12, R12, -0x1, RZ");
  for (std::uint64_t i = 0; i < program.groups_per_iteration; ++i) {
    write_group(sass, workload, program.group, gpu.arch);
    // Late enough for the counter, early enough for the branch.
    if (i == 0) sass.emit("ISETP.NE.AND P0, PT, R12, RZ, PT");
  }
  sass.loop("@P0", "loop");
  program.loop_end = sass.size();
  sass.emit("EXIT", static_cast<std::uint8_t>(program.group.others ? (1u << workload.ilp) - 1 : 0));

  trace::KernelInfo& kernel = program.kernel;
  kernel.name = fmt::format("mix_{}_alpha{:g}_ilp{}_{}", model::mix_kind_name(workload.kind), workload.alpha,
                            workload.ilp, access_pattern_name(workload.pattern));
  kernel.sm = gpu.arch;
  kernel.registers = kRegisters;
  kernel.code_address = kCode;
  kernel.constant_address = kConstants;
  kernel.code = sass.finish();
  for (const isa::Instruction& instruction : kernel.code) {
    const bool access = instruction.opcode == "LDG" || instruction.opcode == "LDS";
    program.chain.push_back(static_cast<std::int8_t>(access ? (instruction.operands[0].index - kChain) / 2 : -1));
  }
  return program;
}

std::uint64_t scramble(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Where a warp's loads go. Each block sweeps a part of the array of its own, a row of its threads at a time.
class Addresses {
 public:
  Addresses(const Program& program, std::uint64_t block, std::uint64_t warp)
      : workload_(program.workload), threads_(program.kernel.block.count()), warp_(warp) {
    stride_ = workload_.pattern == AccessPattern::stride_two ? 8 : 4;
    rows_ = program.accesses() * workload_.ilp;
    section_ = block * rows_;
  }

  void next(int chain, trace::LaneAddresses& out) {
    if (workload_.kind == model::MixKind::smem) return out.set_affine(0, 0);  // section 5.2: broadcast of word 0
    const std::uint64_t row =
        section_ + count_[static_cast<std::size_t>(chain)]++ * workload_.ilp + static_cast<std::uint64_t>(chain);
    const std::uint64_t first = row * threads_ + warp_ * kWarpSize;
    if (workload_.pattern != AccessPattern::random)
      return out.set_affine(kArray + first * stride_, static_cast<std::int64_t>(stride_));
    auto& list = out.list();
    for (std::size_t lane = 0; lane < list.size(); ++lane)
      list[lane] = kArray + scramble(first + lane) % (workload_.array_bytes / 4) * 4;
  }

 private:
  const MixWorkload& workload_;
  std::uint64_t threads_, warp_, stride_ = 4, rows_ = 0, section_ = 0;
  std::array<std::uint64_t, 4> count_{};
};

std::shared_ptr<const trace::WarpStream> warp_stream(const Program& program, std::shared_ptr<trace::BodyPool> pool,
                                                     std::uint64_t block, std::uint64_t warp) {
  trace::WarpStreamBuilder builder(program.kernel, std::move(pool));
  Addresses addresses(program, block, warp);
  trace::Step step;
  step.active = step.lanes = LaneMask::all();
  const auto run = [&](std::uint32_t from, std::uint32_t to) {
    for (step.index = from; step.index < to; ++step.index) {
      const int chain = program.chain[step.index];
      step.has_addresses = chain >= 0;
      step.space = chain < 0                                       ? isa::Space::none
                   : program.workload.kind == model::MixKind::smem ? isa::Space::shared
                                                                   : isa::Space::global;
      if (chain >= 0) addresses.next(chain, step.addresses);
      builder.append(step);
    }
  };
  run(0, program.loop_start);
  for (std::uint64_t i = 0; i < program.iterations; ++i) run(program.loop_start, program.loop_end);
  run(program.loop_end, static_cast<std::uint32_t>(program.kernel.code.size()));
  return builder.finish();
}

/// Blocks on demand. Warps without global loads are all the same, and made once.
trace::GeneratedTrace::Make block_maker(std::shared_ptr<const Program> program) {
  const auto pool = std::make_shared<trace::BodyPool>();
  const bool alike = program->workload.kind != model::MixKind::mem || program->group.others == 0;
  const auto only = alike ? warp_stream(*program, pool, 0, 0) : nullptr;
  return [program, pool, only](BlockId id) {
    auto block = std::make_shared<trace::BlockTrace>();
    block->id = trace::block_position(program->kernel.grid, id.value);
    for (std::uint32_t warp = 0; warp < program->kernel.warps_per_block(); ++warp)
      block->warps.push_back(only ? only : warp_stream(*program, pool, id.value, warp));
    return std::shared_ptr<const trace::BlockTrace>(std::move(block));
  };
}

}  // namespace

std::string_view access_pattern_name(AccessPattern pattern) { return kPatterns.at(static_cast<std::size_t>(pattern)); }

AccessPattern access_pattern(std::string_view name) {
  for (std::size_t i = 0; i < kPatterns.size(); ++i)
    if (kPatterns[i] == name) return static_cast<AccessPattern>(i);
  throw UsageError("unknown access pattern '{}'; known: {}", name, fmt::join(kPatterns, ", "));
}

MixKernel make_mix(const config::GpuConfig& gpu, const MixWorkload& workload) {
  if (workload.ilp != 1 && workload.ilp != 2 && workload.ilp != 4)
    throw UsageError("ILP {}: must be 1, 2 or 4", workload.ilp);
  if (workload.groups == 0 || workload.rounds == 0 || workload.array_bytes < 4)
    throw UsageError("a mix needs at least one group, one round, and an array");
  const auto program = std::make_shared<Program>(write_program(gpu, workload));
  const BlockFit fit = fit_blocks(gpu, workload.warps, kRegisters);
  program->kernel.block = {32 * fit.warps_per_block, 1, 1};
  program->kernel.grid = {gpu.sm.count * fit.blocks_per_sm * workload.rounds, 1, 1};
  program->kernel.dynamic_shared = fit.shared_bytes;

  MixKernel made;
  const std::uint64_t groups = program->iterations * program->groups_per_iteration * workload.ilp;
  made.adds = groups * program->group.adds;
  made.others = groups * program->group.others;
  made.warps_per_block = fit.warps_per_block;
  made.blocks_per_sm = fit.blocks_per_sm;
  made.source = std::make_unique<trace::GeneratedTrace>(program->kernel, block_maker(program));
  return made;
}

}  // namespace sassim::study
