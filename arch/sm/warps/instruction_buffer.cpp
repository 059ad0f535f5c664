// SPDX-License-Identifier: Apache-2.0
// Fills a warp's instruction buffer from its trace or, for a warp that is executed while it is timed, from the code.
#include "arch/sm/warps/instruction_buffer.h"

#include <stdexcept>

namespace sassim::arch {

namespace {
/// One step per thread: a step is large, and clearing a new one in each call would take time.
trace::Step& scratch() {
  static thread_local trace::Step step;
  return step;
}

InstructionBuffer::Entry entry_at(CodeLine index, LaneMask active) {
  InstructionBuffer::Entry entry;
  entry.index = index;
  entry.active = active;
  return entry;
}
}  // namespace

const trace::Detail InstructionBuffer::kNoDetail{};

std::uint64_t InstructionBuffer::front_address(int lane) const {
  trace::LaneAddresses::Array all;
  front_addresses(all);
  return all[static_cast<std::size_t>(lane)];
}

void InstructionBuffer::keep_unpacked(std::uint32_t slot, const trace::LaneAddresses& addresses) {
  if (!unpacked_) unpacked_ = std::make_unique<std::array<trace::LaneAddresses, kCapacity>>();
  (*unpacked_)[slot] = addresses;
  addresses_[slot].form = trace::PackedAddresses::Form::unpacked;
}

void InstructionBuffer::keep_detail(std::uint32_t slot, const trace::Detail& detail) {
  if (!details_) details_ = std::make_unique<std::array<trace::Detail, kCapacity>>();
  (*details_)[slot] = detail;
}

bool InstructionBuffer::next_step(trace::Step& step, trace::PackedAddresses& addresses) {
  while (cursor_.next(step, addresses)) {
    step.index += first_line_;
    if (full_warps_ == nullptr || step.active.none() ||
        !full_warps_->takes_in(step.index, static_cast<std::uint32_t>(step.active.count())))
      return true;
  }
  return false;
}

void InstructionBuffer::look_ahead() {
  trace::Step& step = scratch();
  const std::uint32_t slot = (head_ + known_) % kCapacity;
  if (!next_step(step, addresses_[slot])) return;
  Entry& entry = entries_[slot];
  entry.index = CodeLine(step.index);
  // Traces of other tools contain only the threads whose guard is true. If no guard is true, the active mask is taken
  // from the previous step.
  entry.nobody = step.active.none();
  if (!entry.nobody) active_ = step.active;
  entry.active = active_;
  entry.lanes = step.lanes;
  entry.space = step.space;
  entry.has_addresses = step.has_addresses;
  if (step.has_addresses && addresses_[slot].form == trace::PackedAddresses::Form::unpacked) [[unlikely]]
    keep_unpacked(slot, step.addresses);
  entry.has_detail = !step.detail.none();
  if (entry.has_detail) [[unlikely]]
    keep_detail(slot, step.detail);
  ++known_;
}

void InstructionBuffer::start(trace::WarpProgram& program, std::uint32_t code_size, Cycle now) {
  program_ = &program;
  access_ = nullptr;
  code_size_ = code_size;
  path_unknown_ = false;
  head_ = known_ = fetched_ = 0;
  go_on(LaneMask{}, false, now);
}

/// For a live warp: adds the next instruction in the code.
void InstructionBuffer::look_behind() {
  const Entry& last = entries_[(head_ + known_ - 1) % kCapacity];
  if (last.index + 1 >= code_size_) return;
  entries_[(head_ + known_) % kCapacity] = entry_at(CodeLine(last.index + 1), last.active);
  ++known_;
}

void InstructionBuffer::execute(Cycle now) {
  trace::Step& step = scratch();
  Entry& entry = entries_[head_];
  now_ = now;
  access_ = program_->issue(step, now);
  if (step.index != entry.index) throw std::logic_error("a live warp is not where its next instruction was fetched");
  entry.active = step.active;
  entry.lanes = step.lanes;
  entry.space = step.space;
  entry.has_addresses = step.has_addresses;
  entry.has_detail = !step.detail.none();
  if (entry.has_detail) keep_detail(head_, step.detail);
  entry.executed = true;
  if (step.has_addresses) keep_unpacked(head_, step.addresses);
}

/// If all threads of the warp wait, the warp continues behind this instruction with an unknown mask. All threads are
/// returned as the mask in this case.
const InstructionBuffer::Entry* InstructionBuffer::following() const {
  const trace::WarpProgram::Next next = program_->next(now_);
  if (next.state == trace::WarpProgram::State::ended) return nullptr;
  const bool waits = next.state == trace::WarpProgram::State::waits;
  following_.index = CodeLine(waits ? front().index + 1 : next.index);
  following_.active = waits ? LaneMask::all() : next.active;
  return &following_;
}

InstructionBuffer::Path InstructionBuffer::go_on(LaneMask active, bool branches, Cycle now) {
  now_ = now;
  const trace::WarpProgram::Next next = program_->next(now);
  wakes_ = next.wakes;
  path_unknown_ = next.state == trace::WarpProgram::State::waits;
  if (path_unknown_) return Path::unknown;
  if (next.state == trace::WarpProgram::State::ended) {
    known_ = fetched_ = 0;
    return Path::ended;
  }
  const bool others = branches && next.active != active;
  if (known_ != 0 && front().index == next.index && !others) return Path::follows;
  fetched_ = 0;
  known_ = 1;
  entries_[head_] = entry_at(CodeLine(next.index), next.active);
  return Path::elsewhere;
}

}  // namespace sassim::arch
