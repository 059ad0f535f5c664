// SPDX-License-Identifier: Apache-2.0
// Writes --csv-ncu: our metrics in columns and units of an Nsight Compute profile.
#include "sim/report/ncu_stream.h"

#include <fmt/format.h>

#include <cctype>

#include "sim/base/csv.h"
#include "sim/base/demangle.h"
#include "sim/base/markup.h"
#include "sim/base/printable.h"

namespace sassim::report {

namespace {

/// What Nsight Compute prints; units that it leaves out are empty.
std::string nsight_unit(const std::string& unit) {
  if (unit == "register") return "register/thread";
  if (unit == "conflict" || unit == "wavefront" || unit == "ratio" || unit == "wave" || unit == "thread") return "";
  const std::string low = lower_case(unit);
  return low == "byte/s" ? "byte/second" : low;
}

std::string ncu_line(const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) text += (text.empty() ? "" : ",") + quoted_csv_cell(field);
  return text + "\n";
}

std::string triple(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

/// A profile has no column for a slice; this one is for people.
std::string process_name(const KernelReport& kernel) {
  return kernel.slice_blocks == 0
             ? "sassim"
             : fmt::format("sassim (slice: {} of {} blocks)", kernel.slice_blocks, kernel.grid.count());
}

}  // namespace

NcuStream::NcuStream(const std::string& path, std::string gpu, int arch)
    : file_(path), gpu_(std::move(gpu)), arch_(fmt::format("{}.{}", arch / 10, arch % 10)) {}

void NcuStream::write_head(const KernelReport& kernel) {
  std::vector<std::string> names = {"ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                                    "Stream", "Block Size", "Grid Size",    "Device",    "CC"};
  std::vector<std::string> units(names.size());
  for (const auto& [row, value] : kernel.metrics.all()) {
    if (!row->of_nsight()) continue;
    metrics_.push_back(row->name);
    names.push_back(row->name);
    units.push_back(nsight_unit(row->unit));
  }
  file_.write(ncu_line(names) + ncu_line(units));
}

void NcuStream::add(const KernelReport& kernel) {
  if (kernel.fault) return;
  if (metrics_.empty()) write_head(kernel);
  std::vector<std::string> fields = {std::to_string(count_++),
                                     "0",
                                     process_name(kernel),
                                     "simulated",
                                     printable(demangled(kernel.name)),
                                     "1",
                                     "7",
                                     triple(kernel.block),
                                     triple(kernel.grid),
                                     gpu_,
                                     arch_};
  for (const std::string& name : metrics_)
    fields.push_back(kernel.metrics.has(name) ? fmt::format("{}", kernel.metrics[name]) : "n/a");
  file_.write(ncu_line(fields));
}

}  // namespace sassim::report
