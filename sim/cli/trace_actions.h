// SPDX-License-Identifier: Apache-2.0
// The subcommands of `sassim trace`, one function each. Results go to standard output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.h"

namespace sassim::cli {

/// Kernels of a trace: numbers from 0, or parts of names. Empty: all.
using KernelChoice = std::vector<std::string>;

struct TraceInfoOptions {
  std::string trace, json;
};
ExitStatus trace_info(const TraceInfoOptions& options);

struct TraceDumpOptions {
  std::string trace;
  KernelChoice kernels;
  std::string blocks;  ///< a list; empty: all
  std::optional<std::uint32_t> warp;
  std::uint64_t limit = 1000;  ///< steps
  bool code = false;           ///< true: print the static code instead of executed steps
};
ExitStatus trace_dump(const TraceDumpOptions& options);

struct TraceSliceOptions {
  std::string trace, out;
  KernelChoice kernels;
  std::string blocks;
  bool uncompressed = false;
};
ExitStatus trace_slice(const TraceSliceOptions& options);

struct TraceLintOptions {
  std::vector<std::string> traces;
  std::string config;  ///< the configuration whose latencies are used to check dependences; empty: no check
  std::vector<std::string> overrides;
  std::uint64_t blocks = ~std::uint64_t{0};
  std::uint64_t max_steps = 100'000'000;  ///< per kernel
};
/// Returns check_failed if there are findings.
ExitStatus trace_lint(const TraceLintOptions& options);

struct TraceImportOptions {
  std::string traceg, out;
  std::string cubin;  ///< a cubin, or a listing of nvdisasm or cuobjdump
};
ExitStatus trace_import(const TraceImportOptions& options);

}  // namespace sassim::cli
