// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bundle_options.h"

#include <fmt/format.h>

#include "sim/cli/progress.h"

namespace sassim::cli {

namespace {

/// A signal asked for a stop.
struct ReplayStopped {};

}  // namespace

ExitStatus unless_stopped(const std::function<ExitStatus(study::StopSignals&)>& work) {
  int stopped = 0;
  {
    study::StopSignals signals;
    try {
      return work(signals);
    } catch (const ReplayStopped&) {
      stopped = signals.number();
    }
  }
  fmt::print(stderr, "sassim: stopped by {}\n", study::signal_name(stopped));
  study::end_as_stopped(stopped);
}

bundle::Totals run_watched(study::StopSignals& signals, const config::GpuConfig& gpu, const bundle::Recipe& recipe,
                           unsigned threads, const std::filesystem::path& result) {
  Progress progress("run");
  const auto watch = [&, show = progress.observer()](double fraction, Cycle now, std::uint64_t count) {
    if (signals.poll() != 0) throw ReplayStopped{};
    if (show) show(fraction, now, count);
  };
  return bundle::replay(gpu, recipe, threads, watch, result);
}

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace sassim::cli
