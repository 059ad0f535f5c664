// SPDX-License-Identifier: Apache-2.0
// An L1 of another kind, all of it in this file: direct-mapped, with a small victim cache behind it. A configuration
// names it, and nothing else knows it.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "arch/sm/units/l1/coalescer.h"
#include "arch/sm/units/l1/l1_counters.h"
#include "arch/sm/units/l1/miss_path.h"
#include "arch/sm/units/l1/pending_requests.h"
#include "arch/sm/units/l1/request_pieces.h"
#include "arch/sm/units/unit.h"
#include "sim/config/loader.h"
#include "sim/trace/open.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

using isa::OpClass;

constexpr std::uint64_t kSets = 64, kLine = 128, kNoLine = ~0ull;

/// Loads fetch whole lines. Stores and atomics go to the L2 and displace nothing.
template <std::size_t kVictims>
class DirectL1 final : public CacheUnit {
 public:
  explicit DirectL1(const UnitParts& parts)
      : config_(parts.config),
        port_(parts.port()),
        data_(parts.data),
        events_(parts.events),
        traffic_(parts.traffic),
        coalescer_(config_.l1, config_.shared),
        misses_(config_, port_, parts.sm),
        pending_(config_.l1.pending_requests, config_.l1.pending_merges),
        lines_(kSets, kNoLine) {}

  Cycle ready(const UnitOp&, Cycle now) const override { return queue_.size() < 8 ? now : kNever; }
  void accept(const UnitOp& op, Cycle now) override {
    const bool load = !op.decoded->writes_memory || op.decoded->op == OpClass::async_copy;
    const std::uint32_t bytes = op.decoded->access_bytes;
    queue_.push_back({.op = op, .flight = flights_.size()});
    coalescer_.coalesce(op, bytes, queue_.back().lines);
    flights_.push_back({.token = op.token, .op = op.decoded->op, .load = load});
    const std::uint32_t release = load ? 0 : store_release(config_.memory_io, bytes, op.uniform_address);
    events_.push(now + release, op.token, UnitEvent::Kind::sources_read);
    data_.count_cache(queue_.back().lines.data.passes);
    traffic_.count(op, queue_.back().lines.sector_count, queue_.back().lines.data);
    L1Counters::PerTraffic& counters = counters_[traffic_of(op.decoded->op)];
    ++counters.instructions;
    counters.requests += queue_.back().lines.count > 0 ? 1 : 0;
    next_ = std::min(next_, now + 1);
  }

  bool acts_later() const override { return true; }
  void cycle(Cycle now) override {
    for (; const MemReply* reply = port_.front(now); port_.pop()) take(*reply, now);
    if (misses_.next_event() <= now && misses_.cycle(now)) next_ = std::min(next_, now + 1);
    if (!queue_.empty() && next_ <= now) look_up(now);
  }
  Cycle next_event() const override { return std::min(queue_.empty() ? kNever : next_, misses_.next_event()); }
  bool idle() const override { return ended_ == flights_.size() && misses_.idle(); }
  bool queue_empty() const override { return queue_.empty(); }
  void start_kernel(const SmLaunch& launch) override {
    if (!launch.keep_caches) invalidate();
    counters_ = {};
    misses_.clear_counters();
  }
  void invalidate() override {
    std::fill(lines_.begin(), lines_.end(), kNoLine);
    victims_.clear();
    pending_.part();
  }
  void report(stats::CounterValues& values) const override {
    counters_.report(values, false);
    misses_.report(values);
  }

 private:
  struct Waiting {
    UnitOp op;
    std::size_t flight;
    std::uint32_t position = 0;
    LineAccesses lines{};
  };
  struct Flight {
    OpToken token;
    OpClass op;
    bool load;
    std::uint32_t waits = 1;
  };

  static L1Traffic traffic_of(OpClass op) {
    return op == OpClass::store       ? L1Traffic::global_store
           : op == OpClass::atomic    ? L1Traffic::global_atomic
           : op == OpClass::reduction ? L1Traffic::global_reduction
                                      : L1Traffic::global_load;
  }

