// SPDX-License-Identifier: Apache-2.0
// The DRAM channel of `memory.dram.model: tlm`: a memory outside the GPU answers, a module of the user's SystemC
// platform. An access takes `fixed_latency` to get there, which is the lookahead: an answer never belongs to the epoch
// in which the access was sent.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "arch/memory/dram/dram.h"
#include "sim/base/error.h"
#include "sim/config/checker.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

class TlmDram final : public Dram {
 public:
  TlmDram(const config::DramConfig& config, const DramStart& start) : config_(config), channel_(start.channel) {}

  std::uint64_t idle_read(std::uint32_t) const override { return config_.fixed_latency; }
  bool outside() const override { return true; }
  void check(config::Checker& c, const config::GpuConfig&) const override {
    if (config_.fixed_latency < kLeastLatency)
      c.refuse("memory.dram.fixed_latency",
               fmt::format("{} is too short for memory.dram.model tlm: an access takes it to the socket; expected at "
                           "least {}",
                           config_.fixed_latency, kLeastLatency));
  }

  void accept(const DramAccess& access, DramCycle now) override {
    ++(access.write ? counters_.writes : counters_.reads);
    (access.write ? counters_.write_bursts : counters_.read_bursts) += access.bursts;
    writes_ += access.write ? 1 : 0;
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(sent_.size()));
      sent_.emplace_back();
    }
    const std::uint32_t tag = free_.back();
    free_.pop_back();
    sent_[tag] = {access.tag, access.write, now};
    unsent_.push_back(access_of(access, tag, now + config_.fixed_latency));
  }

  void send(DramCycle before, std::vector<OutsideAccess>& to) override {
    const auto end = std::find_if(unsent_.begin(), unsent_.end(), [&](const OutsideAccess& access) {
      return access.at >= before + config_.fixed_latency;
    });
    to.insert(to.end(), unsent_.begin(), end);
    unsent_.erase(unsent_.begin(), end);
  }

  bool unsent() const override { return !unsent_.empty(); }

  void answer(std::uint32_t tag, DramCycle end) override {
    answers_.push_back({end, order_++, tag});
    std::push_heap(answers_.begin(), answers_.end(), std::greater<>{});
    next_ = answers_.front().end;
  }

  void work(DramCycle now, Reader& reader) override {
    while (!answers_.empty() && answers_.front().end <= now) {
      std::pop_heap(answers_.begin(), answers_.end(), std::greater<>{});
      const Answer answer = answers_.back();
      answers_.pop_back();
      const Sent& sent = sent_[answer.tag];
      free_.push_back(answer.tag);
      if (sent.write) {
        --writes_;
        continue;
      }
      counters_.queue_wait += answer.end.value - sent.arrival.value;
      reader.read_done(sent.tag, answer.end);
    }
    next_ = answers_.empty() ? kNeverDram : answers_.front().end;
  }

  std::uint64_t writes_waiting() const override { return writes_; }
  std::uint64_t accesses_waiting() const override { return sent_.size() - free_.size(); }
  void save(StateWriter&) const override { refuse(); }
  void load(StateReader&) override { refuse(); }

 private:
  /// Room for the rounding between three clocks.
  static constexpr std::uint32_t kLeastLatency = 8;

  struct Sent {
    std::uint32_t tag;
    bool write;
    DramCycle arrival;
  };
  struct Answer {
    DramCycle end;
    std::uint64_t order;
    std::uint32_t tag;
    bool operator>(const Answer& o) const { return std::tie(end, order) > std::tie(o.end, o.order); }
  };

  OutsideAccess access_of(const DramAccess& access, std::uint32_t tag, DramCycle at) const {
    const std::uint64_t banks = std::uint64_t{config_.bank_groups} * config_.banks_per_group;
    return {channel_,
            tag,
            (access.row * banks + access.bank) * config_.row_bytes + access.column,
            access.bursts * (config_.bus_bits / 8 * config_.burst),
            access.write,
            at};
  }
  [[noreturn]] static void refuse() {
    throw NotSupported(
        "checkpoints are not possible with memory.dram.model tlm: the state of the memory behind the sockets is "
        "unknown");
  }

  config::DramConfig config_;
  std::uint32_t channel_;
  std::vector<OutsideAccess> unsent_;
  std::vector<Sent> sent_;  ///< by tag
  std::vector<std::uint32_t> free_;
  std::vector<Answer> answers_;  ///< a heap, the earliest first
  std::uint64_t order_ = 0, writes_ = 0;
};

const Registered<Dram, TlmDram, const config::DramConfig&, const DramStart&> tlm_dram_registered("tlm");

}  // namespace

}  // namespace sassim::arch
