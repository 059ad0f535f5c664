// SPDX-License-Identifier: Apache-2.0
// The trace doctor: what in a trace cannot have happened, or is not what the configuration says.
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
  architecture,    ///< the trace is for another architecture than the configuration
  unknown_opcode,  ///< the opcode table has no such mnemonic
  truncated_warp,  ///< threads never came to their EXIT
  mask,            ///< no active threads, threads that do not exist or have exited, lanes that are not active
  address,         ///< misaligned, beyond shared or local memory, or missing
  detail,          ///< what a step says of barriers, sleeps or copies does not belong to its instruction
  dependence,      ///< scheduled closer than the producer's latency
};
std::string_view check_name(Check check);

struct Finding {
  Check check = Check::architecture;
  std::optional<std::uint32_t> pc;
  std::string message;
  std::string where;  ///< the first time: "block 3, warp 0, step 17"
  std::uint64_t times = 1;

  std::string text() const;
};

struct LintOptions {
  std::optional<int> arch;  ///< 70, 75, ...: what the trace should be for
  /// Cycles from issue until a dependent instruction may issue, for fixed-latency instructions. Empty: dependences are
  /// not checked.
  std::function<std::uint32_t(const isa::Decoded&)> latency;
  std::uint64_t blocks = ~std::uint64_t{0};  ///< look at the first so many only
  /// Look at the first so many executed warp instructions only: a file of a few bytes may hold loops of 2^48.
  std::uint64_t max_steps = 100'000'000;
};

struct LintResult {
  std::vector<Finding> findings;  ///< those that are the same but for where they happened are one
  bool complete = true;           ///< false: max_steps ended it
};

/// Throws InputError for damage.
LintResult lint(BlockSource& source, const LintOptions& options);

}  // namespace sassim::trace
