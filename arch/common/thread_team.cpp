// SPDX-License-Identifier: Apache-2.0
// Host threads that advance SMs and memory partitions through an epoch; free ones take over work of others.
#include "arch/common/thread_team.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "sim/base/cores.h"
#include "sim/base/default_float.h"
#include "sim/base/error.h"
#include "sim/base/stop_signals.h"

namespace sassim::arch {

namespace {

/// How long a thread spins. Chosen: longer than one thread usually works alone between two steps, and too short to
/// disturb other processes.
constexpr std::chrono::microseconds kSpin{60};
/// Between two looks at the clock: a third of a microsecond on two kinds of host.
constexpr int kPauses = 16;

constexpr std::uint32_t kOpen = 1u << 31;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Returns when `value` differs from `old`.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old, bool spins) {
  if (!spins) return value.wait(old, std::memory_order_acquire);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + kSpin;
  do {
    for (int i = 0; i < kPauses; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      relax();
    }
  } while (Clock::now() < end);
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(unsigned threads) : crowded_(threads > usable_cores()) {
  for (std::size_t i = 0; i < std::max(threads, 1u); ++i) shares_.push_back(std::make_unique<Share>());
  start();
}

void ThreadTeam::start() {
  const std::size_t count = shares_.size();
  const NoSignals inherited;
  stop_.store(false, std::memory_order_relaxed);
  try {
    for (std::size_t i = 1; i < count; ++i) threads_.emplace_back([this, i] { loop(i); });
  } catch (const std::system_error& error) {
    const std::size_t had = threads_.size() + 1;
    stop();
    throw InputError("of {} threads the system gives this process only {}: {}; ask for fewer", count, had,
                     error.code().message());
  } catch (...) {
    stop();
    throw;
  }
}

ThreadTeam::~ThreadTeam() { stop(); }

void ThreadTeam::stop() {
  stop_.store(true, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThreadTeam::rest(bool for_good) {
  alone_ = alone_ || for_good;
  stop();
}

void ThreadTeam::assign(std::size_t index, Component& component) {
  shares_[index % shares_.size()]->work.push_back({index, &component});
  ++assigned_;
}

void ThreadTeam::advance(Cycle until) {
  until_ = until;
  if (threads_.empty() && !alone_ && assigned_ > 1) start();
  if (threads_.empty() || assigned_ < 2) {
    for (auto& share : shares_) run(*share, *shares_[0]);
  } else {
    state_.store(kOpen, std::memory_order_release);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
    work_as(0);
    state_.fetch_and(~kOpen, std::memory_order_acq_rel);
    for (std::uint32_t left = state_.load(std::memory_order_acquire); left != 0;
         left = state_.load(std::memory_order_acquire))
      await_change(state_, left, !crowded_);
  }
  for (auto& share : shares_) {
    share->work.clear();
    share->next.store(0, std::memory_order_relaxed);
  }
  assigned_ = 0;
  rethrow();
}

void ThreadTeam::rethrow() {
  const Share* first = nullptr;
  for (auto& share : shares_)
    if (share->error && (first == nullptr || share->error_index < first->error_index)) first = share.get();
  if (first == nullptr) return;
  const std::exception_ptr error = first->error;
  for (auto& share : shares_) share->error = nullptr;
  std::rethrow_exception(error);
}

void ThreadTeam::loop(std::size_t self) {
  const DefaultFloat default_float;
  std::uint32_t seen = 0;
  for (;;) {
    await_change(generation_, seen, !crowded_);
    seen = generation_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    if (!join()) continue;
    work_as(self);
    leave();
  }
}

bool ThreadTeam::join() {
  std::uint32_t state = state_.load(std::memory_order_acquire);
  while ((state & kOpen) != 0)
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) return true;
  return false;
}

void ThreadTeam::leave() {
  if (state_.fetch_sub(1, std::memory_order_acq_rel) == 1) state_.notify_one();
}

/// Does the thread's own share first, then work that other threads have left.
void ThreadTeam::work_as(std::size_t self) {
  for (std::size_t i = 0; i < shares_.size(); ++i) run(*shares_[(self + i) % shares_.size()], *shares_[self]);
}

void ThreadTeam::run(Share& share, Share& mine) {
  for (;;) {
    const std::size_t i = share.next.fetch_add(1, std::memory_order_relaxed);
    if (i >= share.work.size()) return;
    const Work& work = share.work[i];
    try {
      work.component->advance(until_);
    } catch (...) {
      if (!mine.error || work.index < mine.error_index) {
        mine.error = std::current_exception();
        mine.error_index = work.index;
      }
    }
  }
}

}  // namespace sassim::arch
