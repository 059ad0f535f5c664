// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/dram.h"

#include "arch/memory/dram_channel.h"
#include "sim/base/error.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {

namespace {

/// `memory.dram.model: fixed`: one latency, and no limit to the bandwidth.
class FixedDram final : public Dram {
 public:
  explicit FixedDram(const config::DramConfig& config) : latency_(config.fixed_latency) {}

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

}  // namespace

std::unique_ptr<Dram> Dram::make(const config::DramConfig& config, std::uint32_t index) {
  if (config.model == "fixed") return std::make_unique<FixedDram>(config);
  if (config.model == "ddr") return std::make_unique<DramChannel>(config, index);
  throw InputError("memory.dram.model is '{}'; known: ddr, fixed", config.model);
}

}  // namespace sassim::arch
