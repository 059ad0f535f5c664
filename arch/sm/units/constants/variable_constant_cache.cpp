// SPDX-License-Identifier: Apache-2.0
// Serves constant loads with a computed address (LDC): finds their lines, requests missing ones, and returns the words.
#include "arch/sm/units/constants/variable_constant_cache.h"

#include <algorithm>
#include <bit>

#include "sim/base/error.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

namespace {

/// Loads of constants by computed address.
const struct ConstantLoadCounters {
  stats::Count words{"sassim__ldc_words.sum", "request", "distinct words that LDC instructions looked up"};
  stats::Count lines_missed{"sassim__ldc_lines_missed.sum", "request",
                            "lines that LDC did not find in its first-level cache"};
  stats::Count instructions{"smsp__inst_executed_op_ldc.sum", "inst",
                            "warp instructions executed: indexed constant loads"};
} kConstantLoads;

CacheShape shape_of_variable(const config::CacheGeometry& g) {
  if (g.line == 0 || g.ways == 0 || g.size == 0 || g.size % (std::uint64_t{g.line} * g.ways) != 0)
    throw InputError("sm.constant.variable is {} bytes in {} ways of {}-byte lines: expected a whole number of sets",
                     g.size, g.ways, g.line);
  return {.sets = static_cast<std::uint32_t>(g.size / (std::uint64_t{g.line} * g.ways)), .ways = g.ways};
}

}  // namespace

VariableConstantCache::VariableConstantCache(const config::Sm& sm, ConstantMissPort& port, EventQueue& events, SmId id)
    : config_(sm.constant),
      before_accept_(sm.memory_io.pipeline),
      capacity_(std::max(sm.memory_io.stage_queue, 1u)),
      loads_(sm.memory_io.adu_queue.entries == 0 ? 0 : sm.memory_io.adu_queue.loads),
      lines_(sm.memory_io.adu_queue.lines),
      port_(port),
      events_(events),
      sm_(id),
      tags_(shape_of_variable(sm.constant.variable), "lru"),
      queue_(capacity_) {
  if (config_.ldc_latency <= before_accept_ + config_.ldc_uniform)
    throw InputError("sm.constant.ldc_latency is {}: expected more than sm.memory_io.pipeline + ldc_uniform, {} cycles",
                     config_.ldc_latency, before_accept_ + config_.ldc_uniform);
}

Cycle VariableConstantCache::accept_ready(Cycle now) const {
  std::size_t left = 0;
  while (left < leaving_.size() && leaving_[left] <= now) ++left;
  if (missing_.size() + (leaving_.size() - left) < loads_) return std::max(now, free_);
  return left < leaving_.size() ? leaving_[left] : kNever;
}

void VariableConstantCache::accept(const UnitOp& op, Cycle now) {
  Queued overtaking;
  Queued& queued = overtakes() ? overtaking : queue_.push();
  queued.token = op.token;
  queued.pc = op.pc;
  queued.uniform = op.uniform_address;
  queued.missed = false;
  queued.accepted = now;
  queued.count = 0;
  queued.passes = 0;
  queued.width = std::max(1u, op.decoded->access_bytes / 8u);
  std::array<std::uint64_t, kWarpSize> words;
  for (std::uint32_t left = op.lanes.bits; left != 0; left &= left - 1) {
    const std::uint64_t address = op.addresses[static_cast<std::size_t>(std::countr_zero(left))];
    const std::uint64_t word = address / 4, line = address / config_.variable.line;
    const auto words_end = words.begin() + queued.passes;
    if (std::find(words.begin(), words_end, word) != words_end) continue;
    words[queued.passes++] = word;
    const auto lines_end = queued.lines.begin() + queued.count;
    if (std::find(queued.lines.begin(), lines_end, line) == lines_end) queued.lines[queued.count++] = line;
  }
  ++counters_.instructions;
  counters_.requests += queued.passes;
  if (queued.uniform) events_.push(now + 1, op.token, UnitEvent::Kind::sources_read);
  if (overtakes()) return look_up_all(queued, now);
  if (queue_.size() == 1)
    next_ = now + 1;
  else if (!pending_.empty())
    look_ahead(now);
}

/// The addresses of constant banks in memory are unknown. Bank 0, the launch's own constants, is shifted by two sets,
/// which agrees with the sets that it occupies on an H200 (const.chase.s256.2048).
std::size_t VariableConstantCache::set_of(std::uint64_t line) const {
  const bool launch = (line * config_.variable.line >> 32 & 0xffff) == 0;
  return (line + (launch ? 2 : 0)) % tags_.sets();
}

bool VariableConstantCache::look_up(std::uint64_t line, const LineUse& use) {
  const std::size_t slot = tags_.find(set_of(line), line);
  if (slot != TagArray::kNone) tags_.used(slot, use);
  return slot != TagArray::kNone;
}

void VariableConstantCache::fill(std::uint64_t line, const LineUse& use) {
  if (look_up(line, use)) return;
  tags_.fill(tags_.choose(set_of(line), line, use, [](std::size_t) { return true; }), line, use);
}

