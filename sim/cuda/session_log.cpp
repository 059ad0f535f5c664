// SPDX-License-Identifier: Apache-2.0
// Writes the launches of this process for `sassim exec`, even after chroot(), fork() or close().
#include "sim/cuda/session_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/emu/memory/address_space.h"

namespace sassim::cuda {

using Json = nlohmann::ordered_json;

namespace {

/// The logs that the fork handlers use, by device.
std::array<std::atomic<SessionLog*>, emu::kMostDevices> logs;
std::atomic<SessionLog*>& current = logs.front();
/// The number of the fork that this thread is performing.
thread_local unsigned fork_number = 0;

std::string file_of(const std::string& folder, const std::string& process) {
  return fmt::format("{}/process-{}.jsonl", folder, process);
}

/// An open file for a moment.
struct Descriptor {
  explicit Descriptor(int number_) : number(number_) {}
  ~Descriptor() {
    const int kept = errno;
    if (number >= 0) close(number);
    errno = kept;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

Descriptor open_new(const std::string& path) {
  return Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
}

Descriptor open_again(const std::string& path) {
  return Descriptor(open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
}

Descriptor open_folder(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// Whether the program has put the file out of its own reach, for example with chroot(), setuid() or close().
bool is_out_of_reach(int why) {
  return why == ENOENT || why == ENOTDIR || why == EACCES || why == EPERM || why == ELOOP || why == EMFILE ||
         why == ENFILE || why == ESTALE;
}

}  // namespace

struct SessionLog::Forks {
  static void before() {
    if (SessionLog* log = current) fork_number = std::atomic_ref(log->children_).fetch_add(1) + 1;
  }
  static void in_child() {
    for (SessionLog* log : logs)
      if (log != nullptr) log->became_child(fork_number);
  }
};

SessionLog::Place SessionLog::Place::of(int descriptor) {
  struct stat state {};
  return fstat(descriptor, &state) == 0 ? Place{state.st_dev, state.st_ino} : Place{};
}

SessionLog::SessionLog(std::string folder, unsigned device)
    : folder_(std::move(folder)), process_("1"), device_(device) {
  static const int registered = pthread_atfork(&Forks::before, nullptr, &Forks::in_child);
  static_cast<void>(registered);
  root_ = Place::of(open_folder("/").number);
  if (device != 0)
    follow(*logs.front());
  else if (!folder_.empty())
    make_file();
  logs.at(device) = this;
}

/// The file of a further device is made at its first line.
void SessionLog::follow(const SessionLog& first) {
  process_ = fmt::format("{}@{}", first.process_, device_);
  ledger_ = first.ledger_;
  folder_place_ = first.folder_place_;
}

void SessionLog::make_file() {
  ledger_ = session::SessionLedger::open(folder_);
  folder_place_ = Place::of(open_folder(folder_).number);
  constexpr unsigned kMost = 1'000'000;
  for (unsigned number = 1; number < kMost; ++number) {
    process_ = std::to_string(number);
    const Descriptor made = open_new(file_of(folder_, process_));
    if (made.number < 0 && errno == EEXIST) continue;
    if (made.number < 0) break;
    file_ = Place::of(made.number);
    return;
  }
  throw InputError("{}: cannot write the results of this run: {}", folder_, std::strerror(errno));
}

SessionLog::~SessionLog() { logs.at(device_) = nullptr; }

SessionLog* SessionLog::of_this_process() { return current; }

void SessionLog::became_child(unsigned number) {
  process_.insert(std::min(process_.find('@'), process_.size()), fmt::format(".{}", number));
  children_ = 0;
  launches_ = 0;
  writer_ = report::KernelWriter(report::KernelForm::between);  // the parent's file belongs to the parent
  file_ = {};                                                   // made at the first line
}

bool SessionLog::cut_off() const {
  const Descriptor root = open_folder("/");
  return root.number < 0 || Place::of(root.number) != root_;
}

bool SessionLog::reaches_folder() const {
  if (folder_.empty()) return true;
  if (in_ledger_) return false;
  const Descriptor itself = open_folder(folder_);
  return itself.number >= 0 && Place::of(itself.number) == folder_place_ &&
         faccessat(AT_FDCWD, folder_.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

/// On failure, the reason is in errno.
bool SessionLog::append(const std::string& text) {
  const std::string path = file_of(folder_, process_);
  const bool fresh = file_ == Place{};
  const Descriptor file = fresh ? open_new(path) : open_again(path);
  if (file.number < 0) return false;
  if (fresh) file_ = Place::of(file.number);
  if (Place::of(file.number) != file_) {  // the program has another file of this name
    errno = ENOENT;
    return false;
  }
  return write_fully(file.number, text);
}

void SessionLog::write(const Json& line) {
  if (folder_.empty()) return;
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (!in_ledger_ && append(text)) return;
  const int why = errno;
  const bool cut_off = in_ledger_ || is_out_of_reach(why);
  if (cut_off && ledger_ && ledger_->keep(process_, text)) {
    in_ledger_ = true;
    return;
  }
  const std::string reason = fmt::format("{}: cannot write the results of this run: {}", folder_,
                                         in_ledger_ ? "there is no room left" : std::strerror(why));
  if (ledger_) ledger_->failed(reason);
  throw Error(cut_off ? ExitStatus::check_failed : ExitStatus::bad_input, reason);
}

std::uint64_t SessionLog::begin(const std::string& kernel) {
  if (ledger_) ledger_->launched();
  write({{"begin", kernel}});
  return launches_++;
}

bool SessionLog::finds_its_lines() const {
  return !in_ledger_ && (file_ == Place{} || Place::of(open_again(file_of(folder_, process_)).number) == file_);
}

void SessionLog::kernel(const report::KernelReport& kernel, double host_seconds) {
  if (folder_.empty()) return;
  // In the ledger a line may be the first one that is left.
  if (!finds_its_lines()) writer_ = report::KernelWriter(report::KernelForm::between);
  Json line;  // an initializer list would copy the kernel
  line["kernel"] = writer_.write(kernel);
  line["host_seconds"] = host_seconds;
  if (kernel.reused) line["reused"] = true;
  write(line);
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

void SessionLog::untimed() { write({{"untimed", true}}); }

void SessionLog::ran_on(std::uint64_t stream, bool ordered_with_default, const Company& company) {
  Json line = {{"stream", stream}, {"ordered", ordered_with_default}, {"waited", company.waited}};
  if (company.beside) line["beside"] = *company.beside;
  write(line);
}

void SessionLog::so_far(std::uint64_t launch, const report::KernelReport& kernel, std::uint64_t stream,
                        bool ordered_with_default) {
  if (folder_.empty()) return;
  report::KernelWriter on_its_own(report::KernelForm::between);  // the line may not count
  write({{"so_far", launch},
         {"known", on_its_own.write(kernel)},
         {"company", {{"stream", stream}, {"ordered", ordered_with_default}, {"waited", false}, {"beside", true}}}});
}

void SessionLog::ended(int status) {
  if (ledger_) ledger_->ended(status);
  if (folder_.empty()) return;
  const std::string path = folder_ + "/ended";
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file.number >= 0) write_fully(file.number, fmt::format("{}\n", status));
}

}  // namespace sassim::cuda
