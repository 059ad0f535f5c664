// SPDX-License-Identifier: Apache-2.0
// The port through which constant loads (LDC) that miss their own cache request lines from the L1.5 constant cache,
// which is the L1 instruction cache of the SM.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/common/constant_miss_port.h"
#include "arch/sm/common/op.h"
#include "arch/sm/fetch/instruction_cache.h"
#include "sim/config/groups/constant_caches.h"

namespace sassim::arch {

class L15Port final : public ConstantMissPort {
 public:
  L15Port(const config::ConstantCaches& config, InstructionCache& l15)
      : l15_(l15),
        line_bytes_(config.variable.line),
        latency_(config.l15_latency > config.ldc_latency ? config.l15_latency - config.ldc_latency : 1) {}

  void start_kernel(std::uint64_t constant_address) { bases_.assign(1, constant_address); }
  /// The next launch that runs beside the others.
  void add_launch(std::uint64_t constant_address) { bases_.push_back(constant_address); }

  bool can_request(Cycle) const override { return true; }
  void request(std::uint64_t address, std::uint32_t tag, Cycle now) override {
    const std::uint64_t bank = address >> 32 & 0xffff, offset = address & 0xffffffff;
    l15_.request(bases_[address >> UnitOp::kLaunchShift] + (bank << 16) + offset, line_bytes_, latency_,
                 {0, InstructionCache::Client::Wants::load, tag}, now);
  }
  bool pop_reply(Cycle now, std::uint32_t& tag) override {
    if (head_ == replies_.size() || replies_[head_].time > now) return false;
    tag = replies_[head_].tag;
    if (++head_ == replies_.size()) {
      replies_.clear();
      head_ = 0;
    }
    return true;
  }
  /// The time of a line in flight need not be known: its arrival wakes the load/store unit.
  Cycle next_reply() const override { return head_ == replies_.size() ? kNever : replies_[head_].time; }

  void arrived(std::uint32_t tag, Cycle now) { replies_.push_back({now, tag}); }

  template <class Archive>
  void state(Archive& archive) {
    archive(replies_, head_);
  }

 private:
  struct Reply {
    Cycle time;
    std::uint32_t tag;
  };
  InstructionCache& l15_;
  std::uint32_t line_bytes_, latency_;
  std::vector<std::uint64_t> bases_ = {0};  ///< by launch
  std::vector<Reply> replies_;
  std::size_t head_ = 0;
};

}  // namespace sassim::arch
