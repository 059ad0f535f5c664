// SPDX-License-Identifier: Apache-2.0
// Limits of a program's kernels on given GPUs, for checks in continuous integration: `sassim check`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/config/yaml_tree.h"
#include "sim/pattern/pattern.h"
#include "sim/report/result.h"

namespace sassim::change {

/// Values that a metric may have.
struct Bounds {
  std::string metric;  ///< its full name
  std::string text;    ///< as the file says it, such as "12000" or "0 to 20us"
  std::optional<double> least, most;
  std::string unit;  ///< "byte" or "ns", if the file names it; empty: any
  config::Mark mark;
};

/// The limits of the kernels whose names a pattern matches.
struct KernelBudget {
  std::string text;
  Pattern kernels;
  std::vector<Bounds> bounds;
  config::Mark mark;
};

struct GpuBudget {
  std::string gpu;  ///< as --config takes it
  std::vector<KernelBudget> kernels;
};

struct Budgets {
  std::string file;
  std::vector<GpuBudget> gpus;
};

/// Reads a file of limits. Throws InputError with the place of a mistake and the form that is expected.
Budgets read_budgets(const std::string& text, const std::string& file);

/// One launch held to one limit.
struct Verdict {
  std::string gpu, kernel;
  std::size_t launch = 0;  ///< number among those of the same name, from 0
  std::string metric, limit;
  double value = 0;
  bool held = true;
};

/// Throws InputError if no kernel has the name or the metric of a limit: a mistake in a name would pass every check.
std::vector<Verdict> judge(const Budgets& budgets, const GpuBudget& gpu,
                           const std::vector<report::KernelReport>& kernels);

/// A table for a terminal: every limit that is broken, or all, and how many are held.
std::string to_text(const std::vector<Verdict>& verdicts, bool all);
/// For continuous integration: a suite for each GPU, and a test for each limit of each launch.
std::string to_junit(const std::vector<Verdict>& verdicts);

}  // namespace sassim::change
