// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bundle_options.h"

#include <fmt/format.h>

#include "sim/cli/progress.h"
#include "sim/study/stop_signals.h"

namespace sassim::cli {

namespace {

struct ReplayStopped {};

}  // namespace

bundle::Totals replay_or_stop(const config::GpuConfig& gpu, const bundle::Recipe& recipe, unsigned threads,
                              const std::filesystem::path& result, const std::function<void()>& clean) {
  int stopped = 0;
  {
    study::StopSignals signals;
    Progress progress("run");
    try {
      return bundle::replay(
          gpu, recipe, threads,
          [&, show = progress.observer()](double fraction, Cycle now, std::uint64_t count) {
            if (signals.poll() != 0) throw ReplayStopped{};
            if (show) show(fraction, now, count);
          },
          result);
    } catch (const ReplayStopped&) {
      stopped = signals.number();
    }
  }
  clean();
  fmt::print(stderr, "sassim: stopped by {}\n", study::signal_name(stopped));
  study::end_as_stopped(stopped);
}

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace sassim::cli