  /// A line per cycle.
  void look_up(Cycle now) {
    Waiting& front = queue_.front();
    if (front.position < front.lines.count) {
      const LineAccess& line = front.lines.lines[front.position];
      if (!(flights_[front.flight].load ? load(front, line, now) : change(front, line, now))) {
        next_ = kNever;
        return;
      }
      counters_[traffic_of(front.op.decoded->op)].sectors += sector_count(line.sectors);
      ++front.position;
    }
    if (front.position == front.lines.count) {
      const Flight& flight = flights_[front.flight];
      const bool leaves = flight.op == OpClass::store || flight.op == OpClass::reduction;
      if (leaves) events_.push(now, flight.token, UnitEvent::Kind::departed);
      part_done(front.flight, now);
      queue_.pop_front();
    }
    next_ = queue_.empty() ? kNever : now + 1;
  }

  bool present(std::uint64_t line) {
    std::uint64_t& place = lines_[line / kLine % kSets];
    if (place == line) return true;
    const auto victim = std::find(victims_.begin(), victims_.end(), line);
    if (victim == victims_.end()) return false;
    std::swap(place, *victim);
    return true;
  }
  void fill(std::uint64_t line) {
    std::uint64_t& place = lines_[line / kLine % kSets];
    if (place != kNoLine && place != line) victims_.push_front(place);
    if (victims_.size() > kVictims) victims_.pop_back();
    place = line;
  }

  bool load(const Waiting& waiting, const LineAccess& line, Cycle now) {
    L1Counters::PerTraffic& counters = counters_[traffic_of(waiting.op.decoded->op)];
    if (present(line.address)) {
      counters.hits += sector_count(line.sectors);
      return true;
    }
    std::uint32_t entry = pending_.find(line.address);
    if (entry != PendingRequests::kNone) {
      if (!pending_.can_merge(entry)) return false;
      counters.pending_hits += sector_count(line.sectors);
    } else {
      if (pending_.full() || !misses_.has_room()) return false;
      entry = pending_.allocate(line.address, true, true, waiting.op.pc);
      pending_.request(entry, 0xf);
      send({.address = line.address, .tag = entry, .sectors = 0xf, .pc = waiting.op.pc}, now);
      counters.misses += sector_count(0xf);  // what the GPU compares with the sectors that L1s requested
    }
    pending_.wait(entry, static_cast<std::uint32_t>(waiting.flight), 0xf);
    ++flights_[waiting.flight].waits;
    return true;
  }

  bool change(const Waiting& waiting, const LineAccess& line, Cycle now) {
    if (!misses_.has_room()) return false;
    Flight& flight = flights_[waiting.flight];
    MemRequest request{.address = line.address, .tag = static_cast<std::uint32_t>(waiting.flight)};
    request.kind = flight.op == OpClass::store    ? RequestKind::store
                   : flight.op == OpClass::atomic ? RequestKind::atomic
                                                  : RequestKind::reduction;
    request.sectors = line.sectors;
    request.partial = line.partial;
    request.atomic.operations = line.operations;
    request.atomic.serial = line.serial;
    request.data_bytes = static_cast<std::uint16_t>(sector_count(line.sectors) * kSectorBytes);
    const ByteMask& bytes = waiting.lines.bytes[waiting.position];
    if (request.kind == RequestKind::store && line.partial != 0) request.bytes = {bytes[0], bytes[1]};
    std::erase(victims_, line.address);
    if (std::uint64_t& place = lines_[line.address / kLine % kSets]; place == line.address) place = kNoLine;
    send(request, now);
    ++flight.waits;
    counters_[traffic_of(flight.op)].misses += sector_count(line.sectors);
    return true;
  }

  void send(const MemRequest& request, Cycle now) { misses_.add(request, now); }

  void take(const MemReply& reply, Cycle now) {
    next_ = std::min(next_, now);
    if (reply.kind == RequestKind::translation) return misses_.translated(reply.address, now);
    counters_.fills += brings_data(reply) ? sector_count(reply.sectors) : 0;
    if (reply.kind != RequestKind::load) return part_done(reply.tag, now);
    if (pending_[reply.tag].fills) fill(reply.address);
    pending_.arrive(reply.tag, reply.sectors, [&](std::uint32_t flight) { part_done(flight, now); });
  }
  static bool brings_data(const MemReply& reply) {
    return reply.kind == RequestKind::load || reply.kind == RequestKind::atomic;
  }

