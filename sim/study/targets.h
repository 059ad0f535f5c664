// SPDX-License-Identifier: Apache-2.0
// What a validation compares with: published values and results kept from real hardware.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::study {

struct Tolerance {
  double abs = 0, rel = 0;
  /// |simulated - expected| <= max(abs, rel * |expected|), with room for the rounding of printed numbers.
  bool accepts(double expected, double simulated) const;
};

/// What the answer must be to the expected value.
enum class Relation { equal, at_most, at_least, below };

struct Target {
  std::string id, quantity, unit, source;
  std::optional<double> expected;  ///< nothing: the published value is a word
  Tolerance tolerance;
  std::string benchmark;  ///< program and arguments; empty: no program answers it
  std::string answer;     ///< the id that the program prints
  std::string reason;     ///< why neither a program nor the configuration answers it
  bool published = true;  ///< from the literature; otherwise a run kept in validation/hardware
  std::string convert;    ///< expression over `answer` and keys, from the unit that the program prints to the target's
  std::string key;        ///< expression over keys of the configuration that state it, of a range "A .. B"
  std::optional<double> expected_to;  ///< the upper end of a range
  Relation relation = Relation::equal;
  bool full = false;  ///< of a run over the whole range (full=1), longer than what a simulator usually runs
  std::optional<double> full_value = {};  ///< what such a run gave, where `expected` is of a short one
};

/// The rows of a file of validation/published that concern this GPU. Throws InputError naming file and line, also for a
/// row that has a key nobody reads, or that neither a program nor the configuration answers without a reason.
std::vector<Target> load_published(const std::string& path, std::string_view gpu);

/// The values of a file of validation/hardware, one target each, with the tolerance of its kind of quantity and the
/// size of its run. `gpu` goes in front of the ids.
std::vector<Target> load_hardware(const std::string& path, std::string_view gpu);

/// What a subset runs, for targets whose benchmark it is. With `answers`, for those that the program answers under this
/// id or one that continues it with a dot, instead of their own benchmark: a part of a range that is too long for one
/// run.
struct SubsetCommand {
  std::string command, answers;
  bool runs_for(const Target&) const;
};

/// A named list of validation/subsets.yaml. Throws InputError when it is not there.
std::vector<SubsetCommand> load_subset(const std::string& path, const std::string& name);

/// Keeps the targets that the configuration states and those that the subset runs, each with the command that it names.
/// Like is compared with like: a command with full=1 answers values of full runs only.
void select(std::vector<Target>& targets, const std::vector<SubsetCommand>& subset);

/// Latencies of instructions and sizes exact, other latencies one cycle or 2 %, rates 5 %, contention and latency under
/// load 10 %.
Tolerance tolerance_for(std::string_view id, std::string_view unit);

}  // namespace sassim::study
