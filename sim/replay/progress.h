// SPDX-License-Identifier: Apache-2.0
// The progress of long work: a line on the terminal, and the snapshot that SIGUSR1 asks for.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/trace/kernel.h"

namespace sassim::replay {

struct WorkDone {
  std::string kernel;                       ///< the kernel that runs, as the program names it
  bool mangled = false;                     ///< show the name as it is
  std::size_t number = 0, kernels = 0;      ///< its number, from 1, and the number of kernels; 0: not known
  bool recording = false;                   ///< the emulator executes it; timing has not begun
  std::uint64_t warp_instructions = 0;      ///< executed so far
  std::uint64_t all_warp_instructions = 0;  ///< of the whole work; 0: not known
  std::uint64_t cycles = 0;                 ///< of the running kernel, like the next two
  std::uint64_t blocks_ended = 0, blocks = 0;
  double seconds = 0;  ///< the host's time for the executed warp instructions

  double per_second() const;
  std::optional<double> seconds_left() const;
};

/// "43.2 % of 12.3 M warp instructions, 1.23 M/s, 34 s left: kernel 2 of 5, sgemm", without a line end.
std::string progress_line(const WorkDone&);
/// The lines that SIGUSR1 prints.
std::string snapshot_text(const WorkDone&);
/// As one process writes it for another; nothing if the text is not such a line.
std::string work_line(const WorkDone&);
std::optional<WorkDone> read_work(const std::string& line);
/// "34 s", "12 min", "2.1 h"
std::string duration_text(double seconds);

/// Progress over kernels that run one after the other.
class RunProgress {
 public:
  /// `mangled`: names are shown as the program has them.
  explicit RunProgress(const std::vector<std::shared_ptr<trace::BlockSource>>& kernels, bool mangled = false);
  void kernel_done(std::uint64_t warp_instructions);
  /// While several kernels run: the name of the next one in order, and the warp instructions of those behind it.
  void several(std::string next, std::uint64_t warp_instructions) {
    next_ = std::move(next);
    beside_ = warp_instructions;
  }
  WorkDone now(const arch::KernelProgress& kernel) const;

 private:
  const std::vector<std::shared_ptr<trace::BlockSource>>& kernels_;
  bool mangled_;
  std::uint64_t all_ = 0, done_ = 0, beside_ = 0;
  std::optional<std::string> next_;  ///< if several kernels run
  std::size_t number_ = 0;           ///< finished kernels
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// A timer: over() is true once per interval.
class Interval {
 public:
  explicit Interval(std::chrono::milliseconds length) : length_(length) {}
  bool over();

 private:
  std::chrono::milliseconds length_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A line on standard error that is overwritten again and again. If standard error is no terminal but a log, it becomes
/// a heartbeat: a line each minute of this process, or each SASSIM_HEARTBEAT seconds (0: none), so that whoever watches
/// a long run sees that it goes on.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Cuts the text to the terminal's width.
  void show(const std::string& text);
  void clear();

 private:
  bool terminal_, shown_ = false;
};

/// The time between two heartbeats; nothing: there are none.
std::optional<std::chrono::milliseconds> heartbeat_interval(const char* seconds);

}  // namespace sassim::replay
