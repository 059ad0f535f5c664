// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/session_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"

namespace sassim::cuda {

using Json = nlohmann::ordered_json;

namespace {

/// The log that the fork handlers use.
std::atomic<SessionLog*> current;
/// The number of the fork that this thread is performing.
thread_local unsigned fork_number = 0;

std::string file_of(const std::string& folder, const std::string& process) {
  return fmt::format("{}/process-{}.jsonl", folder, process);
}

int open_new(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
}

}  // namespace

struct SessionLog::Forks {
  static void before() {
    if (SessionLog* log = current) fork_number = std::atomic_ref(log->children_).fetch_add(1) + 1;
  }
  static void in_child() {
    if (SessionLog* log = current) log->became_child(fork_number);
  }
};

SessionLog::SessionLog(std::string folder) : folder_(std::move(folder)), process_("1") {
  current = this;
  static const int registered = pthread_atfork(&Forks::before, nullptr, &Forks::in_child);
  static_cast<void>(registered);
  if (folder_.empty()) return;
  constexpr unsigned kMost = 1'000'000;
  for (unsigned number = 1; number < kMost && descriptor_ < 0; ++number) {
    process_ = std::to_string(number);
    descriptor_ = open_new(file_of(folder_, process_));
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) throw InputError("{}: cannot write the results of this run: {}", folder_, std::strerror(errno));
}

SessionLog::~SessionLog() {
  current = nullptr;
  if (descriptor_ >= 0) close(descriptor_);
}

void SessionLog::became_child(unsigned number) {
  process_ += fmt::format(".{}", number);
  children_ = 0;
  writer_ = {};  // the parent's file belongs to the parent
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;  // opened at the first write
}

void SessionLog::write(const Json& line) {
  if (folder_.empty()) return;
  if (descriptor_ < 0) descriptor_ = open_new(file_of(folder_, process_));
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (descriptor_ < 0 || !write_fully(descriptor_, text))
    throw InputError("{}: cannot write the results of this run: {}", folder_, std::strerror(errno));
}

void SessionLog::begin(const std::string& kernel) { write({{"begin", kernel}}); }

void SessionLog::kernel(const report::KernelReport& kernel, double host_seconds) {
  if (folder_.empty()) return;
  write({{"kernel", writer_.write(kernel)}, {"host_seconds", host_seconds}});
}

void SessionLog::fault(Dim3 grid, Dim3 block, const emu::DeviceFault& fault) {
  report::KernelReport report;
  report.name = fault.site().kernel;
  report.grid = grid;
  report.block = block;
  report.fault = {emu::fault_name(fault.kind()), fault.what(), fault.site().pc, fault.site().line};
  write({{"kernel", writer_.write(report)}});
}

void SessionLog::end() { write({{"end", true}}); }

void SessionLog::ran_on(std::uint64_t stream, bool ordered_with_default, const Company& company) {
  Json line = {{"stream", stream}, {"ordered", ordered_with_default}, {"waited", company.waited}};
  if (company.beside) line["beside"] = *company.beside;
  write(line);
}

}  // namespace sassim::cuda
