// SPDX-License-Identifier: Apache-2.0
// What bounds a kernel: the one decision, from its metrics and lines alone, for the report, the result file and pages.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/result.h"

namespace sassim::report {

enum class Cause : std::uint8_t {
  launch,       ///< more time goes before the first block and after the last than between them
  write_drain,  ///< stores are still in flight after the last block has ended
  small_grid,   ///< SMs get no block
  tail,         ///< the last blocks leave most of the GPU empty
  dram,
  l2,
  atomics,  ///< one L2 slice changes words for everybody
  l1,
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
  std::string_view what_if;  ///< the idealisation of explore --what-if that removes it; empty: none does
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

struct Bound {
  Cause cause = Cause::unknown;
  std::vector<std::pair<std::string, double>> evidence;  ///< numbers of the sentence, and metrics behind it
  std::string sentence;                                  ///< two, for people; one if no line explains the cause
  Where where;
};

/// Of a kernel without metrics: unknown, without a sentence.
Bound find_bound(const KernelReport& kernel);
/// One word for a list of launches: the cause, or why there is none.
std::string_view bound_name(const KernelReport& kernel);
nlohmann::ordered_json to_json(const Bound&);

}  // namespace sassim::report
