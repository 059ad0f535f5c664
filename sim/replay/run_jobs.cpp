// SPDX-License-Identifier: Apache-2.0
// Simulates kernels on several processes (SystemC has one simulation at a time in a process), and passes their reports
// on in order. A process gets one kernel after the other from this one, and answers with messages.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "sim/base/child_process.h"
#include "sim/base/connection.h"
#include "sim/base/error.h"
#include "sim/base/state_archive.h"
#include "sim/base/stop_signals.h"
#include "sim/base/wait_graph.h"
#include "sim/replay/progress.h"
#include "sim/replay/run.h"

namespace sassim::replay {

namespace {

using Kernels = std::vector<std::shared_ptr<trace::BlockSource>>;

// Kinds of messages.
constexpr char kBegin = 'b';                    ///< to a process: the number of a kernel
constexpr char kKey = 'k';                      ///< back: what decides its result
constexpr char kSimulate = 's';                 ///< to a process: do so
constexpr char kLeave = 'l';                    ///< to a process: the result is known
constexpr char kRunning = 'r';                  ///< back: its name and progress
constexpr char kDone = 'd';                     ///< back: its report
constexpr char kFailed = 'f';                   ///< back: a Failure
constexpr std::size_t kMostAhead = 64;          ///< chosen: finished kernels whose reports wait for those before them
constexpr std::chrono::milliseconds kTell(20);  ///< from one message of progress to the next

template <class... T>
std::string packed(const T&... values) {
  StateWriter to;
  to(values...);
  return std::move(to.bytes());
}

template <class... T>
void unpack(const std::string& bytes, T&... values) {
  StateReader(bytes, "a message of a process")(values...);
}

/// The name and the progress of a kernel that runs.
struct Running {
  std::string kernel;
  arch::KernelProgress progress;
};

/// An exception on its way to another process.
struct Failure {
  enum class Kind : std::uint8_t { error, stuck, no_memory, file, other };
  Kind kind = Kind::other;
  ExitStatus status = ExitStatus::internal;
  std::string what{};
  WaitGraph graph{};
  int code = 0;  ///< of a file's error
};

/// Of the exception that is being handled.
Failure current_failure() try { throw; } catch (const Stuck& stuck) {
  return {Failure::Kind::stuck, stuck.status(), stuck.what(), stuck.graph()};
} catch (const Error& error) {
  return {Failure::Kind::error, error.status(), error.what()};
} catch (const std::bad_alloc&) {
  return {Failure::Kind::no_memory, ExitStatus::bad_input};
} catch (const std::filesystem::filesystem_error& error) {
  if (error.code() == std::errc::not_enough_memory) return {Failure::Kind::no_memory, ExitStatus::bad_input};
  return {Failure::Kind::file, ExitStatus::bad_input, error.path1().string(), {}, error.code().value()};
} catch (const std::exception& error) {
  return {Failure::Kind::other, ExitStatus::internal, error.what()};
}

std::exception_ptr exception_of(const Failure& failure) {
  switch (failure.kind) {
    case Failure::Kind::stuck:
      return std::make_exception_ptr(Stuck(failure.what, failure.graph));
    case Failure::Kind::error:
      return std::make_exception_ptr(Error(failure.status, failure.what));
    case Failure::Kind::no_memory:
      return std::make_exception_ptr(std::bad_alloc());
    case Failure::Kind::file:
      return std::make_exception_ptr(std::filesystem::filesystem_error(
          "a file", failure.what, std::error_code(failure.code, std::generic_category())));
    case Failure::Kind::other:
      break;
  }
  return std::make_exception_ptr(std::runtime_error(failure.what));
}

/// What a process does: one kernel after the other, on a GPU that it builds for the first one.
class Job {
 public:
  Job(const config::GpuConfig& config, const Kernels& kernels, const arch::RunOptions& options, bool reuse,
      const Connection& parent)
      : config_(config), kernels_(kernels), options_(options), reuse_(reuse), parent_(parent) {
    options_.progress = [this](const arch::KernelProgress& progress) {
      if (running_.kernel.empty()) running_.kernel = source_->kernel().name;
      running_.progress = progress;
      if (tell_.over()) parent_.send(kRunning, packed(running_));
    };
  }

