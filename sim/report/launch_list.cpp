// SPDX-License-Identifier: Apache-2.0
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

std::string LaunchList::head() {
  return fmt::format("{:>5}{:>12}{:>14}{:>9}{:>9}  {:<18}{}\n", "#", "cycles", "duration", "SM %", "memory %",
                     "bound by", "kernel  grid  block");
}

/// Of kernels side by side the time in which some ran counts once: cycles of this kernel after all before it.
double LaunchList::not_counted(const BesideReport& beside) {
  if (beside.group != group_) group_ = beside.group, group_end_ = 0;
  const std::uint64_t before = std::exchange(group_end_, std::max(group_end_, beside.end));
  return static_cast<double>(group_end_ - std::min(before, group_end_));
}

std::string LaunchList::line(const KernelReport& kernel) {
  const double cycles = metric_of(kernel, "gpc__cycles_elapsed.max"),
               time = metric_of(kernel, "gpu__time_duration.sum");
  const double own = kernel.beside ? not_counted(*kernel.beside) : cycles;
  cycles_ += own, nanoseconds_ += cycles == 0 ? 0 : time * own / cycles;
  instructions_ += static_cast<double>(kernel.warp_instructions);
  std::string text =
      fmt::format("{:>5}{:>12.0f}{:>14}{:>9}{:>9}  {:<18}{}  {}x{}x{}  {}x{}x{}{}\n", launches_++, cycles,
                  options_.for_people ? number_text(time, "ns", true) : fmt::format("{:.0f}", time),
                  share_of(kernel, "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
                  share_of(kernel, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
                  kernel.fault    ? "(faulted)"
                  : kernel.beside ? "(side by side)"
                                  : cause_row(find_bound(kernel).cause).name,
                  short_name(kernel, options_.mangled), kernel.grid.x, kernel.grid.y, kernel.grid.z, kernel.block.x,
                  kernel.block.y, kernel.block.z, slice_mark(kernel));
  for (const std::string& note : kernel.notes)
    if (told_.insert(note).second) text += fmt::format("{:>5}  note: {}\n", "", printable(note));
  if (kernel.fault) text += fmt::format("{:>5}  fault: {}\n", "", printable(kernel.fault->message));
  return text;
}

std::string LaunchList::totals() const {
  const bool people = options_.for_people;
  return fmt::format("{}: {}, {}, {}\n", count_text(launches_, "launch"), number_text(cycles_, "cycle", people),
                     number_text(nanoseconds_, "ns", people), number_text(instructions_, "warp instruction", people));
}

}  // namespace sassim::report
