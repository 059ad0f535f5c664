// SPDX-License-Identifier: Apache-2.0
// Writes the kernel of a point of `sassim sweep` as a trace: SASS, and addresses of loads.
#include "sim/sweep/mix_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/config/gpu_config.h"
#include "sim/isa/architecture.h"
#include "sim/sweep/block_fit.h"
#include "sim/sweep/sass_writer.h"
#include "sim/trace/memory_trace.h"

namespace sassim::sweep {

namespace {

constexpr std::array<std::string_view, 3> kPatterns{"streaming", "stride2", "random"};
constexpr std::uint32_t kRegisters = 32;  // of a thread, if a full SM has as many
constexpr std::uint32_t kBody = 512;      // instructions, as in section 5.1: fits the instruction cache
constexpr std::uint64_t kCode = 0x7f0000000000, kConstants = 0x7f1000000000, kArray = 0x7f2000000000;
// Chains are in the even registers R4 to R11, with the upper half of an address after each. The other operand of an add
// is in an odd register, so that both are in different banks.
constexpr int kChain = 4;
constexpr int kAlignedZero = 13, kUpperZero = 16;  // zeros, each in the bank that the add's other operand is not in
constexpr std::uint32_t kTurns = 4;                // least turns of the loop
constexpr std::uint32_t kMeasuredUnroll = 4, kMeasuredLoop = 16;  // as in volkov_mix.cu

/// Instructions of one group of a chain; the chain repeats the group.
struct Group {
  std::uint32_t others = 0, adds = 0;
};

Group group_of(double alpha) {
  if (std::isinf(alpha) && alpha > 0) return {0, 1};
  if (alpha == 0) return {1, 0};
  const double whole = alpha >= 1 ? alpha : 1 / alpha;
  if (!(alpha > 0) || std::abs(whole - std::round(whole)) > 1e-6 || whole > 4096)
    throw UsageError("alpha {}: must be a whole number up to 4096, the reciprocal of one, or inf", alpha);
  const auto count = static_cast<std::uint32_t>(std::lround(whole));
  return alpha >= 1 ? Group{1, count} : Group{count, 1};
}

constexpr int kDescriptor = 4;  // uniform registers

std::string global_address(const isa::Architecture& architecture, int r) {
  switch (architecture.global_address) {
    case isa::GlobalAddress::extended:
      return fmt::format("[R{}]", r);
    case isa::GlobalAddress::wide:
      return fmt::format("[R{}.64]", r);
    case isa::GlobalAddress::described:
      break;
  }
  return fmt::format("desc[UR{}][R{}.64]", kDescriptor, r);
}

std::string other_text(const MixWorkload& workload, const isa::Architecture& architecture, int chain) {
  const int r = kChain + 2 * chain;
  switch (workload.kind) {
    case model::MixKind::sfu:
      return fmt::format("MUFU.RSQ R{0}, R{0}", r);
    case model::MixKind::smem:
      return fmt::format("LDS R{0}, [R{0}]", r);
    case model::MixKind::mem:
      break;
  }
  if (workload.as_measured) return fmt::format("LDG.E.64.STRONG.GPU R{}, {}", r, global_address(architecture, r));
  const bool extended = architecture.global_address == isa::GlobalAddress::extended;
  return fmt::format("LDG.E{} R{}, {}", extended ? ".SYS" : "", r, global_address(architecture, r));
}

/// Code under construction, the role of each line, and the instructions of one iteration of the loop.
struct Code {
  SassWriter sass;
  std::vector<MixLine> lines;
  std::vector<std::uint32_t> executed;

  void emit(std::string_view text, MixLine line = {}, std::uint8_t wait_mask = 0,
            std::uint8_t write_counter = isa::kNoCounter) {
    sass.emit(text, wait_mask, write_counter);
    add(line);
  }
  void label(std::string_view name) {
    sass.label(name);
    add({});
  }
  void loop(std::string_view guard, std::string_view label) {
    sass.loop(guard, label);
    add({});
  }

