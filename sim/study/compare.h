// SPDX-License-Identifier: Apache-2.0
// A simulated run beside a profile of real hardware: joined per kernel, per quantity, with errors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/result.h"
#include "sim/study/ncu_csv.h"

namespace sassim::study {

/// What is compared. A quantity is read from the first of its metrics that exists; `cycles` is the one that matters,
/// `counter` quantities say whether it is right for the right reason, `state` quantities are shown only.
struct Quantity {
  enum class Kind { cycles, counter, rate, state };
  std::string name;
  Kind kind = Kind::counter;
  std::vector<std::string> simulated, hardware;  ///< metric names, or sums "a+b", in order of preference
  double tolerance = 0;                          ///< relative; percentage points for a rate
  double floor = 1;  ///< errors are relative to the hardware's value or to this, whichever is larger
};
const std::vector<Quantity>& quantities();

struct Difference {
  const Quantity* quantity = nullptr;
  double simulated = 0, hardware = 0;
  double error =
      0;  ///< what is judged; signed: relative to the hardware's value or the floor, or points / 100 of a rate
  /// Relative to the hardware's value alone; nothing where that is 0.
  std::optional<double> relative() const;
  /// The hardware's value is so small that the error is judged relative to the floor.
  bool below_floor() const;
  bool within() const;
};

struct KernelComparison {
  std::string name;        ///< without parameters
  std::size_t launch = 0;  ///< which launch of that name, from 0
  std::vector<Difference> differences;
  const Difference* find(std::string_view quantity) const;
  /// Cycles are within tolerance while a counter is not.
  bool right_for_wrong_reason() const;
};

struct ErrorSummary {
  std::string quantity;
  std::size_t kernels = 0, within = 0;
  double mean = 0, p90 = 0, worst = 0;  ///< of the absolute errors
  std::string worst_kernel;
};

struct Comparison {
  std::vector<KernelComparison> kernels;
  std::vector<std::string> only_simulated, only_hardware;
  std::vector<ErrorSummary> summary() const;
};

/// "void ns::transpose<1>(float const*, int)", "_Z9transposePKfi" and "transpose" all give "transpose".
std::string bare_name(std::string_view kernel);

/// "+12.3 %", with the floor beside it where that is what was judged; "+1.2 pt" for a rate.
std::string error_text(const Difference& difference);

/// Joins the k-th launch of each name on both sides. Throws InputError when two that are joined differ in their grids
/// or blocks, or when the simulated one is a slice of its launch.
Comparison compare(const std::vector<report::KernelReport>& simulated, const std::vector<ProfiledKernel>& hardware);

/// A table per kernel (cycles and what is out of tolerance), then the summary.
std::string to_text(const Comparison&, bool every_quantity);
/// One self-contained page.
std::string to_html(const Comparison&, std::string_view title);

}  // namespace sassim::study
