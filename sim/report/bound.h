// SPDX-License-Identifier: Apache-2.0
// What bounds a kernel: up to three causes with an estimate of what each costs, from its metrics and lines alone, for
// the report, the result file and pages.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/result.h"

namespace sassim::report {

enum class Cause : std::uint8_t {
  launch,       ///< the time before the first block
  write_drain,  ///< stores are still in flight after the last block has ended
  tail,         ///< the last blocks leave most of the GPU empty
  dram,
  l2,
  atomics,  ///< one L2 slice changes words for everybody
  l1,
  shared_memory,  ///< warps wait for shared memory that is not busy
  bank_conflicts,
  uncoalesced,
  fp64,
  pipe,
  tensor,
  uniform,
  control,  ///< units for branches, barriers and special registers
  issue,
  divergence,  ///< instructions are executed for few threads each
  instruction_cache,
  constants,
  occupancy,  ///< too few warps fit an SM to hide latency
  latency,    ///< warps wait for memory that is not busy
  barrier,
  dependences,  ///< warps wait for their own results
  fence,
  sleep,
  unknown,
  count_
};

struct CauseRow {
  Cause cause;
  std::string_view name;     ///< in JSON
  std::string_view phrase;   ///< in the sentence: "Bound by ..."
  std::string_view meaning;  ///< one line
  /// The idealisations of explore --what-if that remove it, the one that is about it alone first; empty: none does.
  std::array<std::string_view, 2> what_if;
};
const CauseRow& cause_row(Cause);

/// Where in the code the cause is.
struct Where {
  std::string sentence;               ///< for people, without a full stop; empty: no line explains the cause
  std::optional<std::uint32_t> line;  ///< PC at which warps wait
  std::string reason;
  std::vector<std::uint32_t> waits_for;  ///< PCs of the instructions that they really wait for
  double share = 0;                      ///< percent of the warps' cycles
};

struct CauseFound {
  Cause cause = Cause::unknown;
  double gain = 0;   ///< percent of the elapsed cycles that the kernel would take less without it, estimated
  std::string text;  ///< how much, and of what
};

struct Bound {
  Cause cause = Cause::unknown;                          ///< the first of `causes`
  std::vector<CauseFound> causes;                        ///< at most three, the largest gain first
  std::vector<std::pair<std::string, double>> evidence;  ///< numbers of the first cause, and metrics behind it
  std::string sentence;  ///< for people: the causes, where, and what else is to be known
  Where where;           ///< of the first cause that lines explain
};

/// Of a kernel without metrics: unknown, without a sentence.
Bound find_bound(const KernelReport& kernel);
/// The causes alone, for who needs no sentence, no evidence and no place: it takes a third of the time.
Bound find_causes(const KernelReport& kernel);
/// One word for a list of launches: the cause, or why there is none.
std::string_view bound_name(const KernelReport& kernel);
nlohmann::ordered_json to_json(const Bound&);
/// The causes and their gains alone: find_bound() composes the rest again from what a reader has of the kernel.
nlohmann::ordered_json brief_json(const Bound&);

}  // namespace sassim::report
