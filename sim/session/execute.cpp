// SPDX-License-Identifier: Apache-2.0
// The run of `sassim exec`: environment, start of the program, its end, and the results it left.
#include "sim/session/execute.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/config/dump.h"
#include "sim/isa/toolkit.h"
#include "sim/session/find_program.h"
#include "sim/session/program_kind.h"
#include "sim/session/session_folder.h"
#include "sim/session/trace_folder.h"

extern char** environ;

namespace sassim::session {

namespace fs = std::filesystem;

namespace {
fs::path further_config(const fs::path& session, std::size_t device) {
  return session / fmt::format("config-{}.yaml", device);
}
std::string further_config_files(const ExecuteOptions& options, const fs::path& session) {
  std::string lines;
  for (std::size_t i = 0; i < options.further_configs.size(); ++i)
    lines += further_config(session, i + 1).string() + "\n";
  return lines;
}

std::vector<std::string> environment_for(const ExecuteOptions& options, const std::string& trace_dir,
                                         const fs::path& runtime, const fs::path& session) {
  std::map<std::string, std::string> set = {
      {"SASSIM_SESSION", session.string()},
      {"SASSIM_CONFIG", (session / "config.yaml").string()},
      {"SASSIM_DEVICES", std::to_string(options.devices)},
      {"SASSIM_DEVICE_CONFIGS", further_config_files(options, session)},
      {"SASSIM_SAVE_TRACES", trace_dir},
      {"SASSIM_TIMING", options.timing ? "1" : "0"},
      {"SASSIM_TIME_CHOSEN", options.timed ? "1" : "0"},
      {"SASSIM_KERNEL", options.timed ? options.timed->kernel : ""},
      {"SASSIM_LAUNCH_SKIP", std::to_string(options.timed ? options.timed->skip : 0)},
      {"SASSIM_LAUNCH_COUNT", std::to_string(options.timed ? options.timed->count : 0)},
      {"SASSIM_THREADS", std::to_string(options.threads)},
      {"SASSIM_CACHES", options.caches},
      {"SASSIM_SAMPLE", fmt::format("{}", options.sample)},
      {"SASSIM_SAMPLE_LAUNCHES", fmt::format("{}", options.mean)},
      {"SASSIM_SERIES", std::to_string(options.series)},
      {"SASSIM_LIVE", options.live},
      {"SASSIM_WATCHDOG", options.watchdog ? std::to_string(*options.watchdog) : ""},
      {"SASSIM_MAX_INSTRUCTIONS", std::to_string(options.max_instructions)},
      {"SASSIM_PROGRESS", "1"},
      {"SASSIM_MANGLED", options.mangled_names ? "1" : "0"},
      {"SASSIM_SERIAL", options.serial ? "1" : "0"},
      {"SASSIM_REUSE", options.reuse ? "1" : "0"},
      {"SASSIM_STRICT_MEMORY", options.strict_memory ? "1" : "0"},
      {"SASSIM_MEMCHECK", options.memcheck ? "1" : "0"},
      {"SASSIM_CUDA12", isa::cuda12_folder()},
      {"LD_LIBRARY_PATH", runtime.parent_path().string()},
  };
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (name == "LD_LIBRARY_PATH")
      set[name] += ":" + text.substr(name.size() + 1);
    else if (!set.contains(name))
      all.push_back(text);
  }
  for (const auto& [name, value] : set) all.push_back(name + "=" + value);
  return all;
}

/// The exit status with which the simulation ended a process.
std::optional<ExitStatus> ended(const fs::path& session, const SessionLedger* ledger) {
  if (ledger != nullptr && ledger->ended()) return static_cast<ExitStatus>(*ledger->ended());
  std::ifstream in(session / "ended");
  int status = 0;
  return in >> status ? std::optional(static_cast<ExitStatus>(status)) : std::nullopt;
}

/// What waited for what when a process made no progress.
void keep_waits(const fs::path& session, const std::string& path) {
  if (path.empty() || !fs::exists(session / "waits.dot")) return;
  write_durably(path, read_whole_file(session / "waits.dot").value_or(""));
}

/// Why kernels of several streams did not run side by side.
std::string why_serial(const ExecuteOptions& options) {
  if (options.serial) return " (--serial)";
  if (options.caches != "keep") return fmt::format(" (--caches {})", options.caches);
  return " (a live kernel runs alone)";
}

std::string untimed_text(const ExecuteOptions& options, const SessionSummary& session) {
  const std::string launches = session.untimed == 1 ? "1 launch was" : fmt::format("{} launches were", session.untimed);
  std::string text = fmt::format("{} executed without timing (--time chosen)", launches);
  if (session.kernels == 0) return text + ": --kernel, --launch-skip and --launch-count choose none of the program's";
  if (options.caches != "cold") text += "; the others do not find in the caches what these would have left";
  return text;
}

std::vector<std::string> notices(const fs::path& program, const ProgramKind& kind, const ExecuteOptions& options,
                                 const ExecuteResult& result) {
  std::vector<std::string> lines;
  if (result.program.killed != 0)
    lines.push_back(
        fmt::format("{} left {} processes running; they were ended", program.string(), result.program.killed));
  if (!result.session.called) lines.push_back(why_no_calls(program.string(), kind));
  for (const Unfinished& left : result.session.unfinished) lines.push_back(left.text(options.mangled_names));
  if (const std::uint64_t missing = result.session.missing; missing != 0)
    lines.push_back(fmt::format("{} missing in the results: {}",
                                missing == 1 ? "1 launch is" : fmt::format("{} launches are", missing),
                                result.session.why_missing));
  if (result.session.untimed != 0) lines.push_back(untimed_text(options, result.session));
  if (const LeftOut& left_out = result.session.left_out; left_out.launches != 0)
    lines.push_back(
        fmt::format("{} of {} launches were not timed, and count as launches like them (--sample-launches); the cycles "
                    "of all have a 95 % interval of +-{:.2f} %",
                    left_out.launches, result.session.kernels, left_out.interval_pct()));
  if (result.session.reused != 0) lines.push_back(report::reused_text(result.session.reused));
  if (const StreamKernels& streams = result.session.streams;
      options.timing && streams.kernels != 0 && (streams.serial || streams.waited != 0))
    lines.push_back(
        fmt::format("{} kernels of {} streams ran one after the other{}; {} of them were ready while another stream's "
                    "kernel ran",
                    streams.kernels - streams.beside, streams.streams, why_serial(options), streams.waited));
  return lines;
}

}  // namespace

