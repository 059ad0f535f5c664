// SPDX-License-Identifier: Apache-2.0
// Finds what a stalled SASS line waits for: the last instruction with its counter or register.
#include "sim/replay/awaited_lines.h"

#include <algorithm>

#include "arch/sm/code/place_rows.h"
#include "arch/sm/common/unit_traits.h"

namespace sassim::replay {

namespace {

constexpr std::size_t kNone = SIZE_MAX;

/// The last of these lines before `line`; kNone: there is none.
std::size_t last_before(const std::vector<std::size_t>& lines, std::size_t line) {
  const auto after = std::lower_bound(lines.begin(), lines.end(), line);
  return after == lines.begin() ? kNone : *std::prev(after);
}

/// The later of two lines, of which kNone is none.
std::size_t later(std::size_t a, std::size_t b) {
  if (a == kNone || b == kNone) return a == kNone ? b : a;
  return std::max(a, b);
}

}  // namespace

AwaitedLines::AwaitedLines(const trace::KernelInfo& kernel, bool scoreboard)
    : kernel_(kernel), scoreboard_(scoreboard) {
  if (!scoreboard) return;
  touched_.resize(arch::ScoreboardUse::kNames);
  for (std::size_t at = 0; at < kernel.code.size(); ++at) {
    const isa::Decoded decoded = isa::decode(kernel.code[at], kernel.sm);
    uses_.push_back(arch::registers_used(decoded));
    outlasts_.push_back(arch::is_memory(decoded.op) || decoded.op == isa::OpClass::shuffle);
    for (const std::uint16_t name : uses_.back().writes) touched_[name].writers.push_back(at);
    if (outlasts_.back())
      for (const std::uint16_t name : uses_.back().reads) touched_[name].late_readers.push_back(at);
  }
}

std::vector<std::uint32_t> AwaitedLines::of(std::size_t line) const {
  std::vector<std::uint32_t> pcs;
  for (const std::size_t at : scoreboard_ ? producers(line) : holders(line)) pcs.push_back(kernel_.code[at].pc);
  if (line > 0 && (kernel_.code[line - 1].opcode == "BAR" || kernel_.code[line - 1].opcode == "MEMBAR"))
    pcs.push_back(kernel_.code[line - 1].pc);
  if (line > 0 && kernel_.code[line - 1].opcode == "DEPBAR")
    if (const std::size_t copy = copy_before(line - 1); copy != kNone) pcs.push_back(kernel_.code[copy].pc);
  std::sort(pcs.begin(), pcs.end());
  pcs.erase(std::unique(pcs.begin(), pcs.end()), pcs.end());
  return pcs;
}

std::size_t AwaitedLines::copy_before(std::size_t line) const {
  const auto& code = kernel_.code;
  for (std::size_t back = 1; back <= code.size(); ++back)
    if (const std::size_t at = (line + code.size() - back) % code.size(); code[at].opcode == "LDGSTS") return at;
  return kNone;
}

std::vector<std::size_t> AwaitedLines::holders(std::size_t line) const {
  const auto& code = kernel_.code;
  std::vector<std::size_t> found;
  for (std::uint8_t counter = 0; counter < isa::kDependenceCounters; ++counter) {
    if ((code[line].control.wait_mask >> counter & 1) == 0) continue;
    for (std::size_t back = 1; back <= code.size(); ++back) {
      const std::size_t at = (line + code.size() - back) % code.size();
      if (code[at].control.write_counter != counter && code[at].control.read_counter != counter) continue;
      found.push_back(at);
      break;
    }
  }
  return found;
}

/// What the line waits for around a loop counts only where nothing before the line explains it.
std::vector<std::size_t> AwaitedLines::producers(std::size_t line) const {
  std::vector<std::size_t> before, around;
  const auto look = [&](std::uint16_t name, bool written) {
    const Touched& touched = touched_[name];
    const auto last = [&](std::size_t end) {
      const std::size_t writer = last_before(touched.writers, end);
      return written ? later(writer, last_before(touched.late_readers, end)) : writer;
    };
    if (const std::size_t at = last(line); at != kNone && outlasts_[at]) before.push_back(at);
    if (const std::size_t at = last(uses_.size()); at != kNone && at >= line && outlasts_[at]) around.push_back(at);
  };
  for (const std::uint16_t name : uses_[line].reads) look(name, false);
  for (const std::uint16_t name : uses_[line].writes) look(name, true);
  return before.empty() ? around : before;
}

}  // namespace sassim::replay
