// SPDX-License-Identifier: Apache-2.0
// Makes a GPU's own SystemC simulation the current one of the process while something uses it.
#include "arch/common/simulation_context.h"

#include <cstdlib>
#include <mutex>
#include <new>
#include <systemc>

namespace sassim::arch {

namespace {

std::recursive_mutex& global_context() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace

struct SimulationContext::Impl {
  std::unique_ptr<sc_core::sc_simcontext> context;
};

void give_back_systemc_heap() noexcept {
  constexpr std::size_t kBytes = 0x10000;
  sc_core::sc_byte_heap& heap = sc_core::sc_temp_heap;
  char* const smaller = new (std::nothrow) char[kBytes]();  // sc_byte_heap::initialize() would lose both without memory
  if (smaller == nullptr) return;
  delete[] heap.m_bgn_p;
  heap.m_bgn_p = heap.m_next_p = smaller;
  heap.m_end_p = smaller + kBytes;
}

SimulationContext::SimulationContext() : impl_(std::make_unique<Impl>()) {
  const std::lock_guard lock(global_context());
  // Stops the library from printing its version on standard error.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  impl_->context = std::make_unique<sc_core::sc_simcontext>();
}

SimulationContext::~SimulationContext() {
  use([&] { impl_->context.reset(); });
}

void SimulationContext::use(const std::function<void()>& work) {
  const std::lock_guard lock(global_context());
  auto* const current = sc_core::sc_curr_simcontext;
  auto* const global = sc_core::sc_default_global_context;
  sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = impl_->context.get();
  struct Restore {
    sc_core::sc_simcontext *current, *global;
    ~Restore() {
      sc_core::sc_curr_simcontext = current;
      sc_core::sc_default_global_context = global;
    }
  } restore{current, global};
  work();
}

}  // namespace sassim::arch
