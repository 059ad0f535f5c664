// SPDX-License-Identifier: Apache-2.0
// What bounds a kernel: the one decision, from its metrics and lines alone, for the report, the result file and pages.
#pragma once

#include <nlohmann/json_fwd.hpp>
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

struct Bound {
  Cause cause = Cause::unknown;
  std::vector<std::pair<std::string, double>> evidence;  ///< numbers of the sentence, and metrics behind it
  std::string sentence;                                  ///< one or two, for people
};

/// Of a kernel without metrics: unknown, without a sentence.
Bound find_bound(const KernelReport& kernel);
/// One word for a list of launches: the cause, or why there is none.
std::string_view bound_name(const KernelReport& kernel);
nlohmann::ordered_json to_json(const Bound&);

/// The line with the most cycles of stalls, and their largest reason; nullptr: no warp ever waited.
struct Hottest {
  const LineStalls* line = nullptr;
  std::string reason;
  std::uint64_t cycles = 0;
};
Hottest hottest_line(const KernelReport& kernel);
/// Whether a line that stalls for this reason waits for an instruction before it.
bool waits_for_another(std::string_view reason);
/// The instruction that `line` waits for, as "LDG.E R2, [R4] at 0090"; empty: not known.
std::string awaited(const KernelReport& kernel, const LineStalls& line);

}  // namespace sassim::report
