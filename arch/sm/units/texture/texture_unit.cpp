// SPDX-License-Identifier: Apache-2.0
// The unit `texture` of the SM: converts coordinates to addresses of texels, which the L1 then looks up.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "arch/common/wait_names.h"
#include "arch/sm/units/unit.h"
#include "sim/base/state_archive.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {
namespace {

class TextureUnit final : public SmUnit {
 public:
  explicit TextureUnit(const UnitParts& parts)
      : sm_(parts.sm),
        config_(parts.config.memory_io),
        line_(parts.config.l1.line),
        l1_(parts.unit(isa::OpClass::load)) {}

  Cycle ready(const UnitOp& op, Cycle now) const override;
  void accept(const UnitOp& op, Cycle now) override;
  bool acts_later() const override { return true; }
  void cycle(Cycle now) override;
  Cycle next_event() const override { return waiting_.empty() || !l1_.queue_empty() ? kNever : waiting_.front().ready; }
  bool idle() const override { return waiting_.empty(); }
  void describe_waits(WaitGraph& graph, WaitGraph::Node stage) const override;
  void save(StateWriter& to) const override { const_cast<TextureUnit*>(this)->state(to); }
  void load(StateReader& from, const StaticCode& code) override {
    state(from);
    for (Waiting& one : waiting_) one.op.decoded = &code.decoded(code.line_at(one.op.pc));
  }

 private:
  /// An access whose addresses are known at `ready`.
  struct Waiting {
    UnitOp op;
    Cycle ready;
  };

  template <class Archive>
  void state(Archive& archive) {
    archive(waiting_, next_);
  }
  std::uint32_t cycles(const UnitOp& op) const;

  SmId sm_;
  const config::MemoryIo& config_;
  std::uint32_t line_;
  SmUnit& l1_;
  std::deque<Waiting> waiting_;
  Cycle next_;  ///< when the conversion is free
};

/// Cycles for which the unit converts the coordinates of an access: it handles some lanes at a time, with one cycle for
/// each of their lines.
std::uint32_t TextureUnit::cycles(const UnitOp& op) const {
  const std::uint32_t group = op.decoded->narrow_texels ? config_.texture_narrow_lanes : config_.texture_lanes;
  std::uint32_t cycles = 0;
  for (std::uint32_t first = 0; first < kWarpSize; first += group) {
    std::array<std::uint64_t, kWarpSize> lines;
    auto end = lines.begin();
    for (std::uint32_t lane = first; lane < std::min<std::uint32_t>(first + group, kWarpSize); ++lane) {
      if (!op.lanes.test(static_cast<int>(lane))) continue;
      const std::uint64_t line = op.addresses[lane] / line_;
      if (std::find(lines.begin(), end, line) == end) *end++ = line;
    }
    const auto count = static_cast<std::uint32_t>(end - lines.begin());
    cycles += op.decoded->by_lines ? count : std::min(count, 1u);
  }
  return std::max(cycles, 1u);
}

/// The unit accepts an instruction when it has found the addresses of the one before, and has a place for it until the
/// L1 accepts it.
Cycle TextureUnit::ready(const UnitOp&, Cycle now) const {
  const Cycle place = waiting_.size() < config_.texture_places ? now : std::max(now + 1, waiting_.front().ready);
  return std::max({now, next_, place});
}

void TextureUnit::accept(const UnitOp& op, Cycle now) {
  const bool filters = !op.decoded->narrow_texels;
  next_ = std::max(now, next_) + cycles(op);
  const std::uint32_t latency = config_.texture_latency + (filters ? config_.filter_latency : 0);
  const std::uint32_t pipeline = std::max(config_.pipeline, 1u) - 1;  // a cycle has passed since its issue
  waiting_.push_back({op, next_ + pipeline + latency});
}

/// Loads and stores go first: they need not wait behind many accesses of textures in the queue of the L1.
void TextureUnit::cycle(Cycle now) {
  if (waiting_.empty() || waiting_.front().ready > now || !l1_.queue_empty()) return;
  l1_.accept(waiting_.front().op, now);
  waiting_.pop_front();
}

void TextureUnit::describe_waits(WaitGraph& graph, WaitGraph::Node stage) const {
  const WaitGraph::Node l1 = graph.node(l1_name(sm_));
  if (!waiting_.empty()) graph.describe(l1, fmt::format("{} texture instructions in flight to it", waiting_.size()));
  if (waiting_.size() >= config_.texture_places) graph.waits(stage, l1, "texture instructions wait for it");
}

const RegisteredUnit<TextureUnit> texture_registered("texture", {.executes = {isa::OpClass::texture},
                                                                 .resource = Resource::texture});

}  // namespace
}  // namespace sassim::arch
