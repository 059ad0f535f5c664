// SPDX-License-Identifier: Apache-2.0
// The DRAM channel of `memory.dram.model: fixed`: one latency, and no limit to the bandwidth.
#include "arch/common/fifo.h"
#include "arch/memory/dram/dram.h"
#include "sim/base/state_archive.h"
#include "sim/config/groups/dram.h"

namespace sassim::arch {

namespace {

class FixedDram final : public Dram {
 public:
  FixedDram(const config::DramConfig& config, const DramStart&) : latency_(config.fixed_latency) {}

  std::uint64_t idle_read(std::uint32_t) const override { return latency_; }
  void accept(const DramAccess& access, DramCycle now) override {
    if (access.write) {
      ++counters_.writes;
      counters_.write_bursts += access.bursts;
      return;
    }
    ++counters_.reads;
    counters_.read_bursts += access.bursts;
    counters_.queue_wait += latency_;
    reads_.push({access.tag, now});
    next_ = reads_.front().arrival;
  }
  void work(DramCycle, Reader& reader) override {
    reader.read_done(reads_.front().tag, reads_.front().arrival + latency_);
    reads_.pop();
    next_ = reads_.empty() ? kNeverDram : reads_.front().arrival;
  }
  std::uint64_t writes_waiting() const override { return 0; }
  std::uint64_t accesses_waiting() const override { return reads_.size(); }
  void save(StateWriter& writer) const override { writer(*this); }
  void load(StateReader& reader) override { reader(*this); }
  template <class Archive>
  void state(Archive& archive) {
    state_of_all(archive);
    archive(reads_);
  }

 private:
  struct Read {
    std::uint32_t tag;
    DramCycle arrival;
  };
  std::uint32_t latency_;
  Fifo<Read> reads_;
};

const Registered<Dram, FixedDram, const config::DramConfig&, const DramStart&> fixed_dram_registered("fixed");

}  // namespace

}  // namespace sassim::arch
