// SPDX-License-Identifier: Apache-2.0
// Compares a simulated run with a profile of real hardware, per kernel and per quantity.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/result.h"
#include "sim/validate/ncu_csv.h"

namespace sassim::validate {

/// A quantity that is compared, read from the first of its metrics that exists. `cycles` matters most; `counter`
/// quantities show whether the cycles are right for the right reason; `state` quantities are shown but not judged.
struct Quantity {
  enum class Kind { cycles, counter, rate, state };
  std::string name;
  Kind kind = Kind::counter;
  std::vector<std::string> simulated, hardware;  ///< metric names, or sums "a+b", in order of preference
  double tolerance = 0;                          ///< relative; percentage points for a rate
  double floor = 1;  ///< the error is relative to the larger of the hardware's value and this
  bool judged() const { return kind != Kind::state; }
};
const std::vector<Quantity>& quantities();

struct Difference {
  const Quantity* quantity = nullptr;
  double simulated = 0, hardware = 0;
  double error =
      0;  ///< the judged error, with sign: relative to the hardware's value or the floor; for a rate, points / 100
  /// Relative to the hardware's value; empty if that is 0.
  std::optional<double> relative() const;
  /// The hardware's value is below the floor, so that the error is relative to the floor.
  bool below_floor() const;
  bool within() const;  ///< true of a quantity that is not judged
};

struct KernelComparison {
  std::string name;        ///< without parameters
  std::size_t launch = 0;  ///< number of this launch among those of the same name, from 0
  std::vector<Difference> differences;
  const Difference* find(std::string_view quantity) const;
  /// Cycles are within tolerance while a counter is not.
  bool right_for_wrong_reason() const;
};

struct ErrorSummary {
  std::string quantity;
  std::size_t kernels = 0, within = 0;
  double mean = 0, p90 = 0, worst = 0;  ///< statistics of the absolute errors
  std::string worst_kernel;
};

struct Comparison {
  std::vector<KernelComparison> kernels;
  std::vector<std::string> only_simulated, only_hardware;
  std::vector<ErrorSummary> summary() const;
};

/// "void ns::transpose<1>(float const*, int)", "_Z9transposePKfi" and "transpose" all give "transpose".
std::string bare_name(std::string_view kernel);

/// "+12.3 %", with the floor if the error is relative to it; "+1.2 pt" for a rate; "not judged".
std::string error_text(const Difference& difference);

/// Joins the k-th launches of each name. Throws InputError when two joined launches have different grids or blocks, or
/// when the simulated one is a slice of its launch.
Comparison compare(const std::vector<report::KernelReport>& simulated, const std::vector<ProfiledKernel>& hardware);

/// A table per kernel (cycles and what is out of tolerance), then the summary.
std::string to_text(const Comparison&, bool every_quantity);
/// One self-contained HTML page.
std::string to_html(const Comparison&, std::string_view title);

}  // namespace sassim::validate
