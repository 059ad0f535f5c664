// SPDX-License-Identifier: Apache-2.0
// Replays the launches that a program under `sassim exec` recorded, to draw them over time.
#include "sim/cli/exec_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <vector>

#include "sim/base/demangle.h"
#include "sim/cli/progress.h"
#include "sim/replay/run.h"
#include "sim/report/number_text.h"
#include "sim/trace/open.h"

namespace sassim::cli {

namespace {

/// "0012-kernel.sast" of the first process, "p1.2-0003-kernel.sast" of another: by process, then by launch.
std::tuple<std::string, std::uint64_t, std::string> place_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::size_t begin = name.starts_with('p') ? name.find('-') + 1 : 0;
  std::uint64_t number = 0;
  std::from_chars(name.data() + begin, name.data() + name.size(), number);
  return {name.substr(0, begin), number, name};
}

std::vector<std::filesystem::path> in_order(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".sast") files.push_back(entry.path());
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
  return files;
}

}  // namespace

ExecTimeline::ExecTimeline(const TimelineOptions& options, const config::GpuConfig& gpu, LaunchWish wish,
                           const session::ExecuteOptions& program)
    : gpu_(gpu), wish_(std::move(wish)), output_(options, gpu) {
  for (const NamedFile& file : options.files()) {
    if (file.path.empty()) continue;
    wanted_ = true;
    if (!program.timing)
      throw UsageError("{} shows when things happen; with --functional nothing is timed", file.option);
  }
  run_.threads = program.threads;
  run_.caches = replay::cache_start(program.caches == "replay" ? "keep" : program.caches);
  run_.allow_arch_mismatch = true;  // as in the program: a driver runs code of sm_70 on sm_75
  output_.watch(run_);
}

void ExecTimeline::follow(session::ExecuteOptions& program, StopSignals& signals) {
  if (!wanted_) return;
  program.with_traces = [this, &signals](const std::filesystem::path& traces) {
    try {
      replay(traces, signals);
    } catch (...) {
      failure_ = std::current_exception();  // the results of the program are written first
    }
  };
}

std::string ExecTimeline::told() const {
  if (failure_) std::rethrow_exception(failure_);
  return line_;
}

void ExecTimeline::replay(const std::filesystem::path& traces, StopSignals& signals) {
  LaunchChoice choice(wish_);
  std::vector<std::shared_ptr<trace::BlockSource>> kernels;
  for (const std::filesystem::path& file : in_order(traces))
    for (auto& kernel : trace::open(file.string()))
      if (choice.matches(demangled(kernel->kernel().name)) && choice.take()) kernels.push_back(std::move(kernel));
  Watch watch(signals);
  replay::RunProgress progress(kernels);
  std::uint64_t cycles = 0;
  std::size_t done = 0;
  run_.progress = [&](const arch::KernelProgress& kernel) { watch.look(progress, kernel); };
  try {
    if (!kernels.empty())
      replay::run(gpu_, kernels, run_, [&](const report::KernelReport& kernel) {
        cycles += static_cast<std::uint64_t>(kernel.metrics["gpc__cycles_elapsed.max"]);
        progress.kernel_done(kernel.warp_instructions);
        ++done;
        watch.kernel_done();
      });
  } catch (const Stopped&) {
  }
  watch.finish();
  output_.finish(Cycle{cycles});
  line_ = fmt::format("the timeline shows {}, replayed one after the other in {} cycles",
                      report::count_text(done, "launch"), cycles);
}

}  // namespace sassim::cli
