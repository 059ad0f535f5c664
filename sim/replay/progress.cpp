// SPDX-License-Identifier: Apache-2.0
// Says how far a simulation is, on terminals, in logs and to other processes, with the time left.
#include "sim/replay/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sim/base/demangle.h"
#include "sim/base/durable_file.h"
#include "sim/base/printable.h"
#include "sim/trace/sast_file.h"

namespace sassim::replay {

namespace {

/// "12.3 M"
std::string scaled(double value) {
  constexpr double kThousand = 1e3, kMillion = 1e6, kBillion = 1e9;
  if (value >= kBillion) return fmt::format("{:.3g} G", value / kBillion);
  if (value >= kMillion) return fmt::format("{:.3g} M", value / kMillion);
  if (value >= kThousand) return fmt::format("{:.3g} k", value / kThousand);
  return fmt::format("{:.0f}", value);
}

double count(std::uint64_t value) { return static_cast<double>(value); }

double percent_done(const WorkDone& work) {
  return std::min(100.0, 100 * count(work.warp_instructions) / count(work.all_warp_instructions));
}

std::string kernel_name(const WorkDone& work) {
  constexpr std::size_t kLongest = 60;
  const std::string name = printable(work.mangled ? work.kernel : without_parameters(demangled(work.kernel)));
  const std::string which =
      work.kernels ? fmt::format("{} of {}", work.number, work.kernels) : std::to_string(work.number);
  return fmt::format("kernel {}, {}", which, name.size() > kLongest ? name.substr(0, kLongest - 3) + "..." : name);
}

std::string how_far(const WorkDone& work) {
  if (work.all_warp_instructions == 0) return scaled(count(work.warp_instructions)) + " warp instructions";
  return fmt::format("{:.1f} % of {} warp instructions", percent_done(work), scaled(count(work.all_warp_instructions)));
}

std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : kUsual;
}

}  // namespace

double WorkDone::per_second() const { return seconds > 0 ? count(warp_instructions) / seconds : 0; }

std::optional<double> WorkDone::seconds_left() const {
  if (all_warp_instructions == 0 || warp_instructions == 0) return std::nullopt;
  return seconds * (count(std::max(all_warp_instructions, warp_instructions)) / count(warp_instructions) - 1);
}

std::string duration_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.1f} h", seconds / kHour);
}

std::string progress_line(const WorkDone& work) {
  const auto left = work.seconds_left();
  return fmt::format("{}{}, {}/s{}: {}", work.recording ? "recording: " : "", how_far(work), scaled(work.per_second()),
                     left ? fmt::format(", {} left", duration_text(*left)) : "", kernel_name(work));
}

std::string snapshot_text(const WorkDone& work) {
  std::string text = fmt::format("{}\n  {}{} in {}, {} per second", kernel_name(work),
                                 work.recording ? "recording, before it is timed: " : "", how_far(work),
                                 duration_text(work.seconds), scaled(work.per_second()));
  if (const auto left = work.seconds_left()) text += fmt::format(", {} left", duration_text(*left));
  if (!work.recording)
    text += fmt::format("\n  this kernel: {} cycles, {} of {} thread blocks have ended", work.cycles, work.blocks_ended,
                        work.blocks);
  return text + "\n";
}

std::string work_line(const WorkDone& work) {
  const nlohmann::ordered_json json = {{"kernel", work.kernel},
                                       {"number", work.number},
                                       {"recording", work.recording},
                                       {"warp_instructions", work.warp_instructions},
                                       {"all_warp_instructions", work.all_warp_instructions},
                                       {"cycles", work.cycles},
                                       {"blocks_ended", work.blocks_ended},
                                       {"blocks", work.blocks},
                                       {"seconds", work.seconds}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::optional<WorkDone> read_work(const std::string& line) try {
  const auto json = nlohmann::json::parse(line);
  WorkDone work;
  json.at("kernel").get_to(work.kernel);
  json.at("number").get_to(work.number);
  json.at("recording").get_to(work.recording);
  json.at("warp_instructions").get_to(work.warp_instructions);
  json.at("all_warp_instructions").get_to(work.all_warp_instructions);
  json.at("cycles").get_to(work.cycles);
  json.at("blocks_ended").get_to(work.blocks_ended);
  json.at("blocks").get_to(work.blocks);
  json.at("seconds").get_to(work.seconds);
  return work;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

RunProgress::RunProgress(const std::vector<std::shared_ptr<trace::BlockSource>>& kernels, bool mangled)
    : kernels_(kernels), mangled_(mangled) {
  for (const auto& kernel : kernels) {
    const auto* file = dynamic_cast<const trace::SastKernel*>(kernel.get());
    if (file == nullptr) {  // a file's length is known only after it is read: then the sum is unknown too
      all_ = 0;
      return;
    }
    all_ += file->steps();
  }
}

void RunProgress::kernel_done(std::uint64_t warp_instructions) {
  done_ += warp_instructions;
  ++number_;
}

WorkDone RunProgress::now(const arch::KernelProgress& kernel) const {
  WorkDone work;
  if (number_ < kernels_.size()) work.kernel = next_ ? *next_ : kernels_[number_]->kernel().name;
  work.mangled = mangled_;
  work.number = number_ + 1;
  work.kernels = kernels_.size();
  work.warp_instructions = done_ + beside_ + kernel.warp_instructions;
  work.all_warp_instructions = all_;
  work.cycles = kernel.cycles.value;
  work.blocks_ended = kernel.blocks_ended;
  work.blocks = kernel.blocks;
  work.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  return work;
}

bool Interval::over() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < length_) return false;
  last_ = now;
  return true;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

std::optional<std::chrono::milliseconds> heartbeat_interval(const char* seconds) {
  constexpr double kUsual = 60, kLeast = 0.1, kMost = 1e6, kMilliseconds = 1000;
  const double wanted = seconds == nullptr || *seconds == '\0' ? kUsual : std::strtod(seconds, nullptr);
  if (wanted < kLeast) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(kMilliseconds * std::min(wanted, kMost)));
}

namespace {

/// Of the process, not of a line: a program of a thousand short launches has heartbeats, too.
bool heartbeat_due() {
  using Clock = std::chrono::steady_clock;
  static const auto interval = heartbeat_interval(std::getenv("SASSIM_HEARTBEAT"));
  static std::atomic<Clock::rep> last{Clock::now().time_since_epoch().count()};
  if (!interval) return false;
  Clock::rep before = last;
  const Clock::time_point now = Clock::now();
  return now - Clock::time_point(Clock::duration(before)) >= *interval &&
         last.compare_exchange_strong(before, now.time_since_epoch().count());
}

}  // namespace

void ProgressLine::show(const std::string& text) {
  if (!terminal_) {
    if (heartbeat_due()) write_fully(STDERR_FILENO, "sassim: " + text + "\n");
    return;
  }
  // Not through stdio: in a program's process, standard error belongs to the program.
  write_fully(STDERR_FILENO, "\r\033[K" + text.substr(0, terminal_width() - 1));
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) write_fully(STDERR_FILENO, "\r\033[K");
  shown_ = false;
}

}  // namespace sassim::replay
