// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/fetch/instruction_buffer.h"

namespace sassim::arch {

namespace {
/// Steps are large; a fresh one per call would be cleared each time.
trace::Step& scratch() {
  static thread_local trace::Step step;
  return step;
}
}  // namespace

void InstructionBuffer::look_ahead() {
  trace::Step& step = scratch();
  if (!cursor_.next(step)) return;
  const std::uint32_t slot = (head_ + known_) % kCapacity;
  Entry& entry = entries_[slot];
  entry.index = step.index;
  // Other tools' traces hold only the threads whose guard was true. If no guard was true, the active mask is assumed to
  // be that of the previous step.
  entry.nobody = step.active.none();
  if (!entry.nobody) active_ = step.active;
  entry.active = active_;
  entry.lanes = step.lanes;
  entry.space = step.space;
  entry.has_addresses = step.has_addresses;
  if (step.has_addresses) addresses_[slot] = step.addresses;
  ++known_;
}

}  // namespace sassim::arch
