// SPDX-License-Identifier: Apache-2.0
// Shared memory of `sassim exec` and the program's processes: the number of launches, the exit status with which the
// simulation ended a process, and log lines of processes that are cut off from their files.
#include "sim/session/session_ledger.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

namespace sassim::session {

namespace fs = std::filesystem;

namespace {

constexpr const char* kName = "ledger";
constexpr std::size_t kPage = 4096;
constexpr std::size_t kMostBytes = std::size_t{256}
                                   << 20;        ///< a hole in the file until lines come: about 13 KB a launch
constexpr std::uint32_t kUnfinished = 1u << 31;  ///< in the size of a line that is being written

/// Before the bytes of a line.
struct LineHead {
  std::atomic<std::uint32_t> size;      ///< of the line and its head, with kUnfinished; 0: nothing is here yet
  std::uint32_t process = 0, text = 0;  ///< bytes of the two strings
};

std::size_t file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kMostBytes;
  return std::min<std::size_t>(kMostBytes, limit.rlim_cur / kPage * kPage);
}

/// Makes the pages present, so that a full disk is an error here and not a signal at the first use.
bool populate(char* from, std::size_t bytes) {
  char* const start = from - std::bit_cast<std::uintptr_t>(from) % kPage;
  return madvise(start, static_cast<std::size_t>(from + bytes - start), MADV_POPULATE_WRITE) == 0;
}

}  // namespace

struct SessionLedger::Header {
  std::atomic<std::uint64_t> launches, used;  ///< bytes of lines
  std::atomic<int> status_and_one;            ///< 0: the simulation has ended no process
  std::atomic<int> failing;                   ///< 1: a reason is being written, 2: it is there
  std::array<char, 1024> why;
};

SessionLedger::SessionLedger(void* at, std::size_t bytes) : at_(at), bytes_(bytes) {
  static_assert(sizeof(Header) <= kPage && std::atomic<std::uint64_t>::is_always_lock_free);
}

SessionLedger::~SessionLedger() { munmap(at_, bytes_); }

std::unique_ptr<SessionLedger> SessionLedger::map(int descriptor, std::size_t bytes) {
  for (const std::size_t size : {bytes, kPage}) {  // a limit of address space may leave room for the header only
    void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    if (at != MAP_FAILED) return std::unique_ptr<SessionLedger>(new SessionLedger(at, size));
  }
  return nullptr;
}

std::unique_ptr<SessionLedger> SessionLedger::create(const fs::path& folder) {
  const std::size_t bytes = file_limit();
  if (bytes < kPage) return nullptr;
  const int descriptor = ::open((folder / kName).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return nullptr;
  std::unique_ptr<SessionLedger> ledger;
  if (posix_fallocate(descriptor, 0, kPage) == 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) == 0)
    ledger = map(descriptor, bytes);
  close(descriptor);
  return ledger;
}

std::unique_ptr<SessionLedger> SessionLedger::open(const fs::path& folder) {
  const int descriptor = ::open((folder / kName).c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  struct stat state {};
  std::unique_ptr<SessionLedger> ledger;
  if (fstat(descriptor, &state) == 0 && state.st_size >= static_cast<off_t>(kPage))
    ledger = map(descriptor, static_cast<std::size_t>(state.st_size));
  close(descriptor);
  return ledger;
}

SessionLedger::Header& SessionLedger::header() const { return *std::launder(static_cast<Header*>(at_)); }
std::size_t SessionLedger::room() const { return bytes_ - kPage; }
char* SessionLedger::lines() const { return static_cast<char*>(at_) + kPage; }

void SessionLedger::launched() { ++header().launches; }
std::uint64_t SessionLedger::launches() const { return header().launches; }

bool SessionLedger::keep(std::string_view process, std::string_view line) {
  const std::size_t whole = sizeof(LineHead) + process.size() + line.size();
  const std::size_t size = (whole + alignof(LineHead) - 1) / alignof(LineHead) * alignof(LineHead);
  if (size > room() || header().used + size > room()) return false;
  const std::uint64_t at = header().used.fetch_add(size);
  if (at + size > room()) return false;
  char* const place = lines() + at;
  if (!populate(place, size)) return false;
  auto& head = *std::launder(reinterpret_cast<LineHead*>(place));
  head.size.store(static_cast<std::uint32_t>(size) | kUnfinished, std::memory_order_relaxed);
  head.process = static_cast<std::uint32_t>(process.size());
  head.text = static_cast<std::uint32_t>(line.size());
  std::ranges::copy(process, place + sizeof(LineHead));
  std::ranges::copy(line, place + sizeof(LineHead) + process.size());
  head.size.store(static_cast<std::uint32_t>(size), std::memory_order_release);
  return true;
}

void SessionLedger::for_each_line(const std::function<void(std::string_view, std::string_view)>& visit) const {
  const std::size_t used = std::min<std::size_t>(header().used, room());
  for (std::size_t at = 0; at + sizeof(LineHead) <= used;) {
    const char* const place = lines() + at;
    const auto& head = *std::launder(reinterpret_cast<const LineHead*>(place));
    const std::uint32_t stored = head.size.load(std::memory_order_acquire), size = stored & ~kUnfinished;
    const std::size_t text = sizeof(LineHead) + std::size_t{head.process} + head.text;
    if (size < sizeof(LineHead) || size > used - at) return;
    if ((stored & kUnfinished) == 0 && text <= size)
      visit({place + sizeof(LineHead), head.process}, {place + sizeof(LineHead) + head.process, head.text});
    at += size;
  }
}

void SessionLedger::failed(std::string_view why) {
  int none = 0;
  if (!header().failing.compare_exchange_strong(none, 1)) return;
  const std::size_t count = std::min(why.size(), header().why.size() - 1);
  std::copy_n(why.begin(), count, header().why.begin());
  header().why[count] = '\0';
  header().failing = 2;
}

std::string SessionLedger::failure() const {
  const std::array<char, 1024>& why = header().why;
  return header().failing == 2 ? std::string(why.data(), strnlen(why.data(), why.size())) : std::string();
}

void SessionLedger::ended(int status) { header().status_and_one = status + 1; }
std::optional<int> SessionLedger::ended() const {
  const int stored = header().status_and_one;
  return stored == 0 ? std::nullopt : std::optional(stored - 1);
}

}  // namespace sassim::session