 private:
  /// The writer has added an instruction, perhaps behind NOPs, or NOPs alone.
  void add(MixLine last) {
    while (lines.size() < sass.size()) {
      executed.push_back(static_cast<std::uint32_t>(lines.size()));
      lines.push_back({});
    }
    if (last.role != MixLine::Role::overhead) lines.back() = last;
  }
};

/// Instructions before the loop: they set up the chains' start values (addresses or 1.0), to which the loop adds zero.
void write_prologue(Code& code, const MixWorkload& workload, const isa::Architecture& architecture,
                    std::uint64_t iterations) {
  if (workload.kind == model::MixKind::mem && architecture.global_address == isa::GlobalAddress::described)
    code.emit(fmt::format("ULDC.64 UR{}, c[0x0][0x{:x}]", kDescriptor, architecture.bank.global_descriptor));
  code.emit("S2R R0, SR_TID.X", {}, 0, 0);
  code.emit("S2R R1, SR_CTAID.X", {}, 0, 1);
  code.emit(fmt::format("MOV R{}, RZ", kAlignedZero));
  if (workload.as_measured) code.emit(fmt::format("MOV R{}, RZ", kUpperZero));
  code.emit(fmt::format("MOV R12, 0x{:x}", iterations));
  code.emit("MOV R14, 0x4");
  code.emit("IMAD R2, R1, c[0x0][0x0], R0", {}, 0b11);
  for (int chain = 0; chain < static_cast<int>(workload.ilp); ++chain) {
    const int r = kChain + 2 * chain;
    if (workload.kind == model::MixKind::mem)
      code.emit(fmt::format("IMAD.WIDE R{}, R2, R14, c[0x0][0x{:x}]", r, 0x160 + 8 * chain));
    else
      code.emit(fmt::format("MOV R{}, 0x{:x}", r, workload.kind == model::MixKind::sfu ? 0x3f800000 : 0));
  }
}

MixLine role(MixLine::Role what, int chain) { return {what, static_cast<std::uint8_t>(chain)}; }

/// One group of every chain, interleaved. Chain c uses dependence counter c.
void write_others(Code& code, const MixWorkload& workload, const Group& group, const isa::Architecture& architecture) {
  for (std::uint32_t i = 0; i < group.others; ++i)
    for (int chain = 0; chain < static_cast<int>(workload.ilp); ++chain) {
      // Between a group's last add and this instruction there are only adds, whose results are guarded by stall counts.
      const bool after_other = i > 0 || group.adds == 0;
      code.emit(other_text(workload, architecture, chain), role(MixLine::Role::other, chain),
                static_cast<std::uint8_t>(after_other ? 1u << chain : 0u), static_cast<std::uint8_t>(chain));
    }
}

void write_adds(Code& code, const MixWorkload& workload, std::uint32_t count, bool after_other) {
  const bool upper = workload.as_measured && workload.kind == model::MixKind::mem;
  for (std::uint32_t i = 0; i < count; ++i)
    for (int chain = 0; chain < static_cast<int>(workload.ilp); ++chain)
      code.emit(fmt::format("FADD R{0}, R{0}, R{1}", kChain + 2 * chain + upper, upper ? kUpperZero : kAlignedZero),
                role(MixLine::Role::add, chain), static_cast<std::uint8_t>(i == 0 && after_other ? 1u << chain : 0u));
}

/// Adds in a loop of kMeasuredLoop, as in compiled code.
void write_add_loop(Code& code, const MixWorkload& workload, std::uint32_t count, std::uint64_t loop) {
  const std::string label = fmt::format("adds{}", loop);
  code.emit(fmt::format("MOV R17, 0x{:x}", count), {}, 0b1);
  code.label(label);
  const std::size_t from = code.executed.size();
  code.emit("IADD3 R17, R17, -0x10, RZ");
  write_adds(code, workload, kMeasuredLoop, false);
  code.emit("ISETP.GT.U32.AND P1, PT, R17, 0xf, PT");
  code.loop("@P1", label);
  const std::vector<std::uint32_t> once(code.executed.begin() + static_cast<std::ptrdiff_t>(from), code.executed.end());
  for (std::uint32_t i = 1; i < count / kMeasuredLoop; ++i)
    code.executed.insert(code.executed.end(), once.begin(), once.end());
}

/// GPUs before Kepler have fewer registers for each thread of a full SM. Registers never limited the occupancy of his
/// kernels (section 5.7).
std::uint32_t registers_per_thread(const config::Occupancy& limits) {
  const std::uint32_t unit = std::max(1u, limits.register_unit);
  return std::min(kRegisters, limits.registers / limits.warps / unit * unit / static_cast<std::uint32_t>(kWarpSize));
}

/// The kernel and the instructions that one warp executes.
struct Program {
  trace::KernelInfo kernel;
  MixWorkload workload;
  std::vector<std::uint32_t> before, iteration;  ///< indices into the code; after all iterations, the last line follows
  std::uint64_t iterations = 0, groups_per_iteration = 0;
  Group group;
  std::vector<MixLine> lines;

