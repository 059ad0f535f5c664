// SPDX-License-Identifier: Apache-2.0
// Finds the lines of code behind a cause. There are three kinds of causes: those that instructions can be counted for
// (extra sectors, extra passes, atomics), those that warps wait for at certain lines, and the size of the code.
#include "sim/report/bound_where.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/base/printable.h"
#include "sim/report/waits.h"

namespace sassim::report {

namespace {

using Reasons = std::initializer_list<std::string_view>;

bool has(Reasons reasons, std::string_view reason) {
  return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
}

/// The reasons that follow from a cause.
bool follows(Cause cause, std::string_view reason) {
  switch (cause) {
    case Cause::dram:
    case Cause::l2:
    case Cause::latency:
    case Cause::occupancy:
    case Cause::atomics:
    case Cause::uncoalesced:
      return has({"long_scoreboard", "lg_throttle", "tex_throttle", "drain", "membar"}, reason);
    case Cause::l1:
      return has({"long_scoreboard", "short_scoreboard", "lg_throttle", "mio_throttle", "tex_throttle"}, reason);
    case Cause::shared_memory:
      return has({"short_scoreboard", "mio_throttle"}, reason);
    case Cause::bank_conflicts:
      return has({"short_scoreboard", "mio_throttle", "long_scoreboard", "lg_throttle"}, reason);
    case Cause::fp64:
    case Cause::pipe:
    case Cause::tensor:
    case Cause::uniform:
    case Cause::control:
      return has(
          {"math_pipe_throttle", "mio_throttle", "short_scoreboard", "long_scoreboard", "branch_resolving", "barrier"},
          reason);
    case Cause::divergence:
    case Cause::dependences:
      return has({"wait", "short_scoreboard", "mio_throttle", "branch_resolving", "math_pipe_throttle"}, reason);
    case Cause::constants:
      return reason == "imc_miss";
    case Cause::barrier:
      return reason == "barrier";
    case Cause::fence:
      return reason == "membar";
    case Cause::sleep:
      return reason == "sleeping";
    default:
      return false;
  }
}

constexpr std::uint64_t kFewLanes = 16;

std::uint64_t excess(std::uint64_t amount, std::uint64_t ideal) { return amount - std::min(amount, ideal); }

/// How much an instruction adds to a cause that instructions are counted for.
std::uint64_t share_in(Cause cause, const LineStalls& line) {
  switch (cause) {
    case Cause::atomics:
      return line.op == "atomic" || line.op == "reduction" ? line.threads : 0;
    case Cause::uncoalesced:
      return excess(line.memory.sectors, line.memory.ideal_sectors);
    case Cause::bank_conflicts:
      return excess(line.memory.passes, line.memory.ideal_passes);
    default:
      return 0;
  }
}

double per_request(std::uint64_t amount, const LineStalls& line) {
  return static_cast<double>(amount) / static_cast<double>(std::max<std::uint64_t>(line.memory.requests, 1));
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
}

/// "RED.E.ADD.STRONG.GPU" of "@!P0 RED.E.ADD.STRONG.GPU [R4], R11"
std::string mnemonic(const LineStalls& line) {
  std::string_view text = line.text;
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  return printable(std::string(text.substr(0, text.find(' '))));
}

/// The lines of one mnemonic that add most to the cause.
struct Culprits {
  std::vector<const LineStalls*> lines;  ///< the worst first; empty: instructions are not counted for this cause
  std::uint64_t share = 0, of_all = 0;
};

Culprits find_culprits(const KernelReport& kernel, Cause cause) {
  std::map<std::string, Culprits> by_mnemonic;
  std::uint64_t all = 0;
  for (const LineStalls& line : kernel.lines) {
    const std::uint64_t share = share_in(cause, line);
    if (share == 0) continue;
    Culprits& same = by_mnemonic[mnemonic(line)];
    same.share += share;
    all += share;
    same.lines.push_back(&line);
  }
  Culprits worst;
  for (auto& [name, culprits] : by_mnemonic)
    if (culprits.share > worst.share) worst = std::move(culprits);
  worst.of_all = all;
  std::stable_sort(worst.lines.begin(), worst.lines.end(),
                   [&](const LineStalls* a, const LineStalls* b) { return share_in(cause, *a) > share_in(cause, *b); });
  return worst;
}

std::string culprits_text(const Culprits& worst, Cause cause) {
  const LineStalls& first = *worst.lines.front();
  const bool one = worst.lines.size() == 1;
  const std::string where =
      one ? place_text(first) : fmt::format("{} lines of {}", worst.lines.size(), mnemonic(first));
  const std::string part =
      worst.share == worst.of_all ? "all" : fmt::format("{:.0f} %", percent(worst.share, worst.of_all));
  if (cause == Cause::atomics)
    return fmt::format("{} atomics come from {}{}", part == "all" ? "All" : part + " of the", where,
                       one ? "" : fmt::format(", such as {:04x}", first.pc));
  const bool sectors = cause == Cause::uncoalesced;
  const std::string amount =
      fmt::format("{:.1f} {} per request", per_request(sectors ? first.memory.sectors : first.memory.passes, first),
                  sectors ? "sectors" : "passes");
  return fmt::format("{} {} {} of the extra {}, {}", where, one ? "has" : "have", part, sectors ? "sectors" : "passes",
                     one ? "with " + amount : fmt::format("{:04x} the most, with {}", first.pc, amount));
}

std::uint64_t warp_cycles(const KernelReport& kernel) {
  std::uint64_t sum = 0;
  for (const LineStalls& line : kernel.lines)
    for (const auto& [reason, cycles] : line.stalls) sum += cycles;
  return sum;
}

/// "at 01d0 IADD3 R5, R2, R3 (long_scoreboard)", or "most at ..." of several lines.
std::string at_text(const Wait& wait) {
  return fmt::format("{}at {:04x} {} ({})", wait.at_line < wait.cycles ? "most " : "", wait.line->pc,
                     printable(wait.line->text), wait.reason);
}

/// Behind the culprits: how long, and where, warps wait for them.
std::string wait_for_them(const Wait& wait, const Culprits& worst, double share) {
  constexpr double kLeast = 0.5;
  if (wait.line == nullptr || share < kLeast) return {};
  return fmt::format("; warps wait {:.0f} % of their cycles for {}, {}at {:04x} {} ({})", share,
                     worst.lines.size() == 1 ? "it" : "them", wait.at_line < wait.all ? "longest " : "", wait.line->pc,
                     printable(wait.line->text), wait.reason);
}

std::string wait_text(const Wait& wait, std::uint64_t all_cycles, bool longest) {
  constexpr double kMuchMore = 1.5;
  const char* more = longest ? " longest" : "";
  const double share = percent(wait.cycles, all_cycles);
  std::string text = wait.producers.empty()
                         ? fmt::format("Warps wait{} at {:04x} {}: {:.0f} % of their cycles ({})", more, wait.line->pc,
                                       printable(wait.line->text), share, wait.reason)
                         : fmt::format("Warps wait{} for {}: {:.0f} % of their cycles, {}", more,
                                       places_text(wait.producers), share, at_text(wait));
  if (static_cast<double>(wait.all) > kMuchMore * static_cast<double>(wait.cycles))
    text += fmt::format("; all such waits are {:.0f} %", percent(wait.all, all_cycles));
  return text;
}

/// What no fetch can shorten: the code is longer than the caches.
std::string code_text(const KernelReport& kernel) {
  if (kernel.lines.size() < 2) return {};
  std::uint32_t step = UINT32_MAX;
  for (std::size_t i = 1; i < kernel.lines.size(); ++i)
    if (kernel.lines[i].pc > kernel.lines[i - 1].pc) step = std::min(step, kernel.lines[i].pc - kernel.lines[i - 1].pc);
  constexpr double kKibibyte = 1024;
  return fmt::format("The {} instructions that it executes are {:.1f} KiB of code", kernel.lines.size(),
                     static_cast<double>(kernel.lines.size() * step) / kKibibyte);
}

/// Whether a wait follows from the cause.
Waits::Takes takes(Cause cause, std::string_view pipe) {
  return [cause, pipe](const LineStalls& line, std::string_view reason, const LineStalls& producer) {
    if (!follows(cause, reason)) return false;
    if (!pipe.empty()) return producer.pipe == pipe;
    if (cause == Cause::divergence) return line.threads <= kFewLanes * line.executed;
    return true;
  };
}

}  // namespace

Where find_where(const KernelReport& kernel, Cause cause, std::string_view pipe) {
  Where where;
  if (cause == Cause::instruction_cache) return {code_text(kernel), {}, {}, {}, 0};
  const Culprits worst = find_culprits(kernel, cause);
  const Waits waits(kernel);
  const Waits::Takes of_cause = takes(cause, pipe);
  const Wait wait = waits.longest([&](const LineStalls& line, std::string_view reason, const LineStalls& producer) {
    return of_cause(line, reason, producer) &&
           (worst.lines.empty() || std::find(worst.lines.begin(), worst.lines.end(), &producer) != worst.lines.end());
  });
  const std::uint64_t all = warp_cycles(kernel);
  if (wait.line != nullptr) {
    where.line = wait.line->pc;
    where.reason = wait.reason;
    where.share = percent(wait.cycles, all);
    for (const LineStalls* producer : wait.producers) where.waits_for.push_back(producer->pc);
  }
  if (!worst.lines.empty()) {
    where.sentence = culprits_text(worst, cause) + wait_for_them(wait, worst, percent(wait.all, all));
  } else if (wait.line != nullptr) {
    const Wait any = waits.longest([](const auto&, std::string_view, const auto&) { return true; });
    where.sentence = wait_text(wait, all, any.cycles <= wait.cycles);
  }
  return where;
}

}  // namespace sassim::report
