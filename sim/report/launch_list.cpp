// SPDX-License-Identifier: Apache-2.0
#include "sim/report/launch_list.h"

#include <fmt/format.h>

#include "sim/base/demangle.h"
#include "sim/base/printable.h"
#include "sim/report/bound.h"
#include "sim/report/number_text.h"

namespace sassim::report {

namespace {

double metric_of(const KernelReport& kernel, std::string_view name) {
  return kernel.metrics.has(name) ? kernel.metrics[name] : 0;
}

/// Without parameters: those of a row are told apart by what they do.
std::string short_name(const KernelReport& kernel, bool mangled) {
  std::string name = printable(mangled ? kernel.name : demangled(kernel.name));
  if (!mangled) name.resize(std::min(name.find('('), name.size()));
  return name;
}

}  // namespace

std::string LaunchList::head() {
  return fmt::format("{:>5}{:>12}{:>14}{:>9}{:>9}  {:<18}{}\n", "#", "cycles", "duration", "SM %", "memory %",
                     "bound by", "kernel  grid  block");
}

std::string LaunchList::line(const KernelReport& kernel) {
  const double cycles = metric_of(kernel, "gpc__cycles_elapsed.max"),
               time = metric_of(kernel, "gpu__time_duration.sum");
  cycles_ += cycles, nanoseconds_ += time;
  instructions_ += static_cast<double>(kernel.warp_instructions);
  return fmt::format("{:>5}{:>12.0f}{:>14}{:>9.1f}{:>9.1f}  {:<18}{}  {}x{}x{}  {}x{}x{}\n", launches_++, cycles,
                     options_.for_people ? number_text(time, "ns", true) : fmt::format("{:.0f}", time),
                     metric_of(kernel, "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
                     metric_of(kernel, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
                     kernel.fault ? "(faulted)" : cause_row(find_bound(kernel).cause).name,
                     short_name(kernel, options_.mangled), kernel.grid.x, kernel.grid.y, kernel.grid.z, kernel.block.x,
                     kernel.block.y, kernel.block.z);
}

std::string LaunchList::totals() const {
  const bool people = options_.for_people;
  return fmt::format("{}: {}, {}, {}\n", count_text(launches_, "launch"), number_text(cycles_, "cycle", people),
                     number_text(nanoseconds_, "ns", people), number_text(instructions_, "warp instruction", people));
}

}  // namespace sassim::report
