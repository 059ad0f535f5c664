// SPDX-License-Identifier: Apache-2.0
// `memory.model: full`: crossbar, L2 TLB, L2 slices and DRAM channels.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "arch/common/sm_port.h"
#include "arch/memory/distance.h"
#include "arch/memory/load_merger.h"
#include "arch/memory/memory_system.h"
#include "arch/memory/partition.h"
#include "arch/memory/translator.h"

namespace sassim::arch {

class FullMemory final : public MemorySystem {
 public:
  explicit FullMemory(const config::GpuConfig& config);

  MemoryPort& port(SmId sm) override { return ports_.at(sm.value); }
  std::vector<Component*> components() override;
  Cycle lookahead() const override;
  void start_kernel(bool keep_caches) override;
  void fill_with_written() override {
    for (auto& partition : partitions_) partition->fill_with_written();
  }
  void written(std::uint64_t address, std::uint64_t bytes, bool from_host) override;
  void read_by_launch(std::uint64_t address, std::uint64_t bytes) override;
  bool idle() const override;
  void check_conservation() const override;
  void report(stats::MetricSet& metrics) const override;
  std::string waiting() const override;
  void exchange(Cycle now) override;
  void observe(AccessObserver* observer) override {
    for (auto& partition : partitions_) partition->observe(observer);
  }

 private:
  struct Span {
    std::uint64_t begin, end;
  };

  void displace_uploads(const Span& fresh, std::uint64_t room);
  void route(MemRequest request);
  void route(MemReply reply, Cycle now);
  std::uint32_t partition_of(std::uint32_t slice) const { return slice / shape_.slices; }
  bool upper_half(std::uint32_t slice) const { return slice >= map_.slices() / 2; }

  config::GpuConfig config_;
  PartitionShape shape_;
  SliceMap map_;
  Topology topology_;
  SliceDistance distance_;
  std::uint32_t first_hop_;  ///< SM cycles from an SM to where its GPC's loads are merged, or to the slices
  std::vector<SmPort> ports_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::vector<std::unique_ptr<LoadMerger>> mergers_;  ///< one for each GPC, or none
  Translator translator_;
  std::deque<Span> uploads_;  ///< what copies from the host have left in the L2, the first first
};

}  // namespace sassim::arch
