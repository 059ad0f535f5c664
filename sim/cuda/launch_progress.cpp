// SPDX-License-Identifier: Apache-2.0
// Shows how far a running kernel is, and leaves it in a file that `sassim exec` reads.
#include "sim/cuda/launch_progress.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

namespace sassim::cuda {

namespace fs = std::filesystem;

LaunchProgress::LaunchProgress(const Watchers& watchers, const std::string& process, const std::string& kernel,
                               std::size_t number)
    : line_wanted_(watchers.line) {
  if (!watchers.session.empty()) file_ = fs::path(watchers.session) / ("progress-" + process);
  reports_.over();  // the first one is due after an interval
  work_.kernel = kernel;
  work_.mangled = watchers.mangled;
  work_.number = number;
}

LaunchProgress::~LaunchProgress() {
  std::error_code ignored;
  if (written_) fs::remove(file_, ignored);
}

void LaunchProgress::recording(std::uint64_t warp_instructions) {
  if (!reports_.over()) return;
  work_.recording = true;
  work_.warp_instructions = warp_instructions;
  tell();
}

void LaunchProgress::timing(std::uint64_t all_warp_instructions) {
  work_.recording = false;
  work_.warp_instructions = 0;
  work_.all_warp_instructions = all_warp_instructions;
  began_ = std::chrono::steady_clock::now();
}

void LaunchProgress::look(const arch::KernelProgress& kernel) {
  if (!reports_.over()) return;
  work_.warp_instructions = kernel.warp_instructions;
  work_.cycles = kernel.cycles.value;
  work_.blocks_ended = kernel.blocks_ended;
  work_.blocks = kernel.blocks;
  tell();
}

void LaunchProgress::tell() {
  work_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  if (line_wanted_) line_.show(replay::progress_line(work_));
  if (file_.empty()) return;
  // A failure to write the snapshot, such as a full disk, must not end the program.
  const fs::path whole = file_.parent_path() / (file_.filename().string() + ".new");
  std::error_code ignored;
  if (std::ofstream out(whole); !(out << replay::work_line(work_) << std::flush)) return;
  fs::rename(whole, file_, ignored);
  written_ = true;
}

}  // namespace sassim::cuda
