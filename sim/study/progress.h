// SPDX-License-Identifier: Apache-2.0
// How far long work is: the line that a terminal shows over and over, and the snapshot that SIGUSR1 asks for.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/gpu.h"
#include "sim/trace/kernel.h"

namespace sassim::study {

struct WorkDone {
  std::string kernel;                       ///< the one that runs
  std::size_t number = 0, kernels = 0;      ///< which one it is, from 1, and of how many; 0: not known
  bool recording = false;                   ///< the emulator executes it; it is not timed yet
  std::uint64_t warp_instructions = 0;      ///< executed so far
  std::uint64_t all_warp_instructions = 0;  ///< to execute; 0: not known
  std::uint64_t cycles = 0;                 ///< of the kernel that runs, as the next two
  std::uint64_t blocks_ended = 0, blocks = 0;
  double seconds = 0;  ///< that the host took for the warp instructions

  double per_second() const;
  std::optional<double> seconds_left() const;
};

/// "43.2 % of 12.3 M warp instructions, 1.23 M/s, 34 s left: kernel 2 of 5, sgemm", without an end of line.
std::string progress_line(const WorkDone&);
/// What SIGUSR1 prints: a few lines.
std::string snapshot_text(const WorkDone&);
/// "34 s", "12 min", "2.1 h"
std::string duration_text(double seconds);

/// Kernels that run one after the other.
class RunProgress {
 public:
  explicit RunProgress(const std::vector<std::shared_ptr<trace::BlockSource>>& kernels);
  void kernel_done(std::uint64_t warp_instructions);
  WorkDone now(const arch::KernelProgress& kernel) const;

 private:
  const std::vector<std::shared_ptr<trace::BlockSource>>& kernels_;
  std::uint64_t all_ = 0, done_ = 0;
  std::size_t number_ = 0;  ///< kernels that are done
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Opens every so often.
class Interval {
 public:
  explicit Interval(std::chrono::milliseconds length) : length_(length) {}
  bool over();

 private:
  std::chrono::milliseconds length_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A line on standard error that is written over and over; nothing where that is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool on_terminal() const { return terminal_; }
  /// What does not fit into the terminal's width is cut off.
  void show(const std::string& text);
  void clear();

 private:
  bool terminal_, shown_ = false;
};

}  // namespace sassim::study
