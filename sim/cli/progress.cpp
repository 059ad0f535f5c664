// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace sassim::cli {

Progress::Progress(std::string what)
    : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1), began_(Clock::now()), last_(began_) {}

std::function<void(double, Cycle, std::uint64_t)> Progress::observer() {
  if (!terminal_) return {};
  return [this](double fraction, Cycle now, std::uint64_t count) { show(fraction, now, count); };
}

void Progress::show(double fraction, Cycle now, std::uint64_t warp_instructions) {
  constexpr std::chrono::milliseconds kInterval{200};
  const Clock::time_point time = Clock::now();
  if (time - last_ < kInterval) return;
  last_ = time;
  const double seconds = std::chrono::duration<double>(time - began_).count();
  const double left = fraction > 0 ? seconds * (1 - fraction) / fraction : 0;
  fmt::print(stderr, "\r\033[K{} {:5.1f} %  {:.0f} s left  {} cycles  {:.2f} M warp instructions/s", what_,
             100 * fraction, left, now.value, static_cast<double>(warp_instructions) / seconds / 1e6);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::finish() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace sassim::cli
