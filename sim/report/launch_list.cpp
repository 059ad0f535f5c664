// SPDX-License-Identifier: Apache-2.0
// Prints a line for each launch, and totals in which time of overlapping kernels counts once.
#include "sim/report/launch_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/demangle.h"
#include "sim/base/printable.h"
#include "sim/report/bound.h"
#include "sim/report/number_text.h"

namespace sassim::report {

namespace {

/// A share of the GPU; a kernel that ran beside others has none.
std::string share_of(const KernelReport& kernel, std::string_view name) {
  return kernel.beside ? "-" : fmt::format("{:.1f}", kernel.metrics.has(name) ? kernel.metrics[name] : 0);
}

double metric_of(const KernelReport& kernel, std::string_view name) {
  return kernel.metrics.has(name) ? kernel.metrics[name] : 0;
}

/// The name without parameters.
std::string short_name(const KernelReport& kernel, bool mangled) {
  return printable(mangled ? kernel.name : without_parameters(demangled(kernel.name)));
}

std::string slice_mark(const KernelReport& kernel) {
  return kernel.slice_blocks == 0 ? ""
                                  : fmt::format("  slice: {} of {} blocks", kernel.slice_blocks, kernel.grid.count());
}

}  // namespace

std::string LaunchList::head() const {
  return fmt::format("{:>5}{:>12}{:>14}{:>9}{:>9}  {:<18}{}\n", "#", "cycles",
                     options_.for_people ? "duration" : "duration ns", "SM %", "memory %", "bound by",
                     "kernel  grid  block");
}

/// Cycles of this kernel after all before it in its group.
double LaunchTotals::not_counted(const BesideReport& beside) {
  if (beside.group != group_) group_ = beside.group, group_end_ = 0;
  const std::uint64_t before = std::exchange(group_end_, std::max(group_end_, beside.end));
  return static_cast<double>(group_end_ - std::min(before, group_end_));
}

void LaunchTotals::add(const KernelReport& kernel) {
  const double cycles = metric_of(kernel, "gpc__cycles_elapsed.max");
  const double own = kernel.beside ? not_counted(*kernel.beside) : cycles;
  ++launches_, cycles_ += own;
  nanoseconds_ += cycles == 0 ? 0 : metric_of(kernel, "gpu__time_duration.sum") * own / cycles;
  instructions_ += static_cast<double>(kernel.warp_instructions);
}

std::string LaunchList::line(const KernelReport& kernel) {
  const double cycles = metric_of(kernel, "gpc__cycles_elapsed.max"),
               time = metric_of(kernel, "gpu__time_duration.sum");
  std::string text =
      fmt::format("{:>5}{:>12.0f}{:>14}{:>9}{:>9}  {:<18}{}  {}x{}x{}  {}x{}x{}{}\n", totals_.launches(), cycles,
                  options_.for_people ? number_text(time, "ns", true) : fmt::format("{:.0f}", time),
                  share_of(kernel, "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
                  share_of(kernel, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
                  bound_name(kernel), short_name(kernel, options_.mangled), kernel.grid.x, kernel.grid.y, kernel.grid.z,
                  kernel.block.x, kernel.block.y, kernel.block.z, slice_mark(kernel));
  totals_.add(kernel);
  for (const std::string& note : kernel.notes)
    if (told_.insert(note).second) text += fmt::format("{:>5}  note: {}\n", "", printable(note));
  if (kernel.fault) text += fmt::format("{:>5}  fault: {}\n", "", printable(kernel.fault->message));
  return text;
}

std::string LaunchList::totals() const {
  const bool people = options_.for_people;
  return fmt::format("{}: {}, {}, {}\n", count_text(totals_.launches(), "launch"),
                     number_text(totals_.cycles(), "cycle", people), number_text(totals_.nanoseconds(), "ns", people),
                     number_text(totals_.instructions(), "warp instruction", people));
}

}  // namespace sassim::report
