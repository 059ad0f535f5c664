// SPDX-License-Identifier: Apache-2.0
// The unit `l1` of the SM, which executes loads, stores and atomics: the interface of a unit around the L1 data cache
// (l1_cache.h).
#include <bit>

#include "arch/sm/units/l1/l1_cache.h"
#include "arch/sm/units/unit.h"
#include "sim/base/state_archive.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {
namespace {

using isa::OpClass;

L1Mode mode_of(const isa::Decoded& decoded) {
  switch (decoded.op) {
    case OpClass::store:
      return L1Mode::store;
    case OpClass::atomic:
      return L1Mode::atomic;
    case OpClass::reduction:
      return L1Mode::reduction;
    case OpClass::async_copy:
      return L1Mode::async;
    default:
      return L1Mode::load;
  }
}

/// The same access with its different addresses side by side, from that of the first lane on. Lanes that share an
/// address still do, so that broadcasts stay broadcasts, and atomics on one word stay on one word.
UnitOp side_by_side(const UnitOp& op) {
  UnitOp packed = op;
  const auto lane_of = [](std::uint32_t lanes) { return static_cast<std::size_t>(std::countr_zero(lanes)); };
  std::uint64_t next = op.addresses[lane_of(op.lanes.bits)];
  next -= next % (std::uint64_t{kWarpSize} * op.decoded->access_bytes);
  for (std::uint32_t left = op.lanes.bits; left != 0; left &= left - 1) {
    const std::size_t lane = lane_of(left);
    std::uint32_t before = op.lanes.bits & ((1u << lane) - 1);
    while (before != 0 && op.addresses[lane_of(before)] != op.addresses[lane]) before &= before - 1;
    packed.addresses[lane] = before != 0 ? packed.addresses[lane_of(before)] : next;
    if (before == 0) next += op.decoded->access_bytes;
  }
  return packed;
}

class L1Unit final : public CacheUnit {
 public:
  explicit L1Unit(const UnitParts& parts)
      : config_(parts.config),
        port_(parts.port()),
        data_(parts.data),
        events_(parts.events),
        traffic_(parts.traffic),
        cache_(parts, port_) {}

  Cycle ready(const UnitOp&, Cycle now) const override { return cache_.can_accept() ? now : kNever; }
  void accept(const UnitOp& op, Cycle now) override;
  bool acts_later() const override { return true; }
  void cycle(Cycle now) override {
    for (; const MemReply* reply = port_.front(now); port_.pop()) cache_.reply(*reply, now);
    cache_.cycle(now);
  }
  Cycle next_event() const override { return cache_.next_event(); }
  bool idle() const override { return cache_.idle(); }
  bool queue_empty() const override { return cache_.queue_empty(); }

  void start_kernel(const SmLaunch& launch) override {
    cache_.configure(launch.carveout, launch.keep_caches);
    if (!launch.keep_code) cache_.count_time_from(launch.begin);  // no cache of the GPU keeps anything
    cache_.clear_counters();
    cache_.preload(launch.translated);
    cache_.observe(launch.accesses);
    cache_.start_live(launch.live);
  }
  void resize(std::uint64_t carveout) override { cache_.configure(carveout, false); }
  void invalidate() override { cache_.invalidate(); }
  void begin(LiveId access, bool past) override { cache_.begin(access, past); }
  void serve(const MemRequest& request) override { cache_.serve(request); }

  void report(stats::CounterValues& values) const override { cache_.report(values); }
  void describe_waits(WaitGraph& graph, WaitGraph::Node stage) const override { cache_.describe_waits(graph, stage); }
  void save(StateWriter& to) const override { to(cache_); }
  void load(StateReader& from, const StaticCode&) override { from(cache_); }

 private:
  const config::Sm& config_;
  MemoryPort& port_;
  DataStage& data_;
  EventQueue& events_;
  TrafficCounter& traffic_;
  L1Cache cache_;
  UnitOp packed_;  ///< with l1.coalesced: the packed copy of an access
};

void L1Unit::accept(const UnitOp& given, Cycle now) {
  const L1Mode mode = mode_of(*given.decoded);
  const bool atomic = mode == L1Mode::atomic || mode == L1Mode::reduction, async = mode == L1Mode::async;
  const bool packs = config_.l1.coalesced && given.space == isa::Space::global && !given.lanes.none();
  const UnitOp& op = packs ? packed_ = side_by_side(given) : given;
  const std::uint32_t bytes = op.decoded->access_bytes;
  Cycle read = now;
  if (async) read = now + config_.memory_io.async_release;
  if (atomic || mode == L1Mode::store) read = now + store_release(config_.memory_io, bytes, op.uniform_address);
  events_.push(read, op.token, UnitEvent::Kind::sources_read);
  const LineAccesses& lines = cache_.accept(op, mode, now, async ? cycles_without_conflicts(config_.shared, bytes) : 0);
  if (!atomic) data_.count_cache(lines.data.passes);  // the L2 executes atomics
  traffic_.count(op, lines.sector_count, lines.data);
}

const RegisteredUnit<L1Unit> l1_registered("l1", {{OpClass::load, OpClass::store, OpClass::atomic, OpClass::reduction,
                                                   OpClass::async_copy}});

}  // namespace
}  // namespace sassim::arch
