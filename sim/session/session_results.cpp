// SPDX-License-Identifier: Apache-2.0
// Merges the logs of a program's processes in launch order; counts launches without results.
#include "sim/session/session_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "sim/base/demangle.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/printable.h"
#include "sim/replay/progress.h"
#include "sim/report/kernel_json.h"

namespace sassim::session {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kStart = "process-", kEnd = ".jsonl";

struct ProcessFile {
  std::vector<unsigned> process;  ///< 1.2 is {1, 2}
  unsigned device;
  std::string name;  ///< "1.2", or "1.2@3" of device 3
  fs::path path;
};

std::string shown(const std::string& kernel, bool mangled) {
  return printable(mangled ? kernel : without_parameters(demangled(kernel)));
}

/// What a process wrote last of the launch that it times or records; nothing if it is at none, or at a short one.
std::optional<replay::WorkDone> work_of(const fs::path& folder, const std::string& process) {
  const auto text = read_whole_file(folder / ("progress-" + process));
  return text ? replay::read_work(*text) : std::nullopt;
}

std::vector<unsigned> numbers(std::string_view text) {
  std::vector<unsigned> all;
  for (const char *at = text.data(), *end = at + text.size(); at < end; ++at) {
    unsigned part = 0;
    at = std::from_chars(at, end, part).ptr;
    all.push_back(part);
  }
  return all;
}

ProcessFile process_file(const std::string& name, fs::path path) {
  const std::size_t at = name.find('@');
  return {numbers(std::string_view(name).substr(0, at)),
          at == std::string::npos ? 0 : numbers(name.substr(at + 1)).at(0), name, std::move(path)};
}

/// Lines of processes that could not reach their files, by process.
using KeptLines = std::map<std::string, std::vector<std::string_view>, std::less<>>;

KeptLines kept_lines(const SessionLedger* ledger) {
  KeptLines kept;
  if (ledger != nullptr)
    ledger->for_each_line([&](std::string_view process, std::string_view line) {
      const auto at = kept.find(process);
      (at == kept.end() ? kept[std::string(process)] : at->second).push_back(line);
    });
  return kept;
}

/// None if the program has removed the folder.
std::vector<ProcessFile> process_files(const fs::path& folder, const KeptLines& kept = {}) {
  std::vector<ProcessFile> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kStart) || !name.ends_with(kEnd)) continue;
    const std::string process = name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size());
    files.push_back(process_file(process, at->path()));
  }
  for (const auto& [process, lines] : kept)
    if (std::ranges::find(files, process, &ProcessFile::name) == files.end())
      files.push_back(process_file(process, folder / fmt::format("{}{}{}", kStart, process, kEnd)));
  std::ranges::sort(files, {}, [](const ProcessFile& file) { return std::pair(file.process, file.device); });
  return files;
}

/// The use of streams in one process.
class Streams {
 public:
  void ran(const Json& line) {
    Stream& stream = streams_[line.at("stream").get<std::uint64_t>()];
    ++stream.kernels;
    stream.ordered = line.at("ordered").get<bool>();
    waited_ += line.at("waited").get<bool>();
    const auto beside = line.find("beside");
    serial_ = serial_ || beside == line.end();
    beside_ += beside != line.end() && beside->get<bool>();
  }

  /// The default stream counts if another stream does not wait for it.
  void add_to(StreamKernels& total) const {
    const bool free = std::ranges::any_of(streams_, [](const auto& s) { return s.first != 0 && !s.second.ordered; });
    std::uint64_t kernels = 0, streams = 0;
    for (const auto& [stream_id, stream] : streams_) {
      if (stream_id == 0 && !free) continue;
      kernels += stream.kernels;
      ++streams;
    }
    if (streams < 2) return;
    total.kernels += kernels;
    total.streams += streams;
    total.waited += waited_;
    total.beside += beside_;
    total.serial = total.serial || serial_;
  }

 private:
  struct Stream {
    std::uint64_t kernels = 0;
    bool ordered = true;  ///< synchronises with the default stream
  };
  std::map<std::uint64_t, Stream> streams_;
  std::uint64_t waited_ = 0, beside_ = 0;
  bool serial_ = false;
};

class ProcessReader {
 public:
  ProcessReader(const ProcessFile& file, const KeptLines& kept, SessionSummary& summary,
                const std::function<void(const report::KernelReport&)>& sink)
      : path_(file.path), process_(file.name), kept_(kept), summary_(summary), sink_(sink) {}

