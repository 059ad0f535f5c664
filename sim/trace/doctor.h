// SPDX-License-Identifier: Apache-2.0
// The work of `sassim trace lint`: finds what cannot have happened in a trace, or does not match the configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/isa/opcode.h"
#include "sim/trace/kernel.h"

namespace sassim::trace {

enum class Check : std::uint8_t {
  architecture,    ///< the architecture is not the configuration's
  unknown_opcode,  ///< the mnemonic is not in the opcode table
  truncated_warp,  ///< threads that never reached an EXIT
  mask,            ///< no active threads, threads that do not exist or have exited, lanes that are not active
  address,         ///< misaligned, outside of shared or local memory, or missing
  detail,          ///< the detail does not belong to its instruction
  dependence,      ///< issued earlier than the producer's latency allows
};
std::string_view check_name(Check check);

struct Finding {
  Check check = Check::architecture;
  std::optional<std::uint32_t> pc;
  std::string message;
  std::string where;  ///< place of the first occurrence: "block 3, warp 0, step 17"
  std::uint64_t times = 1;

  std::string text() const;
};

struct LintOptions {
  std::optional<int> arch;  ///< the expected architecture: 70, 75, ...
  /// Cycles from the issue of a fixed-latency instruction to the issue of a dependent one. Empty: dependences are not
  /// checked.
  std::function<std::uint32_t(const isa::Decoded&)> latency;
  std::uint64_t blocks = ~std::uint64_t{0};  ///< number of blocks to examine, from the first on
  /// Number of executed warp instructions to examine: a file of a few bytes may contain loops with 2^48 of them.
  std::uint64_t max_steps = 100'000'000;
};

struct LintResult {
  std::vector<Finding> findings;  ///< findings that differ only in their place are one finding
  bool complete = true;           ///< false: stopped at max_steps
};

/// Throws InputError for a damaged trace.
LintResult lint(BlockSource& source, const LintOptions& options);

}  // namespace sassim::trace
