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

const trace::Detail InstructionBuffer::kNoDetail{};

void InstructionBuffer::keep_detail(std::uint32_t slot, const trace::Detail& detail) {
  if (!details_) details_ = std::make_unique<std::array<trace::Detail, kCapacity>>();
  (*details_)[slot] = detail;
}

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
  entry.has_detail = !step.detail.none();
  if (entry.has_detail) [[unlikely]]
    keep_detail(slot, step.detail);
  ++known_;
}

}  // namespace sassim::arch