  /// Until the parent has ended.
  void work() {
    while (const auto order = parent_.receive()) {
      std::uint64_t number = 0;
      unpack(order->bytes, number);
      simulate(*kernels_.at(number));
    }
  }

 private:
  void simulate(trace::BlockSource& source) try {
    running_ = {};
    source_ = &source;
    if (!gpu_) gpu_ = std::make_unique<arch::Gpu>(config_);
    parent_.send(kKey, reuse_ ? gpu_->decides(source, options_) : "");
    if (const auto answer = parent_.receive(); !answer || answer->kind == kLeave) return;
    parent_.send(kDone, packed(launch_report(source, gpu_->run(source, options_), config_)));
  } catch (...) {
    const Failure failure = current_failure();
    gpu_.reset();  // so that there is memory to tell it
    parent_.send(kFailed, packed(failure, running_));
  }

  const config::GpuConfig& config_;
  const Kernels& kernels_;
  arch::RunOptions options_;
  bool reuse_;
  const Connection& parent_;
  std::unique_ptr<arch::Gpu> gpu_;
  trace::BlockSource* source_ = nullptr;  ///< of the kernel that runs
  Running running_;
  Interval tell_{kTell};
};

/// The kernels of a run, and the processes that simulate them.
class JobsRun {
 public:
  JobsRun(const config::GpuConfig& config, const Kernels& kernels, const arch::RunOptions& options, const Jobs& jobs)
      : look_(jobs.look), launches_(kernels.size()) {
    for (std::size_t i = 0; i < std::min<std::size_t>(jobs.count, kernels.size()); ++i) {
      auto [ours, its] = Connection::make();
      ChildProcess process = ChildProcess::copy([&config, &kernels, &options, &jobs, &our = ours, &end = its] {
        our.close();
        Job(config, kernels, options, jobs.reuse, end).work();
      });
      workers_.push_back({std::move(process), std::move(ours), {}});
    }
  }

  void run(const std::function<void(report::KernelReport)>& sink) {
    while (reported_ < launches_.size()) {
      begin();
      receive();
      decide();
      tell();
      report(sink);
    }
  }

 private:
  struct Worker {
    ChildProcess process;
    Connection connection;
    std::optional<std::size_t> launch;  ///< what it works on
  };
  struct Launch {
    Worker* worker = nullptr;
    std::optional<std::string> key;   ///< what decides its result; empty: nobody knows. Nothing: it was not heard yet
    std::optional<std::size_t> same;  ///< an earlier launch, which has the result of this one
    bool kept = false;                ///< later launches may have its result
    Running running;
    std::unique_ptr<report::KernelReport> report;
    std::exception_ptr failure;
  };

  void begin() {
    for (Worker& worker : workers_) {
      if (failed_ || next_ == launches_.size() || next_ == reported_ + kMostAhead) return;
      if (worker.launch || worker.connection.descriptor() < 0) continue;
      worker.launch = next_;
      launches_[next_].worker = &worker;
      worker.connection.send(kBegin, packed(std::uint64_t{next_++}));  // if it has ended, receive() will see it
    }
  }