  void part_done(std::size_t number, Cycle now) {
    Flight& flight = flights_[number];
    if (--flight.waits != 0) return;
    const bool leaves = flight.op == OpClass::store || flight.op == OpClass::reduction;
    const Cycle data = flight.load ? data_.reserve(now, 1) : now;
    events_.push(data + (leaves ? 0 : config_.l1.fill_latency), flight.token,
                 leaves ? UnitEvent::Kind::acknowledged : UnitEvent::Kind::written_back);
    ++ended_;
  }

  const config::Sm& config_;
  MemoryPort& port_;
  DataStage& data_;
  EventQueue& events_;
  TrafficCounter& traffic_;
  Coalescer coalescer_;
  MissPath misses_;
  PendingRequests pending_;
  std::vector<std::uint64_t> lines_;   ///< by set: the address of its line
  std::deque<std::uint64_t> victims_;  ///< lines that were displaced last
  std::deque<Waiting> queue_;
  std::vector<Flight> flights_;  ///< of all instructions
  std::size_t ended_ = 0;
  Cycle next_ = kNever;
  L1Counters counters_;
};

const UnitTraits kOfAnL1{
    .executes = {OpClass::load, OpClass::store, OpClass::atomic, OpClass::reduction, OpClass::async_copy}};
const RegisteredUnit<DirectL1<0>> direct_registered("direct_l1", kOfAnL1);
const RegisteredUnit<DirectL1<4>> victim_registered("victim_l1", kOfAnL1);

/// A V100 with another L1.
config::GpuConfig v100_with(const std::string& l1) {
  std::string text = "base: v100\nsm:\n  pipes:\n    ops:\n";
  for (const char* op : {"load", "store", "atomic", "reduction", "async_copy"})
    text += "      " + std::string(op) + ": {pipe: " + l1 + "}\n";
  config::LoadedConfig loaded = config::read_config_text(text, "own.yaml");
  config::require_valid(loaded);
  return loaded.config;
}

/// Sectors of loads that hit when a warp reads two lines of one set in turn, 50 times each.
std::uint64_t hits(const std::string& l1) {
  SassKernel kernel(
      "loop:\nB0-----:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB------:R-:W-:-:S05 @P0 BRA loop ;\nB0-----:R-:W-:-:S05 EXIT "
      ";\n",
      70);
  kernel.loop("loop", 100).addresses([](std::uint32_t, std::uint32_t, std::uint64_t execution, int lane) {
    return 0x1000'0000 + execution % 2 * kSets * kLine + static_cast<std::uint64_t>(lane) * 4;
  });
  Gpu gpu(v100_with(l1));
  return static_cast<std::uint64_t>(
      gpu.run(*kernel.source()).metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"]);
}

TEST(OwnL1, TheVictimCacheHoldsWhatADirectMappedL1Loses) {
  EXPECT_EQ(hits("direct_l1"), 0u);
  EXPECT_EQ(hits("victim_l1"), 98u * 4);
}

// The GPU checks after each kernel that no request was lost.
TEST(OwnL1, RunsTheBundledTraces) {
  Gpu gpu(v100_with("victim_l1"));
  for (const char* name : {"vector_add", "sgemm_tiled", "transpose_shared", "histogram_global"}) {
    const auto kernels = trace::open(std::string(SASSIM_BINARY_DIR "/traces/sm_70/") + name + ".sast");
    for (const auto& kernel : kernels) {
      const stats::MetricSet metrics = gpu.run(*kernel).metrics;
      EXPECT_GT(metrics["gpc__cycles_elapsed.max"], 0) << name;
      EXPECT_GT(metrics["l1tex__t_sectors.sum"], 0) << name;
    }
  }
}

std::string refusal(const std::string& unit) {
  try {
    Gpu gpu(v100_with(unit));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OwnL1, AnUnknownUnitIsRefusedWithTheKnownOnesAndTheNearest) {
  const std::string text = refusal("victim_l2");
  for (const char* part : {"sm.pipes.ops.load.pipe", "'victim_l2'", "did you mean 'victim_l1'", "direct_l1 or l1 or "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  EXPECT_NE(refusal("shared").find("'shared' is no unit that executes this op class"), std::string::npos);
}

TEST(OwnL1, ANameCanBeRegisteredOnce) { EXPECT_THROW(RegisteredUnit<DirectL1<1>>("l1", kOfAnL1), std::logic_error); }

}  // namespace
}  // namespace sassim::arch::test
