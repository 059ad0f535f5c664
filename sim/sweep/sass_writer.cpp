// SPDX-License-Identifier: Apache-2.0
// Sets stall counts, and NOPs between, as instructions of a kernel of `sassim sweep` are written.
#include "sim/sweep/sass_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/assembly.h"
#include "sim/isa/code_rules.h"

namespace sassim::sweep {

namespace {

/// Without yield, larger stall counts have another meaning (MICRO 2025, "Dissecting and Modeling the Architecture of
/// Modern GPU Cores").
constexpr std::uint64_t kMostStall = 11;
/// A counter rises one cycle after its instruction issues, so that the next instruction must not issue in that cycle.
constexpr std::uint8_t kCounterStall = 2;
/// The stall count that compilers give to branches and EXIT.
constexpr std::uint8_t kBranchStall = 5;

}  // namespace

SassWriter::SassWriter(int sm, std::function<std::uint32_t(const isa::Decoded&)> latency)
    : sm_(sm), checks_registers_(!isa::code_rules(isa::architecture(sm)).counters), latency_(std::move(latency)) {}

void SassWriter::emit(std::string_view text, std::uint8_t wait_mask, std::uint8_t write_counter) {
  const isa::Decoded decoded = isa::decode(isa::parse_instruction(text), sm_);
  isa::ControlBits control;
  control.wait_mask = wait_mask;
  control.write_counter = write_counter;
  control.stall = write_counter != isa::kNoCounter         ? kCounterStall
                  : decoded.flow != isa::ControlFlow::none ? kBranchStall
                                                           : std::uint8_t{1};
  place(std::string(text), decoded, control);
}

void SassWriter::label(std::string_view name) {
  settle();
  lines_.push_back({std::string(name), {}, {}});
}

void SassWriter::loop(std::string_view guard, std::string_view name) {
  isa::ControlBits control;
  control.stall = kBranchStall;
  // The operands do not depend on the label's offset.
  place(fmt::format("{} BRA {}", guard, name),
        isa::decode(isa::parse_instruction(fmt::format("{} BRA 0x0", guard)), sm_), control);
  settle();
}

void SassWriter::place(std::string text, const isa::Decoded& decoded, isa::ControlBits control) {
  wait_until(ready(decoded));
  const std::uint64_t done = decoded.latency == isa::Latency::fixed ? now_ + latency_(decoded) : 0;
  for (const isa::RegisterUse& use : decoded.writes)
    for (std::size_t r = use.first; r < std::size_t{use.first} + use.count; ++r)
      (use.uniform ? uniforms_ : registers_).at(r) = done;
  for (std::size_t p = 0; p < predicates_.size(); ++p) {
    if (decoded.pred_writes >> p & 1) predicates_[p] = done;
    if (decoded.upred_writes >> p & 1) uniform_predicates_[p] = done;
  }
  const bool writes = !decoded.writes.empty() || decoded.pred_writes != 0 || decoded.upred_writes != 0;
  if (writes) settled_ = std::max(settled_, done);
  now_ += control.stall;
  lines_.push_back({{}, control, std::move(text)});
  ++instructions_;
}

std::uint64_t SassWriter::ready(const isa::Decoded& decoded) const {
  std::uint64_t time = 0;
  const auto look = [&](const std::vector<isa::RegisterUse>& uses) {
    for (const isa::RegisterUse& use : uses)
      for (std::size_t r = use.first; r < std::size_t{use.first} + use.count; ++r)
        time = std::max(time, (use.uniform ? uniforms_ : registers_).at(r));
  };
  look(decoded.reads);
  look(decoded.writes);
  for (std::size_t p = 0; p < predicates_.size(); ++p) {
    if ((decoded.pred_reads | decoded.pred_writes) >> p & 1) time = std::max(time, predicates_[p]);
    if ((decoded.upred_reads | decoded.upred_writes) >> p & 1) time = std::max(time, uniform_predicates_[p]);
  }
  return time;
}

void SassWriter::wait_until(std::uint64_t cycle) {
  while (now_ < cycle) {
    if (lines_.empty() || !lines_.back().label.empty() || lines_.back().control.stall >= kMostStall) {
      if (checks_registers_) return void(now_ = cycle);
      lines_.push_back({{}, isa::ControlBits{}, "NOP"});
      ++instructions_;
      ++now_;
      continue;
    }
    std::uint8_t& stall = lines_.back().control.stall;
    const auto more = std::min(cycle - now_, kMostStall - stall);
    stall = static_cast<std::uint8_t>(stall + more);
    now_ += more;
  }
}

void SassWriter::settle() { wait_until(settled_); }

std::vector<isa::Instruction> SassWriter::finish() const {
  std::string text;
  for (const Line& line : lines_)
    text +=
        line.label.empty() ? fmt::format("{} {} ;\n", isa::control_text(line.control), line.text) : line.label + ":\n";
  return isa::assemble(text, "built-in workload", isa::architecture(sm_));
}

}  // namespace sassim::sweep