ExecuteResult execute(const config::GpuConfig& config, const ExecuteOptions& options, StopSignals& signals,
                      const std::function<void(const report::KernelReport&)>& sink) {
  if (options.command.empty())
    throw UsageError("no program was given: sassim exec --config NAME -- PROGRAM [ARGUMENTS]");
  const fs::path program = find_program(options.command.front());
  const ProgramKind kind = inspect_program(program.string());
  check_program(program, kind);
  const fs::path runtime = find_runtime(options.runtime);
  std::optional<TraceFolder> traces;
  if (!options.trace_dir.empty()) traces.emplace(options.trace_dir);
  const SessionFolder session;
  const bool own_traces = !traces && options.with_traces;
  if (own_traces) traces.emplace(session.path() / "traces");
  const std::string trace_dir = traces ? traces->path().string() : "";
  const auto clean_up = [&] {
    std::error_code ignored;
    fs::remove_all(session.path(), ignored);
    if (traces) remove_unfinished_traces(traces->path());
  };
  GuardedProgram guarded(
      {program.string(), options.command, environment_for(options, trace_dir, runtime, session.path())}, signals,
      clean_up);
  // Only now: whenever this process is killed, the guard removes the folder.
  write_durably(session.path() / "config.yaml", config::dump_yaml(config));
  for (std::size_t i = 0; i < options.further_configs.size(); ++i)
    write_durably(further_config(session.path(), i + 1), config::dump_yaml(options.further_configs[i]));
  const std::unique_ptr<SessionLedger> ledger = SessionLedger::create(session.path());
  guarded.start();
  ExecuteResult result;
  result.program = guarded.wait(signals, [&] {
    if (options.snapshot) options.snapshot(session_progress(session.path(), options.mangled_names));
  });
  if (traces) remove_unfinished_traces(traces->path());
  result.trace_dir = trace_dir;
  result.ended = ended(session.path(), ledger.get());
  keep_waits(session.path(), options.wait_graph);
  result.session = read_session(
      session.path(),
      [&](const report::KernelReport& kernel) {
        if (!own_traces) return sink(kernel);
        report::KernelReport unnamed = kernel;
        unnamed.trace.clear();
        sink(unnamed);
      },
      ledger.get());
  if (options.with_traces) options.with_traces(traces->path());
  result.notices = notices(program, kind, options, result);
  if (traces && traces->is_subfolder())
    result.notices.push_back(fmt::format("the traces are in {}, beside those of an earlier run", trace_dir));
  result.complete = !signals.asked() && !result.ended && result.program.signal == 0 &&
                    result.session.unfinished.empty() && result.session.missing == 0;
  result.host = {result.session.seconds, options.threads, result.session.warp_instructions, result.program.peak_memory};
  result.disassemblers = used_disassemblers(session.path());
  return result;
}

}  // namespace sassim::session