  bool in_loops() const { return workload.as_measured && group.adds > kMeasuredLoop; }
  std::uint64_t accesses() const {
    return iterations * groups_per_iteration * group.others;
  }  ///< loads of one chain and thread
  std::uint32_t element() const { return workload.as_measured ? 8 : 4; }
};

void write_iteration(Code& code, const Program& program, const isa::Architecture& architecture) {
  const MixWorkload& workload = program.workload;
  code.emit("IADD3 R12, R12, -0x1, RZ");
  for (std::uint64_t i = 0; i < program.groups_per_iteration; ++i) {
    write_others(code, workload, program.group, architecture);
    if (program.in_loops())
      write_add_loop(code, workload, program.group.adds, i);
    else
      write_adds(code, workload, program.group.adds, program.group.others > 0);
    // Late enough for the counter's value, early enough for the branch.
    if (i == 0) code.emit("ISETP.NE.AND P0, PT, R12, RZ, PT");
  }
  code.loop("@P0", "loop");
}

Program write_program(const config::GpuConfig& gpu, const MixWorkload& workload) {
  Program program;
  program.workload = workload;
  program.group = group_of(workload.alpha);
  const std::uint32_t size = (program.group.others + program.group.adds) * workload.ilp;
  const std::uint32_t unrolled = workload.as_measured ? kMeasuredUnroll : kBody / size;
  // Code that runs once always misses in the instruction caches. So the loop has several iterations even with few
  // groups.
  program.groups_per_iteration = std::clamp<std::uint32_t>(unrolled, 1, std::max(1u, workload.groups / kTurns));
  program.iterations = (workload.groups + program.groups_per_iteration - 1) / program.groups_per_iteration;
  if (program.in_loops() && program.group.adds % kMeasuredLoop != 0)
    throw UsageError("--alpha {}: with --as-measured an alpha above 16 must be a multiple of 16", workload.alpha);

  const isa::Architecture& architecture = isa::architecture(gpu.arch);
  Code code{SassWriter(gpu.arch,
                       [&gpu](const isa::Decoded& decoded) {
                         return gpu.sm.pipes.ops[static_cast<std::size_t>(decoded.op)].latency;
                       }),
            {},
            {}};
  write_prologue(code, workload, architecture, program.iterations);
  code.label("loop");
  program.before = std::exchange(code.executed, {});
  write_iteration(code, program, architecture);
  program.iteration = std::exchange(code.executed, {});
  code.emit("EXIT", {}, static_cast<std::uint8_t>(program.group.others ? (1u << workload.ilp) - 1 : 0));

  trace::KernelInfo& kernel = program.kernel;
  kernel.name =
      fmt::format("mix_{}_alpha{:g}_ilp{}_{}{}", model::mix_kind_name(workload.kind), workload.alpha, workload.ilp,
                  access_pattern_name(workload.pattern), workload.as_measured ? "_measured" : "");
  kernel.sm = gpu.arch;
  kernel.registers = registers_per_thread(gpu.sm.occupancy);
  kernel.code_address = kCode;
  kernel.constant_address = kConstants;
  kernel.code = code.sass.finish();
  program.lines = std::move(code.lines);
  return program;
}

std::uint64_t scramble(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// The addresses of a warp's loads. Each block reads its own part of the array, one row of its threads at a time.
class Addresses {
 public:
  Addresses(const Program& program, std::uint64_t block, std::uint64_t warp)
      : workload_(program.workload), threads_(program.kernel.block.count()), warp_(warp) {
    stride_ = program.element() * (workload_.pattern == AccessPattern::stride_two ? 2u : 1u);
    // A warp that is observed for a while represents one that reads its whole part of the array. An odd number of rows
    // keeps blocks from using the same memory channels at the same time.
    const std::uint64_t share = workload_.array_bytes / (program.kernel.grid.count() * threads_ * stride_);
    section_ = block * (std::max(program.accesses() * workload_.ilp, share) | 1);
  }

  void next(int chain, trace::LaneAddresses& out) {
    if (workload_.kind == model::MixKind::smem) return out.set_affine(0, 0);  // section 5.2: all lanes read word 0
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
  std::uint64_t threads_, warp_, stride_ = 4, section_ = 0;
  std::array<std::uint64_t, 4> count_{};
};

std::shared_ptr<const trace::WarpStream> warp_stream(const Program& program, std::shared_ptr<trace::BodyPool> pool,
                                                     std::uint64_t block, std::uint64_t warp) {
  trace::WarpStreamBuilder builder(program.kernel, std::move(pool));
  Addresses addresses(program, block, warp);
  trace::Step step;
  step.active = step.lanes = LaneMask::all();
  const auto run = [&](std::uint32_t index) {
    const MixLine line = program.lines[index];
    const bool access = line.role == MixLine::Role::other && program.workload.kind != model::MixKind::sfu;
    step.index = index;
    step.has_addresses = access;
    step.space = !access                                         ? isa::Space::none
                 : program.workload.kind == model::MixKind::smem ? isa::Space::shared
                                                                 : isa::Space::global;
    if (access) addresses.next(line.chain, step.addresses);
    builder.append(step);
  };
  for (const std::uint32_t index : program.before) run(index);
  const std::size_t turn = program.iteration.size();
  const std::size_t skipped = program.workload.staggered ? scramble(block * kWarpSize + warp) % turn : 0;
  for (std::uint64_t i = 0; i < program.iterations; ++i)
    for (std::size_t at = i == 0 ? skipped : 0; at < turn; ++at) run(program.iteration[at]);
  run(static_cast<std::uint32_t>(program.kernel.code.size() - 1));
  return builder.finish();
}

/// Makes a block's trace on demand. Without global loads all warps are equal and made once.
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
  if (workload.as_measured && (workload.ilp != 1 || workload.pattern != AccessPattern::streaming))
    throw UsageError("--as-measured has one chain per warp and streaming loads: leave --ilp and --access as they are");
  if (workload.groups == 0 || workload.rounds == 0 || workload.array_bytes < 4)
    throw UsageError("a mix needs at least one group, one round, and an array");
  const auto program = std::make_shared<Program>(write_program(gpu, workload));
  const BlockFit fit = fit_blocks(gpu, workload.warps, program->kernel.registers);
  program->kernel.block = {32 * fit.warps_per_block, 1, 1};
  program->kernel.grid = {gpu.sm.count * fit.blocks_per_sm * workload.rounds, 1, 1};
  program->kernel.dynamic_shared = fit.shared_bytes;

  MixKernel made;
  const std::uint64_t groups = program->iterations * program->groups_per_iteration * workload.ilp;
  made.adds = groups * program->group.adds;
  made.others = groups * program->group.others;
  made.warps_per_block = fit.warps_per_block;
  made.blocks_per_sm = fit.blocks_per_sm;
  made.lines = program->lines;
  made.groups_per_turn = static_cast<std::uint32_t>(program->groups_per_iteration);
  made.group_size = (program->group.others + program->group.adds) * workload.ilp;
  if (workload.kind == model::MixKind::mem && program->group.others > 0)
    made.bytes_per_load = kWarpSize * program->element();
  made.source = std::make_unique<trace::GeneratedTrace>(program->kernel, block_maker(program));
  return made;
}

}  // namespace sassim::sweep
