// SPDX-License-Identifier: Apache-2.0
// Replays for `sassim bundle` and `reproduce` with a progress line, and ends cleanly at Ctrl-C.
#include "sim/cli/bundle_options.h"

#include <fmt/format.h>

#include "sim/cli/progress.h"

namespace sassim::cli {

ExitStatus unless_stopped(const std::function<ExitStatus(StopSignals&)>& work) {
  int stopped = 0;
  {
    StopSignals signals;
    try {
      return work(signals);
    } catch (const Stopped&) {
      stopped = signals.received();
    }
  }
  fmt::print(stderr, "sassim: stopped by {}\n", signal_name(stopped));
  end_as_stopped(stopped);
}

bundle::Totals run_watched(StopSignals& signals, const config::GpuConfig& gpu, const bundle::Recipe& recipe,
                           unsigned threads, const std::filesystem::path& result) {
  Watch watch(signals);
  return bundle::replay(
      gpu, recipe, threads,
      {[&](const auto& run, const auto& kernel) { watch.look(run, kernel); }, [&] { watch.kernel_done(); }}, result);
}

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace sassim::cli
