// SPDX-License-Identifier: Apache-2.0
// The targets of a validation: published values, and results measured on real hardware.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::validate {

struct Tolerance {
  double abs = 0, rel = 0;
  /// True if |simulated - expected| <= max(abs, rel * |expected|), with a margin for the rounding of printed numbers.
  bool accepts(double expected, double simulated) const;
};

/// How the simulated value must relate to the expected one.
enum class Relation { equal, at_most, at_least, below };

/// A row of a file of values: what is expected, and what answers it, that is, gives the simulated value: a program that
/// is run, or the configuration.
struct Target {
  std::string id, quantity, unit, source;
  std::optional<double> expected;  ///< empty if the published value is a word
  Tolerance tolerance;
  std::string benchmark;  ///< program and arguments; empty: no program answers the row
  std::string answer;     ///< the id that the program prints
  std::string reason;     ///< why neither a program nor the configuration answers the row
  bool published = true;  ///< true: from the literature; false: measured, in validation/measured
  std::string convert;    ///< expression over `answer` and keys that converts the printed unit to the target's
  std::string key;        ///< expression over configuration keys that hold the value; for a range, "A .. B"
  std::optional<double> expected_to;  ///< the upper end of a range
  Relation relation = Relation::equal;
  bool full = false;  ///< of a run over the whole range (full=1), longer than a simulator usually runs
  std::optional<double> full_value = {};  ///< the value of such a run, if `expected` is of a short run
};

/// The rows of a file of validation/published for this GPU. Throws InputError with file and line, also for a row with
/// an unknown key and for a row without answer and reason.
std::vector<Target> load_published(const std::string& path, std::string_view gpu);

/// The values of a file of validation/measured, one target each, with the tolerance of its kind of quantity and the
/// size of its run. `gpu` is prefixed to the ids.
std::vector<Target> load_hardware(const std::string& path, std::string_view gpu);

/// The file of `data`/measured that load_hardware reads for a GPU: GPU.json.xz or GPU.json; empty if there is none.
std::string hardware_file(const std::filesystem::path& data, const std::string& gpu);

/// A command that a subset runs. Without `answers`, it answers the targets whose benchmark it is. With `answers`, it
/// answers the targets with this id, or with this id, a dot and more, in place of their own benchmark: a part of a
/// range that is too long for one run.
struct SubsetCommand {
  std::string command, answers;
  bool runs_for(const Target&) const;
};

/// The subset `name` of validation/subsets.yaml. Throws InputError if it is absent.
std::vector<SubsetCommand> load_subset(const std::string& path, const std::string& name);

/// Keeps the targets that the configuration answers and those that the subset runs, each with the subset's command. A
/// command with full=1 answers only values of full runs.
void select(std::vector<Target>& targets, const std::vector<SubsetCommand>& subset);

/// Exact for latencies of instructions and sizes; one cycle or 2 % for other latencies; 5 % for rates; 10 % for
/// contention and for latency under load.
Tolerance tolerance_for(std::string_view id, std::string_view unit);

}  // namespace sassim::validate