/// Serves instructions in order: an instruction with missing lines blocks those behind it.
void VariableConstantCache::cycle(Cycle now) {
  for (std::uint32_t tag = 0; port_.pop_reply(now, tag);) {
    const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.tag == tag; });
    if (found == pending_.end()) continue;
    fill(found->line, use(found->pc, now));
    if (overtakes()) {
      const std::uint64_t line = found->line;
      pending_.erase(found);
      line_came(line, now);
      continue;
    }
    Queued& head = queue_.front();
    head.count = static_cast<std::uint32_t>(
        std::remove(head.lines.begin(), head.lines.begin() + head.count, found->line) - head.lines.begin());
    pending_.erase(found);
    next_ = now;
  }
  if (overtakes() && next_ <= now) request_missing(now);
  while (!queue_.empty() && next_ <= now && serve(queue_.front(), now)) {
    queue_.pop();
    next_ = queue_.empty() ? kNever : std::max(now, queue_.front().accepted + 1);
  }
}

/// Requests a line unless it is in flight. False if the port accepts no request now.
bool VariableConstantCache::ask_for(std::uint64_t line, std::uint32_t pc, Cycle now) {
  if (std::any_of(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.line == line; })) return true;
  if (!port_.can_request(now)) return false;
  ++counters_.misses;
  pending_.push_back({line, ++tag_, pc});
  port_.request(line * config_.variable.line, tag_, now);
  return true;
}

/// While the first instruction waits for its lines, requests those of the next instructions. They are still served in
/// order.
void VariableConstantCache::look_ahead(Cycle now) {
  for (std::size_t i = 1; i < queue_.size() && i <= config_.ldc_ahead; ++i) {
    const Queued& op = queue_[i];
    for (std::uint32_t k = 0; k < op.count; ++k)
      if (!holds(op.lines[k]) && !ask_for(op.lines[k], op.pc, now)) return;
  }
}

bool VariableConstantCache::holds(std::uint64_t line) const {
  return tags_.find(set_of(line), line) != TagArray::kNone;
}

/// True if the instruction is done. Otherwise its missing lines have been requested, as far as the port accepts
/// requests.
bool VariableConstantCache::serve(Queued& op, Cycle now) {
  next_ = kNever;
  std::uint32_t missing = 0;
  for (std::uint32_t i = 0; i < op.count; ++i) {
    const std::uint64_t line = op.lines[i];
    if (look_up(line, use(op.pc, now))) {
      ++counters_.hits;
      continue;
    }
    op.lines[missing++] = line;
    if (!ask_for(line, op.pc, now)) next_ = now + 1;
  }
  op.count = missing;
  op.missed = op.missed || missing != 0;
  if (missing != 0) {
    look_ahead(now);
    return false;
  }
  finish(op, now);
  return true;
}

void VariableConstantCache::finish(const Queued& op, Cycle now) {
  // The lookup takes place one cycle after accept(); after a miss, the reply replaces it.
  const Cycle start = std::max(free_, op.missed ? now - 1 : op.accepted);
  // The port is busy for each word. Without a word, because the guard is false in all threads, the instruction only
  // takes its turn in the queue, one cycle, as loads without threads do
  // (validation/measured/h200/waiting.md#hand-over).
  const std::uint64_t words = op.passes;
  free_ = start + std::max(words * op.width * config_.ldc_interval, std::uint64_t{1});
  const std::uint64_t saved = before_accept_ + (op.uniform ? config_.ldc_uniform : 0);
  const Cycle done = start + (std::max(words, std::uint64_t{1}) - 1) * config_.ldc_pass + (config_.ldc_latency - saved);
  if (!op.uniform) events_.push(done, op.token, UnitEvent::Kind::sources_read);
  events_.push(done, op.token, UnitEvent::Kind::written_back);
  if (overtakes()) leaving_.push(leaving_.empty() ? done : std::max(done, leaving_[leaving_.size() - 1]));
}

void VariableConstantCache::look_up_all(Queued& op, Cycle now) {
  while (!leaving_.empty() && leaving_.front() <= now) leaving_.pop();
  std::uint32_t missing = 0;
  for (std::uint32_t i = 0; i < op.count; ++i) {
    if (look_up(op.lines[i], use(op.pc, now)))
      ++counters_.hits;
    else
      op.lines[missing++] = op.lines[i];
  }
  op.count = missing;
  if (missing == 0) return finish(op, now);
  op.missed = true;
  missing_.push_back(op);
  next_ = now + 1;
}

/// Serves the instructions that now have all their lines, the oldest first.
void VariableConstantCache::line_came(std::uint64_t line, Cycle now) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    Queued& op = missing_[i];
    const auto end = op.lines.begin() + op.count;
    op.count = static_cast<std::uint32_t>(std::remove(op.lines.begin(), end, line) - op.lines.begin());
    if (op.count == 0)
      finish(op, now);
    else if (kept++ != i)
      missing_[kept - 1] = op;
  }
  missing_.resize(kept);
  next_ = now;
}

/// Requests the lines of the oldest instructions, as many as may be in flight.
void VariableConstantCache::request_missing(Cycle now) {
  next_ = kNever;
  for (const Queued& op : missing_)
    for (std::uint32_t i = 0; i < op.count; ++i) {
      if (pending_.size() >= lines_) return;
      if (!ask_for(op.lines[i], op.pc, now)) next_ = now + 1;
    }
}

void VariableConstantCache::report(stats::CounterValues& values) const {
  values.sum(kConstantLoads.words, counters_.requests);
  values.sum(kConstantLoads.lines_missed, counters_.misses);
  values.sum(kConstantLoads.instructions, counters_.instructions);
}

}  // namespace sassim::arch