  /// Waits a moment for messages, and takes them.
  void receive() {
    std::vector<pollfd> ends;
    for (const Worker& worker : workers_) ends.push_back({worker.connection.descriptor(), POLLIN, 0});
    if (poll(ends.data(), ends.size(), static_cast<int>(kTell.count())) <= 0) return;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].revents == 0) continue;
      if (const auto message = workers_[i].connection.receive())
        take(workers_[i], *message);
      else
        lose(workers_[i]);
    }
  }

  void take(Worker& worker, const Connection::Message& message) {
    Launch& launch = launches_.at(worker.launch.value());
    if (message.kind == kKey) {
      launch.key = message.bytes;
    } else if (message.kind == kRunning) {
      unpack(message.bytes, launch.running);
    } else if (message.kind == kDone) {
      launch.report = std::make_unique<report::KernelReport>();
      unpack(message.bytes, *launch.report);
      worker.launch.reset();
    } else {
      Failure failure;
      unpack(message.bytes, failure, launch.running);
      fail(launch, exception_of(failure));
      worker.launch.reset();
    }
  }

  void fail(Launch& launch, std::exception_ptr why) {
    if (!launch.key) launch.key.emplace();
    launch.failure = std::move(why);
    failed_ = true;
  }

  /// The process has ended, which none does by itself.
  void lose(Worker& worker) {
    constexpr int kSignals = 128;
    worker.connection.close();
    const int status = worker.process.wait().status;
    if (!worker.launch && next_ == launches_.size()) return;  // it has done its part
    const std::size_t number = worker.launch ? *worker.launch : next_++;
    const bool killed = status == kSignals + SIGKILL;
    fail(launches_[number],
         std::make_exception_ptr(Error(
             killed ? ExitStatus::bad_input : ExitStatus::internal,
             fmt::format("launch {}: the process that simulated it was ended by {}{}", number,
                         status > kSignals ? signal_name(status - kSignals) : fmt::format("itself, status {}", status),
                         killed ? "; if memory was short, fewer --jobs need less" : ""))));
  }

  /// In the order of the launches, so that of equal ones the first is simulated.
  void decide() {
    for (; decided_ < next_ && launches_[decided_].key; ++decided_) {
      Launch& launch = launches_[decided_];
      if (launch.failure) continue;
      const auto known = launch.key->empty() ? known_.end() : known_.find(*launch.key);
      if (known != known_.end()) {
        launch.same = known->second;
        launch.worker->connection.send(kLeave);
        launch.worker->launch.reset();
        continue;
      }
      launch.kept = !launch.key->empty() && known_.size() < arch::Gpu::kMostResults;
      if (launch.kept) known_.emplace(*launch.key, decided_);
      launch.worker->connection.send(kSimulate);
    }
  }

  void tell() const {
    if (!look_) return;
    const Running& first = launches_[reported_].running;
    JobsProgress now{first.kernel, first.progress, 0};
    for (std::size_t i = reported_ + 1; i < next_; ++i)
      now.beside += launches_[i].report ? launches_[i].report->warp_instructions
                                        : launches_[i].running.progress.warp_instructions;
    look_(now);
  }

  void report(const std::function<void(report::KernelReport)>& sink) {
    while (reported_ < decided_) {
      Launch& launch = launches_[reported_];
      if (launch.failure) {
        tell();  // what the launch had done
        std::rethrow_exception(launch.failure);
      }
      std::unique_ptr<report::KernelReport>& report = launch.same ? launches_[*launch.same].report : launch.report;
      if (!report) return;
      report::KernelReport own = *report;
      own.reused = launch.same.has_value();
      if (!launch.same && !launch.kept) report.reset();
      ++reported_;
      sink(std::move(own));
    }
  }

  const std::function<void(const JobsProgress&)>& look_;
  std::vector<Launch> launches_;
  std::vector<Worker> workers_;
  std::map<std::string, std::size_t> known_;           ///< the first launch with each key
  std::size_t next_ = 0, decided_ = 0, reported_ = 0;  ///< launches before these were begun, judged, reported
  bool failed_ = false;                                ///< no more are begun
};

}  // namespace

void run_jobs(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
              const arch::RunOptions& options, const std::function<void(report::KernelReport)>& sink,
              const Jobs& jobs) {
  if (options.max_cycles == 0) check_lengths(kernels);
  JobsRun(config, kernels, options, jobs).run(sink);
}

}  // namespace sassim::replay