  /// Returns how many launches it has heard of.
  std::uint64_t read() try {
    std::ifstream in(path_);
    bool whole = true;  // else the disk was full: the process has reported it and ended
    for (std::string text; whole && std::getline(in, text);) whole = take(Json::parse(text, nullptr, false));
    if (const auto kept = kept_.find(process_); kept != kept_.end())
      for (const std::string_view text : kept->second) take(Json::parse(text, nullptr, false));
    take_what_is_known();
    if (!begun_.empty()) summary_.unfinished.push_back(unfinished());
    streams_.add_to(summary_.streams);
    for (const auto& [stratum, half] : half_intervals_) summary_.left_out.squares += half * half;
    return ended_ + begun_.size();
  } catch (const Json::exception& error) {
    throw InputError("{}: not a session log that a simulated program wrote: {}", path_.string(), error.what());
  }

 private:
  /// False: this is no line.
  bool take(const Json& line) {
    if (line.is_discarded()) return false;
    if (const auto begin = line.find("begin"); begin != line.end()) begun_.push_back({begin->get<std::string>(), {}});
    if (line.contains("end")) {
      if (!begun_.empty()) begun_.pop_front();  // else its beginning is lost, with the first part of the log
      ++ended_;
    }
    summary_.untimed += line.contains("untimed");
    if (line.contains("stream")) streams_.ran(line);
    if (const auto launch = line.find("so_far"); launch != line.end())
      if (const auto at = launch->get<std::uint64_t>(); at >= ended_ && at - ended_ < begun_.size())
        begun_[static_cast<std::size_t>(at - ended_)].known = line;
    if (const auto kernel = line.find("kernel"); kernel != line.end()) {
      summary_.seconds += line.value("host_seconds", 0.0);
      report::KernelReport report = kernels_.read(*kernel, path_.string());
      report.reused = line.contains("reused");
      give(report);
    }
    return true;
  }

  void give(const report::KernelReport& report) {
    ++summary_.kernels;
    summary_.reused += report.reused ? 1 : 0;
    add_cycles(report);
    if (!report.reused && !report.stratum) summary_.warp_instructions += report.warp_instructions;
    if (report.fault && summary_.faults++ == 0) summary_.first_fault = report.fault->message;
    sink_(report);
  }

  /// What is wrong with the mean of a stratum is wrong with each of its launches; how each differs from the mean is
  /// not.
  void add_cycles(const report::KernelReport& report) {
    const stats::Metric* const cycles = report.metrics.find("gpc__cycles_elapsed.max");
    if (cycles == nullptr) return;
    summary_.left_out.cycles += cycles->value;
    if (!report.stratum) return;
    ++summary_.left_out.launches;
    const double of_mean = cycles->value * report.stratum->mean_pct / 100;
    const double of_launch = cycles->value * report.stratum->interval_pct / 100;
    half_intervals_[report.stratum->number] += of_mean;
    summary_.left_out.squares += of_launch * of_launch - of_mean * of_mean;
  }

  /// The process has ended: what it knew of launches that the program had waited for is their result.
  void take_what_is_known() {
    ended_ +=
        static_cast<std::uint64_t>(std::ranges::count_if(begun_, [](const Begun& b) { return !b.known.is_null(); }));
    std::erase_if(begun_, [&](const Begun& launch) {
      if (launch.known.is_null()) return false;
      report::KernelReader alone;
      give(alone.read(launch.known.at("known"), path_.string()));
      streams_.ran(launch.known.at("company"));
      return true;
    });
  }

  Unfinished unfinished() const {
    Unfinished left{process_, {}, begun_.size() - 1};
    left.kernel.name = begun_.front().kernel;
    left.kernel.process = process_;
    const auto work = work_of(path_.parent_path(), process_);
    if (!work || std::ranges::count(begun_, work->kernel, &Begun::kernel) == 0) return left;
    left.kernel.name = work->kernel;
    left.kernel.recording = work->recording;
    left.kernel.warp_instructions = work->warp_instructions;
    if (work->recording) return left;
    left.kernel.cycles = work->cycles;
    left.kernel.blocks_ended = work->blocks_ended;
    left.kernel.blocks = work->blocks;
    return left;
  }

  struct Begun {
    std::string kernel;
    Json known;  ///< the last line of what was known before its end; null: none
  };

