// SPDX-License-Identifier: Apache-2.0
// Moves what an access to the L1 found through the data stage to the registers, and tells the warp when it is done.
#include "arch/sm/units/l1/data_return.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/config/groups/l1.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

DataReturn::DataReturn(const config::Sm& sm, L1Core& core, DataStage& data, EventQueue& events)
    : core_(core),
      data_(data),
      events_(events),
      vector_result_(sm.memory_io.vector_result),
      async_latency_(sm.memory_io.async_latency),
      pass_latency_(sm.shared.pass_latency),
      return_cycles_(return_cycles(sm.memory_io)),
      pass_cycles_(pass_cycles(sm.shared, sm.l1.bytes_per_cycle)) {
  if (sm.l1.bytes_per_cycle == 0) throw InputError("sm.l1.bytes_per_cycle is 0: expected at least 1 byte");
  const std::uint32_t before = sm.memory_io.pipeline + sm.memory_io.vector_address + vector_result_ + 1;
  if (sm.l1.hit_latency <= before)
    throw InputError(
        "sm.l1.hit_latency is {}: expected more than sm.memory_io.pipeline + vector_address + vector_result, "
        "{} cycles",
        sm.l1.hit_latency, before);
  hit_latency_ = sm.l1.hit_latency - sm.memory_io.pipeline - sm.memory_io.vector_address;
}

std::uint32_t DataReturn::add(const UnitOp& op, L1Mode mode, std::uint32_t extra_data, const LineAccesses& accesses) {
  const BankPasses& data = accesses.data;
  std::uint32_t index = free_;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(flights_.size());
    flights_.emplace_back();
  } else {
    free_ = flights_[index].next;
  }
  ++in_flight_;
  Flight& flight = flights_[index];
  flight = Flight{};
  flight.token = op.token;
  flight.warp = op.warp;
  flight.live = op.live;
  flight.mode = mode;
  flight.waits = 1;
  flight.lines = std::max<std::uint32_t>(accesses.count, 1);
  const std::uint32_t width = core_.config.bytes_per_cycle;
  const std::uint32_t by_bytes = (data.words * 4 + width - 1) / width;
  // A pass has the width of all banks, whichever lines they belong to. A narrower data stage needs several cycles for
  // each pass, even if the lanes use only a part of the data.
  flight.data_cycles = std::max(data.passes * pass_cycles_, by_bytes);
  flight.extra_data = extra_data;
  const std::uint32_t registers = (op.decoded->access_bytes + 3u) / 4u;
  flight.conflicts = std::max(data.passes, 1u) - 1;
  flight.ideal = std::max(data.ideal, 1u);
  // Copies to shared memory return nothing to registers.
  flight.returns = mode == L1Mode::async ? 0 : (std::max({registers, data.ideal, 1u}) - 1) * return_cycles_;
  const std::uint32_t saved = op.uniform_address ? vector_result_ : 0;
  const std::uint32_t further = mode == L1Mode::async ? async_latency_ : 0;
  flight.hit_tail = hit_latency_ - saved - 1 + further;
  return index;
}

void DataReturn::tags_done(std::uint32_t op, Cycle now) {
  Flight& flight = flights_[op];
  if (flight.mode == L1Mode::store)
    hits_until_ = data_.reserve(flight.first_pass, flight.data_cycles) + flight.data_cycles;
  if (flight.mode == L1Mode::store || flight.mode == L1Mode::reduction)
    events_.push(now, flight.token, UnitEvent::Kind::departed);
  release(op, now);
}

void DataReturn::part_done(std::uint32_t index, Cycle now) {
  if (flights_[index].waits > 1) pass_line(flights_[index], now);
  release(index, now);
}

void DataReturn::release(std::uint32_t index, Cycle now) {
  Flight& flight = flights_[index];
  if (--flight.waits != 0) return;
  if (flight.live) core_.live.end(flight.live, *core_.tags);
  push_result(flight, now);
  if (flight.asked) --asked_;
  flight.next = free_;
  free_ = index;
  --in_flight_;
}

/// The words of a line that has arrived pass the data stage while the load waits for others.
void DataReturn::pass_line(Flight& flight, Cycle now) {
  if (flight.lines < 2 || (flight.mode != L1Mode::load && flight.mode != L1Mode::async)) return;
  const std::uint32_t passes = flight.data_cycles / flight.lines--;
  data_.arrive(now, passes);
  flight.data_cycles -= passes;
}

void DataReturn::push_result(Flight& op, Cycle now) {
  const std::uint32_t fill_latency = core_.config.fill_latency;
  switch (op.mode) {
    case L1Mode::load:
    case L1Mode::async: {
      // The array serves an access while later tag passes run, but its data leave when all lines have been found.
      const std::uint32_t passes = op.data_cycles + op.extra_data;
      const std::uint64_t held =
          passes + std::uint64_t{op.conflicts + 1 - op.ideal} * (std::max(pass_latency_, pass_cycles_) - pass_cycles_);
      const Cycle start =
          op.missed ? data_.arrive(now, passes) : data_.reserve_in_order(op.warp, op.first_pass, passes, held);
      if (!op.missed) hits_until_ = data_.free();
      const bool copies = op.mode == L1Mode::async;
      const Cycle read = std::max(start, now) + op.conflicts * (op.missed || copies ? 1 : pass_latency_);
      const std::uint32_t tail = !op.missed ? op.hit_tail : copies ? 1 : fill_latency;
      events_.push(read + op.returns + tail, op.token, UnitEvent::Kind::written_back);
      break;
    }
    case L1Mode::atomic:
      events_.push(now + fill_latency, op.token, UnitEvent::Kind::written_back);
      break;
    case L1Mode::store:
    case L1Mode::reduction:
      events_.push(now, op.token, UnitEvent::Kind::acknowledged);
      break;
  }
}

}  // namespace sassim::arch
