// SPDX-License-Identifier: Apache-2.0
// The memory behind the SMs for `memory.model: full`: network, second-level TLB, L2 slices and DRAM channels.
#pragma once

#include <memory>
#include <vector>

#include "arch/common/indices.h"
#include "arch/common/state_parts.h"
#include "arch/memory/end_barriers.h"
#include "arch/memory/entry_slice.h"
#include "arch/memory/memory_system.h"
#include "arch/memory/partition.h"
#include "arch/memory/translator.h"
#include "arch/network/network.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class FullMemory final : public MemorySystem {
 public:
  explicit FullMemory(const config::GpuConfig& config);

  MemoryPort& port(SmId sm) override { return network_.port(sm); }
  std::vector<Component*> components() override;
  Cycle lookahead() const override;
  std::uint32_t outside_channels() const override;
  bool in_turn() const override { return outside_channels() == 0; }
  void answer_by(OutsideMemory& memory) override { outside_ = &memory; }
  void start_kernel(bool keep_caches) override;
  void renew_dram(Cycle at) override {
    for (auto& partition : partitions_) partition->renew_dram(at);
  }
  void fill_with_written() override {
    for (auto& partition : partitions_) partition->fill_with_written();
  }
  void fill_with_others(std::uint64_t written, bool full) override;
  void preload(const environment::CacheContents& contents) override;
  Reads read_by_launch(std::uint64_t address, std::uint64_t bytes) override;
  bool has_l2() const override { return true; }
  std::uint64_t held_bytes() const override;
  const std::vector<std::uint64_t>& translated() const override { return translator_.translated(); }
  bool idle() const override;
  void check_conservation() const override;
  void report(stats::CounterValues& values) const override;
  void describe_waits(WaitGraph& graph) const override;
  void exchange(Cycle now) override;
  std::size_t to_share() const override;
  void deliver(Share share, Cycle now) override;
  void settle(Share share, Cycle now) override;
  void shared() override;
  /// Accesses for outside that wait for the end of their DRAM cycle.
  Cycle next_event() const override { return outside_waits_ ? Cycle{} : kNever; }
  void observe(AccessObserver* observer) override {
    for (auto& partition : partitions_) partition->observe(observer);
  }
  void save(StateWriter& writer) const override;
  void load(StateReader& reader) override;
  template <class Archive>
  void state(Archive& archive) {
    archive(network_);
    state_of_fixed(archive, partitions_);
    archive(translator_, barriers_);
  }

 private:
  Endpoint entry(const MemRequest& request) const;
  SliceId home(const MemRequest& request) const;
  void ask_outside(Cycle now);
  Partition& partition_of(SliceId slice) { return *partitions_[slice.value / shape_.slices]; }

  config::GpuConfig config_;
  PartitionShape shape_;
  SliceMap map_;
  Network network_;
  EntrySlice entry_slice_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  EndBarriers barriers_;
  Translator translator_;
  OutsideMemory* outside_ = nullptr;     ///< who answers the DRAM channels; nullptr: they do it themselves
  std::vector<OutsideAccess> accesses_;  ///< for it
  bool outside_waits_ = false;
};

}  // namespace sassim::arch
