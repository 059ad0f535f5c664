// SPDX-License-Identifier: Apache-2.0
// CUDA contexts, and which of them is current in each host thread; the runtime and the driver share them. All contexts
// of a device share the simulated GPU, its memory and its time; a context that the program has made owns what is made
// in it. The runtime uses the primary context of device 0 unless another context is current.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "sim/cuda/abi.h"

namespace sassim::cuda {

/// The object behind a CUcontext.
struct Context {
  std::uint64_t id = 0;  ///< never used again
  bool primary = false;
  unsigned device = 0;
  bool destroyed = false;
  unsigned flags = 0;
  unsigned attached = 1;  ///< uses, which cuCtxAttach and cuCtxDetach count
  unsigned retains = 0;   ///< of a primary context, by the driver; the runtime's use counts as one more
  // What was made in it by functions of the driver and goes with it.
  std::set<std::uint64_t> memory = {};
  std::set<void*> host_memory = {};
  std::set<Stream> streams = {};
  std::set<Event> events = {};
};

class Contexts {
 public:
  Context& primary(unsigned device) { return *all_.at(device); }
  Context* create(unsigned flags, unsigned device);
  /// Whether this is a context, which may be destroyed.
  bool known(const Context*) const;
  const std::vector<std::unique_ptr<Context>>& all() const { return all_; }
  /// The context in which `stream` or `event` was made by the driver's functions; nullptr: the primary one, or by the
  /// runtime.
  Context* owner(Stream) const;
  Context* owner(Event) const;

  bool is_active(const Context& primary) const { return primary.retains != 0 || used_by_runtime(primary.device); }

  /// The calling thread's current context; nullptr: none.
  static Context* current();
  static void set_current(Context*);
  /// False if the thread's stack of contexts is full.
  static bool push(Context*);
  static Context* pop();
  /// A function of the runtime has used the current context; if there was none, the primary one of device 0 is current
  /// now.
  static void runtime_was_called();
  /// Whether the runtime has used the primary context of a device, or of any.
  static bool used_by_runtime(unsigned device);
  static bool used_by_runtime();
  /// cuInit, which functions of the runtime call too when they ask for devices.
  static void driver_was_initialised();
  static bool driver_is_initialised();
  /// After a reset of the device: the runtime no longer uses its primary context.
  static void runtime_has_left(unsigned device);
  static Contexts& of_this_process();

 private:
  Contexts();
  std::vector<std::unique_ptr<Context>> all_;
};

}  // namespace sassim::cuda
