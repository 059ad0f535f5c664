// SPDX-License-Identifier: Apache-2.0
// The threads of the epoch engine. An epoch takes a few microseconds, so a waiting thread spins for a while before it
// sleeps, if there is a core for each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "arch/common/component.h"

namespace sassim::arch {

class ThreadTeam {
 public:
  /// The caller of advance() is one of the `threads`. Throws InputError if the system does not allow that many threads.
  explicit ThreadTeam(unsigned threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Threads that share the work.
  std::size_t size() const { return alone_ ? 1 : shares_.size(); }
  /// Adds a component to the next advance(). The same index prefers the same thread, because of the thread's caches.
  void assign(std::size_t index, Component& component);
  /// Advances all assigned components and clears the list. Rethrows the exception of the component with the lowest
  /// index.
  void advance(Cycle until);
  /// Ends the threads. The next advance() starts them again; `for_good`: from now on its caller works alone.
  void rest(bool for_good);

 private:
  struct Work {
    std::size_t index;
    Component* component;
  };
  struct alignas(64) Share {
    std::vector<Work> work;
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    std::size_t error_index = 0;
  };

  void start();
  void work_as(std::size_t self);
  void run(Share& share, Share& mine);
  void loop(std::size_t self);
  void stop();
  bool join();
  void leave();
  void rethrow();

  std::vector<std::unique_ptr<Share>> shares_;
  std::vector<std::thread> threads_;
  bool alone_ = false;  ///< there will be no threads
  const bool crowded_;  ///< there are fewer cores than threads: none spins
  Cycle until_;
  std::size_t assigned_ = 0;
  alignas(64) std::atomic<std::uint32_t> generation_{0};
  /// kOpen while there may be work, plus the number of workers that take part. The caller waits only for these, not for
  /// threads that the operating system has not run yet.
  alignas(64) std::atomic<std::uint32_t> state_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace sassim::arch
