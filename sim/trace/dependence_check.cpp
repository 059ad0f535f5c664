// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/dependence_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace sassim::trace {
namespace {

/// Cycles that the hardware blocks the warp for stall 0 with yield (MICRO 2025, "Dissecting and Modeling the
/// Architecture of Modern GPU Cores").
constexpr std::uint64_t kStallZeroWithYield = 45;

std::uint64_t stall_cycles(const isa::ControlBits& control) {
  if (control.stall == 0) return control.yield ? kStallZeroWithYield : 1;
  return control.stall;
}

}  // namespace

DependenceCheck::DependenceCheck(const std::vector<isa::Instruction>& code, const std::vector<isa::Decoded>& decoded,
                                 const std::vector<std::uint32_t>& latencies, Report report)
    : code_(code), decoded_(decoded), latencies_(latencies), report_(std::move(report)) {}

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
  now_ += stall_cycles(code_[step.index].control);
}

void DependenceCheck::read(const Write& write, const Step& step, const char* kind, int number) {
  if (write.latency == 0 || now_ - write.time >= write.latency || (write.lanes & step.active).none()) return;
  report_({write.index, step.index, static_cast<std::uint32_t>(now_ - write.time), write.latency,
           fmt::format("{}{}", kind, number)});
}

void DependenceCheck::read_all(const Step& step, const isa::Decoded& decoded) {
  for (const isa::RegisterUse& use : decoded.reads)
    for (int r = use.first; r < use.first + use.count; ++r)
      if (use.uniform ? r < isa::kURZ : r < isa::kRZ)
        read(use.uniform ? uniforms_[static_cast<std::size_t>(r)] : registers_[static_cast<std::size_t>(r)], step,
             use.uniform ? "UR" : "R", r);
  for (int p = 0; p < isa::kPT; ++p) {
    if (decoded.pred_reads >> p & 1) read(predicates_[static_cast<std::size_t>(p)], step, "P", p);
    if (decoded.upred_reads >> p & 1) read(uniform_predicates_[static_cast<std::size_t>(p)], step, "UP", p);
  }
}

void DependenceCheck::write_all(const Step& step, const isa::Decoded& decoded) {
  const Write write{now_, step.index, latencies_[step.index], step.active};
  for (const isa::RegisterUse& use : decoded.writes)
    for (int r = use.first; r < use.first + use.count; ++r)
      if (use.uniform ? r < isa::kURZ : r < isa::kRZ)
        (use.uniform ? uniforms_[static_cast<std::size_t>(r)] : registers_[static_cast<std::size_t>(r)]) = write;
  for (std::size_t p = 0; p < isa::kPT; ++p) {
    if (decoded.pred_writes >> p & 1) predicates_[p] = write;
    if (decoded.upred_writes >> p & 1) uniform_predicates_[p] = write;
  }
}

}  // namespace sassim::trace
