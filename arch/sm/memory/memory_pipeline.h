// SPDX-License-Identifier: Apache-2.0
// The memory stage that the SM shares: accepts one instruction at a time from the processing blocks and passes it to
// shared memory, the L1 or the constant cache of LDC.
#pragma once

#include <deque>

#include "arch/sm/memory/constant_miss_port.h"
#include "arch/sm/memory/data_stage.h"
#include "arch/sm/memory/event_queue.h"
#include "arch/sm/memory/l1_cache.h"
#include "arch/sm/memory/load_store_unit.h"
#include "arch/sm/memory/shared_memory.h"
#include "arch/sm/memory/variable_constant_cache.h"

namespace sassim::arch {

class MemoryPipeline final : public LoadStoreUnit {
 public:
  /// Throws InputError for a configuration that cannot work. The ports must outlive this object.
  MemoryPipeline(const config::Sm& sm, MemoryPort& port, ConstantMissPort& constants, SmId id = SmId{});

  bool can_accept(Cycle now) const override { return accept_ready(now) <= now; }
  Cycle accept_ready(Cycle now) const override;
  void accept(const LsuOp& op, Cycle now) override;
  Cycle adu_ready(const LsuOp& op, Cycle now) const override {
    const bool special = op.decoded->op == isa::OpClass::s2r || op.decoded->op == isa::OpClass::s2ur;
    return special ? now : constants_.accept_ready(now);
  }
  void accept_adu(const LsuOp& op, Cycle now) override;
  Cycle texture_ready(Cycle now) const override;
  void accept_texture(const LsuOp& op, Cycle now) override;
  void cycle(Cycle now) override;
  bool pop_event(Cycle now, LsuEvent& event) override { return events_.pop(now, event); }
  Cycle next_event() const override;
  bool idle() const override { return l1_.idle() && constants_.idle() && textures_.empty() && events_.empty(); }
  void start_kernel(std::uint64_t carveout_bytes, bool keep_caches) override;
  void know(const std::vector<std::uint64_t>* pages) override { l1_.know(pages); }
  void carve(std::uint64_t carveout_bytes) override;
  void forget_lines() override { l1_.forget(); }
  void start_live(const trace::LiveMemory* memory) override { l1_.start_live(memory); }
  void begin(trace::LiveAccess& access, bool past_l1) override { l1_.begin(access, past_l1); }
  void serve(const MemRequest& request) override { l1_.serve(request); }
  void report(stats::MetricSet& metrics) const override;
  void add_activity(Activity& sum) const override { l1_.counters().add_activity(sum); }
  void describe_waits(WaitGraph& graph, SmId sm) const override;
  void observe(AccessObserver* observer) override { l1_.observe(observer); }
  void account(StallTable* lines) override { lines_ = lines; }
  void save(StateWriter& to) const override;
  void load(StateReader& from, const StaticCode& code) override;

 private:
  template <class Archive>
  void state(Archive& archive) {
    archive(data_, events_, shared_, l1_, constants_, textures_, next_texture_, next_accept_, shuffles_);
  }
  void accept_shared(const LsuOp& op, Cycle now);
  void accept_shuffle(const LsuOp& op, Cycle now);
  void accept_special_register(const LsuOp& op, Cycle now, std::uint32_t latency);
  void accept_l1(const LsuOp& op, Cycle now);
  void count(const LsuOp& op, std::uint64_t sectors, const BankPasses& passes);
  std::uint32_t texture_cycles(const LsuOp& op) const;
  void leave_textures(Cycle now);
  Cycle store_release(const LsuOp& op, Cycle now) const;

  config::MemoryIo config_;
  std::uint32_t line_;
  bool coalesced_;
  MemoryPort& port_;
  DataStage data_;
  EventQueue events_;
  SharedMemory shared_;
  L1Cache l1_;
  VariableConstantCache constants_;
  /// An access in the texture unit, which computes the addresses of texels before the L1 lookup.
  struct InTexture {
    LsuOp op;
    Cycle ready;
  };
  std::deque<InTexture> textures_;
  Cycle next_texture_;
  Cycle next_accept_;
  // From accept() on:
  std::uint32_t shuffle_latency_ = 1, special_latency_ = 1, uniform_special_latency_ = 1, thread_index_latency_ = 1;
  std::uint64_t shuffles_ = 0;
  StallTable* lines_ = nullptr;
  LsuOp packed_;  ///< the packed copy of an access if `coalesced_`
};

}  // namespace sassim::arch
