// SPDX-License-Identifier: Apache-2.0
// What `sassim trace` does, one function per subcommand. Results go to standard output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.h"

namespace sassim::cli {

/// Which kernels of a trace: by number, counted from 0, or by part of the name. Empty: all.
using KernelChoice = std::vector<std::string>;

struct TraceInfoOptions {
  std::string trace, json;
};
ExitStatus trace_info(const TraceInfoOptions& options);

struct TraceDumpOptions {
  std::string trace;
  KernelChoice kernels;
  std::string blocks;  ///< LIST; empty: all
  std::optional<std::uint32_t> warp;
  std::uint64_t limit = 1000;  ///< steps
  bool code = false;           ///< the static code instead of what ran
};
ExitStatus trace_dump(const TraceDumpOptions& options);

struct TraceSliceOptions {
  std::string trace, out;
  KernelChoice kernels;
  std::string blocks;
};
ExitStatus trace_slice(const TraceSliceOptions& options);

struct TraceLintOptions {
  std::vector<std::string> traces;
  std::string config;  ///< whose latencies dependences are checked against; empty: they are not checked
  std::vector<std::string> overrides;
  std::uint64_t blocks = ~std::uint64_t{0};
  std::uint64_t max_steps = 100'000'000;  ///< of each kernel
};
/// check_failed when there are findings.
ExitStatus trace_lint(const TraceLintOptions& options);

struct TraceImportOptions {
  std::string traceg, out;
  std::string cubin;  ///< or a listing of nvdisasm or cuobjdump
};
ExitStatus trace_import(const TraceImportOptions& options);

}  // namespace sassim::cli