  const fs::path& path_;
  const std::string& process_;
  const KeptLines& kept_;
  SessionSummary& summary_;
  const std::function<void(const report::KernelReport&)>& sink_;
  report::KernelReader kernels_;
  Streams streams_;
  std::map<std::uint64_t, double> half_intervals_;  ///< of the cycles of launches that were not timed, by stratum
  std::deque<Begun> begun_;  ///< launches without an end, which come in the order of the beginnings
  std::uint64_t ended_ = 0;  ///< launches before them
};

std::string launches(std::uint64_t count, const char* are, const char* is) {
  return count == 1 ? fmt::format("1 launch {}", is) : fmt::format("{} launches {}", count, are);
}

/// What a process has done so far.
struct ProcessState {
  std::uint64_t begun = 0, ended = 0;  ///< launches
  std::uint64_t reported = 0, cycles = 0;
  std::string last;  ///< the kernel that has begun last
};

/// A line that is being written does not count.
ProcessState state_of(const ProcessFile& file) {
  ProcessState state;
  std::ifstream in(file.path);
  for (std::string text; std::getline(in, text);) {
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) continue;
    if (const auto begin = line.find("begin"); begin != line.end()) {
      ++state.begun;
      state.last = begin->get<std::string>();
    }
    state.ended += line.contains("end");
    const auto kernel = line.find("kernel");
    if (kernel == line.end()) continue;
    ++state.reported;
    state.cycles += kernel->value("metrics", Json::object()).value("gpc__cycles_elapsed.max", std::uint64_t{0});
  }
  return state;
}

/// Of a process that is at a launch; else empty.
std::string process_text(const fs::path& folder, const std::string& process, const ProcessState& state, bool mangled) {
  const std::uint64_t open = state.begun - std::min(state.ended, state.begun);
  const std::string waiting =
      open < 2 ? "" : fmt::format("  {} not done\n", launches(open, "have begun and are", "has begun and is"));
  if (auto work = work_of(folder, process)) {
    work->mangled = mangled;
    return replay::snapshot_text(*work) + waiting;
  }
  if (open == 0) return {};
  return fmt::format("kernel {}, {}\n  it began a moment ago\n", state.begun, shown(state.last, mangled)) + waiting;
}

}  // namespace

double LeftOut::interval_pct() const { return cycles == 0 ? 0 : 100 * std::sqrt(squares) / cycles; }

std::string Unfinished::text(bool mangled) const {
  const std::string name = shown(kernel.name, mangled);
  if (more == 0) return fmt::format("kernel {} was not finished: its process ended first", name);
  return fmt::format("kernel {} and {} behind it were not finished: their process ended first", name,
                     more == 1 ? "1 launch" : fmt::format("{} launches", more));
}

std::string session_progress(const fs::path& folder, bool mangled) {
  const std::vector<ProcessFile> files = process_files(folder);
  std::string all;
  ProcessState sum;
  for (const ProcessFile& file : files) {
    const ProcessState state = state_of(file);
    sum.reported += state.reported;
    sum.cycles += state.cycles;
    const std::string text = process_text(folder, file.name, state, mangled);
    if (!text.empty()) all += (files.size() > 1 ? "process " + file.name + ": " : "") + text;
  }
  if (all.empty()) all = files.empty() ? "no CUDA call has come yet\n" : "no kernel is running\n";
  return all + fmt::format("  so far: {}, of {} cycles together\n", launches(sum.reported, "are done", "is done"),
                           sum.cycles);
}

std::vector<std::string> used_disassemblers(const fs::path& folder) {
  std::set<std::string> programs;
  std::ifstream in(folder / "disassemblers");
  for (std::string line; std::getline(in, line);) programs.insert(printable(line));
  return {programs.begin(), programs.end()};
}

SessionSummary read_session(const fs::path& folder, const std::function<void(const report::KernelReport&)>& sink,
                            const SessionLedger* ledger) {
  SessionSummary summary;
  const KeptLines kept = kept_lines(ledger);
  std::uint64_t heard_of = 0;
  for (const ProcessFile& file : process_files(folder, kept)) {
    summary.called = true;
    heard_of += ProcessReader(file, kept, summary, sink).read();
  }
  if (ledger == nullptr || ledger->launches() <= heard_of) return summary;
  summary.called = true;
  summary.missing = ledger->launches() - heard_of;
  summary.why_missing = ledger->failure();
  if (!fs::exists(folder)) summary.why_missing = fmt::format("the program has removed the folder {}", folder.string());
  if (summary.why_missing.empty()) summary.why_missing = "a process ended while it wrote them";
  return summary;
}

}  // namespace sassim::session
