// SPDX-License-Identifier: Apache-2.0
#include "sim/study/session_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/report/kernel_json.h"

namespace sassim::study {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kStart = "process-", kEnd = ".jsonl";

struct ProcessFile {
  std::vector<unsigned> process;  ///< 1.2 is {1, 2}
  fs::path path;
};

std::vector<unsigned> numbers(std::string_view text) {
  std::vector<unsigned> all;
  for (const char *at = text.data(), *end = at + text.size(); at < end; ++at) {
    unsigned part = 0;
    at = std::from_chars(at, end, part).ptr;
    all.push_back(part);
  }
  return all;
}

std::vector<ProcessFile> process_files(const fs::path& folder) {
  std::vector<ProcessFile> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kStart) && name.ends_with(kEnd))
      files.push_back({numbers(std::string_view(name).substr(kStart.size(), name.size() - kStart.size() - kEnd.size())),
                       entry.path()});
  }
  std::ranges::sort(files, {}, &ProcessFile::process);
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
  ProcessReader(const fs::path& path, SessionSummary& summary,
                const std::function<void(const report::KernelReport&)>& sink)
      : path_(path), summary_(summary), sink_(sink) {}

  void read() try {
    std::ifstream in(path_);
    for (std::string text; std::getline(in, text);) {
      const Json line = Json::parse(text, nullptr, false);
      if (line.is_discarded()) break;  // the disk was full: the process has reported it and ended
      take(line);
    }
    if (!running_.empty()) summary_.unfinished = running_;
    streams_.add_to(summary_.streams);
  } catch (const Json::exception& error) {
    throw InputError("{}: not a session log that a simulated program wrote: {}", path_.string(), error.what());
  }

 private:
  void take(const Json& line) {
    if (const auto begin = line.find("begin"); begin != line.end()) running_ = begin->get<std::string>();
    if (line.contains("end")) running_.clear();
    if (line.contains("stream")) streams_.ran(line);
    const auto kernel = line.find("kernel");
    if (kernel == line.end()) return;
    const report::KernelReport report = kernels_.read(*kernel, path_.string());
    ++summary_.kernels;
    summary_.warp_instructions += report.warp_instructions;
    summary_.seconds += line.value("host_seconds", 0.0);
    if (report.fault && summary_.faults++ == 0) summary_.first_fault = report.fault->message;
    sink_(report);
  }

  const fs::path& path_;
  SessionSummary& summary_;
  const std::function<void(const report::KernelReport&)>& sink_;
  report::KernelReader kernels_;
  Streams streams_;
  std::string running_;
};

/// "12 launches are done, of 34567 cycles together". A line that is being written is not counted.
std::string launches_done(const fs::path& folder) {
  std::uint64_t launches = 0, cycles = 0;
  for (const ProcessFile& file : process_files(folder)) {
    std::ifstream in(file.path);
    for (std::string text; std::getline(in, text);) {
      const Json line = Json::parse(text, nullptr, false);
      const auto kernel = line.is_object() ? line.find("kernel") : line.end();
      if (kernel == line.end()) continue;
      ++launches;
      cycles += kernel->value("metrics", Json::object()).value("gpc__cycles_elapsed.max", std::uint64_t{0});
    }
  }
  return fmt::format("{}, of {} cycles together\n",
                     launches == 1 ? "1 launch is done" : fmt::format("{} launches are done", launches), cycles);
}

}  // namespace

std::string session_progress(const fs::path& folder) {
  std::map<std::string, std::string> texts;  // by process
  constexpr std::string_view kProgress = "progress-";
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kProgress) || name.ends_with(".new")) continue;
    if (auto text = read_whole_file(at->path()); text && !text->empty())
      texts[name.substr(kProgress.size())] = std::move(*text);
  }
  std::string all = texts.empty() ? "no kernel has been running for longer than a moment\n" : "";
  for (const auto& [process, text] : texts) all += (texts.size() > 1 ? "process " + process + ": " : "") + text;
  return all + "  so far: " + launches_done(folder);
}

SessionSummary read_session(const fs::path& folder, const std::function<void(const report::KernelReport&)>& sink) {
  SessionSummary summary;
  for (const ProcessFile& file : process_files(folder)) {
    summary.called = true;
    ProcessReader(file.path, summary, sink).read();
  }
  return summary;
}

}  // namespace sassim::study
