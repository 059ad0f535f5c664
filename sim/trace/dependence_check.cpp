// SPDX-License-Identifier: Apache-2.0
// For `sassim trace lint`: tells where a warp used a result earlier than its latency allows. The texts of findings.
#include "sim/trace/dependence_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sim/trace/doctor.h"

namespace sassim::trace {
namespace {

/// Cycles for which the hardware blocks the warp at stall 0 with yield (MICRO 2025, "Dissecting and Modeling the
/// Architecture of Modern GPU Cores").
constexpr std::uint64_t kStallZeroWithYield = 45;

// CUDA 11.8 schedules these dependences closer than the latency, in all compiled code for sm_70 to sm_90. In cycles:
/// The result is used in the same pipe (IMAD to IMAD or FFMA, FMNMX to FMNMX).
constexpr std::uint32_t kWithinPipe = 4;
/// A constant is loaded into a uniform register.
constexpr std::uint32_t kUniformConstant = 2;
/// The lower word of a wide product is ready one cycle earlier than the upper word, and the upper word of a wide
/// addend is needed one cycle later than the lower word.
constexpr std::uint32_t kOtherWord = 1;
/// Of code for sm_52 to sm_61: instructions that set a counter read their operands this much later than others.
constexpr std::uint32_t kQueued = 4;

enum class Pipe : std::uint8_t { multiply_add, integer, other };

Pipe pipe_of(isa::OpClass op) {
  switch (op) {
    case isa::OpClass::fp32:
    case isa::OpClass::imad:
    case isa::OpClass::imad_wide:
      return Pipe::multiply_add;
    case isa::OpClass::fp32_alu:
    case isa::OpClass::int_alu:
      return Pipe::integer;
    default:
      return Pipe::other;
  }
}

std::uint64_t stall_cycles(const isa::ControlBits& control, isa::InstructionSet set) {
  if (control.stall == 0 && set == isa::InstructionSet::sass64) return 0;  // the next instruction issues beside it
  if (control.stall == 0) return control.yield ? kStallZeroWithYield : 1;
  return control.stall;
}

}  // namespace

DependenceCheck::DependenceCheck(const std::vector<isa::Instruction>& code, const std::vector<isa::Decoded>& decoded,
                                 const std::vector<std::uint32_t>& latencies, isa::InstructionSet set, Report report)
    : code_(code), decoded_(decoded), latencies_(latencies), set_(set), report_(std::move(report)) {}

void DependenceCheck::start_warp() {
  now_ = 0;
  registers_.fill({});
  uniforms_.fill({});
  predicates_.fill({});
  uniform_predicates_.fill({});
}

void DependenceCheck::step(const Step& step) {
  const isa::Decoded& decoded = decoded_[step.index];
  read_all(step, decoded);
  write_all(step, decoded);
  now_ += stall_cycles(code_[step.index].control, set_);
}

std::uint32_t DependenceCheck::needed(const Write& write, const isa::Decoded& consumer, bool upper_addend) const {
  const isa::Decoded& producer = decoded_[write.index];
  std::uint32_t cycles = write.latency;
  if (set_ == isa::InstructionSet::sass64)
    return consumer.latency == isa::Latency::variable ? cycles - std::min(cycles, kQueued) : cycles;
  if (producer.op == isa::OpClass::uniform_ldc || code_[write.index].opcode == "UMOV")
    cycles = std::min(cycles, kUniformConstant);
  if (const Pipe pipe = pipe_of(producer.op); pipe != Pipe::other && pipe == pipe_of(consumer.op))
    cycles = std::min(cycles, kWithinPipe);
  if (cycles > kOtherWord && (write.lower_word || upper_addend)) cycles -= kOtherWord;
  return cycles;
}

void DependenceCheck::read(const Write& write, const Step& step, const char* kind, int register_index,
                           bool upper_addend) {
  if (write.latency == 0 || (write.lanes & step.active).none()) return;
  const std::uint64_t cycles = now_ - write.time;
  if (cycles >= write.latency || cycles >= needed(write, decoded_[step.index], upper_addend)) return;
  report_({write.index, step.index, static_cast<std::uint32_t>(cycles), write.latency,
           fmt::format("{}{}", kind, register_index)});
}

void DependenceCheck::read_all(const Step& step, const isa::Decoded& decoded) {
  for (const isa::RegisterUse& use : decoded.reads)
    for (int r = use.first; r < use.first + use.count; ++r)
      if (use.uniform ? r < isa::kURZ : r < isa::kRZ)
        read(use.uniform ? uniforms_[static_cast<std::size_t>(r)] : registers_[static_cast<std::size_t>(r)], step,
             use.uniform ? "UR" : "R", r, decoded.op == isa::OpClass::imad_wide && use.slot == 2 && r > use.first);
  for (int p = 0; p < isa::kPT; ++p) {
    if (decoded.pred_reads >> p & 1) read(predicates_[static_cast<std::size_t>(p)], step, "P", p);
    if (decoded.upred_reads >> p & 1) read(uniform_predicates_[static_cast<std::size_t>(p)], step, "UP", p);
  }
}

void DependenceCheck::write_all(const Step& step, const isa::Decoded& decoded) {
  Write write{now_, step.index, latencies_[step.index], false, step.active};
  for (const isa::RegisterUse& use : decoded.writes)
    for (int r = use.first; r < use.first + use.count; ++r) {
      write.lower_word = decoded.op == isa::OpClass::imad_wide && use.count > 1 && r == use.first;
      if (use.uniform ? r < isa::kURZ : r < isa::kRZ)
        (use.uniform ? uniforms_[static_cast<std::size_t>(r)] : registers_[static_cast<std::size_t>(r)]) = write;
    }
  write.lower_word = false;
  for (std::size_t p = 0; p < isa::kPT; ++p) {
    if (decoded.pred_writes >> p & 1) predicates_[p] = write;
    if (decoded.upred_writes >> p & 1) uniform_predicates_[p] = write;
  }
}

std::string_view check_name(Check check) {
  constexpr std::array<std::string_view, 7> kChecks = {"architecture", "unknown-opcode", "truncated-warp", "mask",
                                                       "address",      "detail",         "dependence"};
  return kChecks[static_cast<std::size_t>(check)];
}

std::string Finding::text() const {
  std::string text(check_name(check));
  if (pc) text += fmt::format(" at {:#x}", *pc);
  text += ": " + message;
  if (!where.empty()) text += fmt::format(" ({}{})", where, times > 1 ? fmt::format("; {} times", times) : "");
  return text;
}

}  // namespace sassim::trace
