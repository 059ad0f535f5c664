// SPDX-License-Identifier: Apache-2.0
// A run as `ncu --csv --page raw --print-units base` writes a profile: names, units, then a row for each launch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/report/result.h"

namespace sassim::report {

class NcuStream {
 public:
  /// `gpu` and `arch` (70 for sm_70) are what the profile says of the device.
  NcuStream(const std::string& path, std::string gpu, int arch);
  /// The first kernel with metrics decides the columns. A kernel that faulted has no row, as in a profile.
  void add(const KernelReport& kernel);
  /// A line of the kind that a profile has between its rows.
  void stopped(const std::string& partial) { file_.write("==sassim== " + partial + "\n"); }
  void finish() { file_.commit(); }

 private:
  void write_head(const KernelReport& kernel);

  DurableFile file_;
  std::string gpu_, arch_;
  std::vector<std::string> metrics_;
  std::size_t count_ = 0;
};

}  // namespace sassim::report
