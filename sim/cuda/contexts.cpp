// SPDX-License-Identifier: Apache-2.0
// Makes CUDA contexts, and keeps each host thread's stack of them.
#include "sim/cuda/contexts.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <type_traits>

#include "sim/emu/memory/address_space.h"

namespace sassim::cuda {
namespace {

/// It has no destructor, because a program may use CUDA in the destructors of a thread's own variables.
struct Stack {
  std::array<Context*, 256> all;
  std::size_t depth;
};
thread_local constinit Stack stack{};
static_assert(std::is_trivially_destructible_v<Stack>);

std::atomic<std::uint32_t> runtime_uses_primary;  ///< bit n: of device n
std::atomic<bool> initialised;

}  // namespace

void Contexts::driver_was_initialised() { initialised = true; }
bool Contexts::driver_is_initialised() { return initialised; }

Contexts& Contexts::of_this_process() {
  static Contexts contexts;
  return contexts;
}

Contexts::Contexts() {
  for (unsigned device = 0; device < emu::kMostDevices; ++device) {
    all_.push_back(std::make_unique<Context>());
    all_.back()->id = all_.size();
    all_.back()->primary = true;
    all_.back()->device = device;
  }
}

Context* Contexts::create(unsigned flags, unsigned device) {
  all_.push_back(std::make_unique<Context>());
  all_.back()->id = all_.size();
  all_.back()->flags = flags;
  all_.back()->device = device;
  return all_.back().get();
}

bool Contexts::known(const Context* context) const {
  return std::any_of(all_.begin(), all_.end(), [&](const auto& one) { return one.get() == context; });
}

Context* Contexts::owner(Stream stream) const {
  for (const auto& context : all_)
    if (context->streams.contains(stream)) return context.get();
  return nullptr;
}
Context* Contexts::owner(Event event) const {
  for (const auto& context : all_)
    if (context->events.contains(event)) return context.get();
  return nullptr;
}

Context* Contexts::current() { return stack.depth == 0 ? nullptr : stack.all[stack.depth - 1]; }

void Contexts::set_current(Context* context) {
  if (stack.depth == 0) stack.depth = 1;
  if (context)
    stack.all[stack.depth - 1] = context;
  else
    --stack.depth;
}

bool Contexts::push(Context* context) {
  if (stack.depth == stack.all.size()) return false;
  stack.all[stack.depth++] = context;
  return true;
}

Context* Contexts::pop() { return stack.depth == 0 ? nullptr : stack.all[--stack.depth]; }

void Contexts::runtime_was_called() {
  if (stack.depth == 0) push(&of_this_process().primary(0));
  if (current()->primary) runtime_uses_primary |= 1u << current()->device;
}
bool Contexts::used_by_runtime(unsigned device) { return (runtime_uses_primary >> device & 1u) != 0; }
bool Contexts::used_by_runtime() { return runtime_uses_primary != 0; }
void Contexts::runtime_has_left(unsigned device) { runtime_uses_primary &= ~(1u << device); }

}  // namespace sassim::cuda
