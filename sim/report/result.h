// SPDX-License-Identifier: Apache-2.0
// A run's result as the commands hand it around: what `--json` writes, and what `compare`, `exec` and the reports read.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/types.h"
#include "sim/stats/metrics.h"

namespace sassim::report {

/// What the memory instructions of a line asked for.
struct LineMemory {
  std::uint64_t requests = 0;                    ///< warp instructions with at least one lane
  std::uint64_t sectors = 0, ideal_sectors = 0;  ///< of the L1; if the lanes' data lay side by side
  std::uint64_t passes = 0, ideal_passes = 0;    ///< of the data stage; without bank conflicts
  bool operator==(const LineMemory&) const = default;
};

/// Where a kernel's time went, one row per SASS instruction that was executed.
struct LineStalls {
  std::uint32_t pc = 0;
  std::string text;
  std::uint64_t executed = 0;                                   ///< warp instructions
  std::vector<std::pair<std::string, std::uint64_t>> stalls{};  ///< warp cycles by reason, zero ones left out
  std::uint64_t threads = 0;                                    ///< active ones of all executions
  std::string control{};                                        ///< control bits, as "B0-----:R-:W2:-:S04"; empty: none
  std::vector<std::uint32_t>
      waits_for{};  ///< PCs of what it waits for: behind its dependence counters, or at a barrier
  LineMemory memory{};
  std::string file{};  ///< of CUDA source; empty: not known
  std::uint32_t source_line = 0;
  std::string op{}, pipe{};  ///< op class and pipe, as in sm.pipes.ops.OP.pipe; empty: not known
  bool operator==(const LineStalls&) const = default;
};

/// Counters over time: what was counted in each interval. The sum over the intervals is the metric of that name.
struct SeriesReport {
  std::uint64_t interval = 0;  ///< cycles; the last interval ends with the kernel
  std::vector<std::pair<std::string, std::vector<std::uint64_t>>> counters;
  bool operator==(const SeriesReport&) const = default;
};

/// Why a kernel did not come to its end.
struct KernelFault {
  std::string kind;     ///< "illegal address"
  std::string message;  ///< all of it, as on standard error
  std::uint32_t pc = 0;
  std::string sass;
  bool operator==(const KernelFault&) const = default;
};

/// About a kernel that ran beside others. Its metrics are then those that it has for itself.
struct BesideReport {
  std::uint64_t group = 0;           ///< number of the group of kernels, in the process
  std::uint64_t kernels = 0;         ///< of the group
  std::uint64_t ready = 0, end = 0;  ///< in SM cycles from when the first kernel of the group was ready
  bool operator==(const BesideReport&) const = default;
};

/// About a kernel of which only a part was to be timed (--sample).
struct SampledReport {
  std::string whole{};  ///< why all of it was timed; empty: only `blocks` of its thread blocks were
  std::uint64_t blocks = 0;
  std::uint64_t places = 0;  ///< of the grid, where throughput was measured
  double interval_pct = 0;   ///< the 95 % interval of the cycles is plus and minus this
  bool operator==(const SampledReport&) const = default;
};

/// About a launch that was executed and not timed (--sample-launches): it has the report of one like it.
struct StratumReport {
  std::uint64_t number = 0;  ///< of the launches that do the same work, in the process
  std::uint64_t timed = 0;   ///< launches of it that were timed and count
  double interval_pct = 0;   ///< the 95 % interval of this launch's cycles is plus and minus this
  double mean_pct = 0;       ///< the same of the mean of such launches
  bool operator==(const StratumReport&) const = default;
};

struct KernelReport {
  std::string name;
  Dim3 grid, block;
  std::string trace_hash;
  std::string trace;  ///< the file or folder that was replayed; empty: none was
  std::uint64_t slice_blocks =
      0;                        ///< thread blocks that were simulated, if the trace has not all of the grid's; 0: all
  std::string dependence_mode;  ///< "control_bits", or "scoreboard": what kept dependences
  stats::MetricSet metrics;
  std::uint64_t warp_instructions = 0;
  bool reused = false;             ///< an equal launch was simulated before; in no output
  std::vector<std::string> notes;  ///< "architecture mismatch allowed", ...
  std::vector<LineStalls> lines;
  std::optional<SeriesReport> series;  ///< if it was asked for
  std::optional<BesideReport> beside;
  std::optional<SampledReport> sampled;
  std::optional<StratumReport> stratum;
  std::optional<KernelFault> fault;  ///< such a kernel has no metrics
  bool operator==(const KernelReport&) const = default;
};

/// A kernel that was running when the run was stopped: what is known of it.
struct RunningKernel {
  std::string name;
  std::uint64_t cycles = 0, warp_instructions = 0, blocks_ended = 0, blocks = 0;
  bool recording = false;     ///< the emulator executed it, and it had not been timed
  std::string process = "1";  ///< of a program with several processes
};

struct HostReport {
  double seconds = 0;
  unsigned threads = 1;
  std::uint64_t warp_instructions = 0;
  std::uint64_t peak_rss_bytes = 0;
};

struct RunReport {
  std::string config_name, config_hash;
  std::string config_json;  ///< resolved: every key
  std::string commit;       ///< of the source that the command was built from; empty: not known
  int arch = 0;             ///< 70 for sm_70
  std::string caches;       ///< what each kernel found in the caches: "cold", ...; empty: not told
  std::vector<KernelReport> kernels;
  bool complete = true;  ///< false: the run was stopped; what was done by then is there
  HostReport host;
};

/// The schema "sassim-result/1". It has nothing that differs between two runs of the same input.
nlohmann::ordered_json to_json(const RunReport&);
/// What differs from run to run: the content of --host-json.
nlohmann::ordered_json to_json(const HostReport&);
nlohmann::ordered_json to_json(const RunningKernel&);
/// A single kernel. For several kernels, KernelWriter and KernelReader (kernel_json.h) leave out what repeats.
nlohmann::ordered_json to_json(const KernelReport&);
/// The inverse of to_json(KernelReport); throws InputError starting with `place`.
KernelReport kernel_from_json(const nlohmann::ordered_json&, const std::string& place);

/// For the user: so many launches were `reused`. Empty: none was.
std::string reused_text(std::uint64_t launches);
/// Peak resident memory of this process so far.
std::uint64_t peak_rss_bytes();
/// The largest of the processes that this one started and that have ended.
std::uint64_t peak_rss_bytes_of_a_child();

}  // namespace sassim::report
