// SPDX-License-Identifier: Apache-2.0
// Runs a tool of the CUDA Toolkit (nvdisasm, ptxas, nvlink) and returns its output, with limits on time and size.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace sassim::isa {

struct OutputLimits {
  std::chrono::milliseconds time;
  std::size_t bytes;
};

struct ChildOutput {
  enum class End { well, badly, too_late, too_long };
  End end = End::badly;
  std::string text;  ///< standard output and error together
};

/// Waits for the program to end; if it exceeds a limit, it is killed. `arguments[0]` is its path, `input` the
/// descriptor that is its standard input. Throws InputError when it cannot be started.
ChildOutput run_for_output(std::vector<std::string> arguments, int input, const OutputLimits& limits);

}  // namespace sassim::isa
