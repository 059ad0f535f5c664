// SPDX-License-Identifier: Apache-2.0
// What a simulation gives back: its launches, with their cycles and metrics.
#pragma once

#include <sassim/trace.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sassim {

/// A counted or derived number. Names are Nsight Compute's if the meaning is the same, otherwise they begin with
/// "sassim__".
struct Metric {
  std::string name, unit;
  std::string meaning;  ///< one sentence
  double value = 0;
  bool whole = true;  ///< a count, without a fraction
};

/// Sorted by name.
class Metrics {
 public:
  Metrics() = default;
  explicit Metrics(std::vector<Metric> all) : all_(std::move(all)) {}

  /// nullptr: there is no metric of this name.
  const Metric* find(const std::string& name) const;
  /// Throws Error (usage) that names the nearest one if there is none.
  double operator[](const std::string& name) const;
  std::size_t size() const { return all_.size(); }
  std::vector<Metric>::const_iterator begin() const { return all_.begin(); }
  std::vector<Metric>::const_iterator end() const { return all_.end(); }

 private:
  std::vector<Metric> all_;
};

/// What a launch did.
struct Launch {
  std::size_t number = 0;  ///< in its run, from 0
  KernelInfo kernel;
  std::uint64_t cycles = 0;  ///< gpc__cycles_elapsed.max
  std::uint64_t warp_instructions = 0;
  Metrics metrics;
  std::vector<std::string> notes;  ///< remarks for the reader of the numbers
};

/// The launches of one run.
struct Result {
  std::vector<Launch> launches;
  /// The bytes that `sassim run --json` writes (schema sassim-result/1), with the stalls of each line of SASS.
  std::string json;
};

}  // namespace sassim
