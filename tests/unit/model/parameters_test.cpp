// SPDX-License-Identifier: Apache-2.0
// Hardware parameters against the tables of Volkov's dissertation (2016).
#include <gtest/gtest.h>

#include "arch/memory/dram/dram.h"
#include "sim/base/error.h"
#include "sim/base/registry.h"
#include "sim/config/gpu_config.h"
#include "sim/config/loader.h"
#include "sim/model/hardware.h"

namespace sassim::model {
namespace {

struct Table41 {
  const char* gpu;
  double mem_lat, mem_thru, alu_lat, alu_thru, issue_thru;
};

class Published : public ::testing::TestWithParam<Table41> {};

// Table 4.1. Its memory throughputs are those of Table 6.4 in other units, rounded to four places; so they are here.
TEST_P(Published, IsTable41) {
  const Table41& row = GetParam();
  const HardwareParameters& gpu = published_gpu(row.gpu);
  EXPECT_EQ(gpu.mem.latency, row.mem_lat);
  EXPECT_NEAR(gpu.mem.throughput, row.mem_thru, 0.00005);
  EXPECT_EQ(gpu.alu.latency, row.alu_lat);
  EXPECT_EQ(gpu.alu.throughput, row.alu_thru);
  EXPECT_EQ(gpu.issue_rate, row.issue_thru);
}

INSTANTIATE_TEST_SUITE_P(Volkov, Published,
                         ::testing::Values(Table41{"g80", 444, 0.0268, 20, 0.25, 0.5},
                                           Table41{"gt200", 434, 0.0277, 24, 0.25, 0.5},
                                           Table41{"fermi", 513, 0.0599, 18, 1, 1},
                                           Table41{"kepler", 301, 0.1338, 9, 4, 4},
                                           Table41{"maxwell", 368, 0.0814, 6, 4, 4}),
                         [](const auto& param) { return param.param.gpu; });

// Section 6.5: c of the Kepler GPU is 0.1477 memory instructions per cycle and SM.
TEST(Published, ContentionOfKeplerInInstructions) {
  const HardwareParameters& gpu = published_gpu("kepler");
  EXPECT_NEAR(gpu.contention->c / gpu.gbs_per_ipc(), 0.1477, 0.00005);
}

// Section 3.2: 224 GB/s are 0.086 IPC on Maxwell; 30 loads and 24 adds keep it busy (Table 3.1).
TEST(Published, ConcurrencyOfMaxwell) {
  const HardwareParameters& gpu = published_gpu("maxwell");
  EXPECT_NEAR(gpu.pin_gbs / gpu.gbs_per_ipc(), 0.086, 0.0005);
  EXPECT_NEAR(gpu.mem.latency * gpu.mem.throughput, 30, 0.5);
  EXPECT_EQ(gpu.alu.latency * gpu.alu.throughput, 24);
}

TEST(Published, UnknownNameListsTheKnown) {
  try {
    published_gpu("pascal");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("g80, gt200, fermi, kepler, maxwell"), std::string::npos) << error.what();
  }
}

TEST(FromConfig, TakesRatesFromPipesAndPins) {
  config::GpuConfig config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml");
  const HardwareParameters gpu = from_config(config);
  const double blocks = config.sm.processing_blocks;
  EXPECT_EQ(gpu.issue_rate, blocks);
  EXPECT_EQ(gpu.alu.throughput, blocks * config.sm.pipes.fma.lanes / 32);
  EXPECT_EQ(gpu.sfu.throughput, blocks * config.sm.pipes.xu.lanes / 32);
  EXPECT_NEAR(gpu.pin_gbs, 898, 1);  // V100 data sheet: 900 GB/s
  // Where a channel refreshes bank by bank the others work on; where it does so with all at once, that time is lost to
  // reads.
  const config::DramConfig& dram = config.memory.dram;
  ASSERT_EQ(dram.refresh, "per_bank");
  EXPECT_NEAR(gpu.mem.throughput * gpu.gbs_per_ipc(), gpu.pin_gbs, 1e-9);
  config.memory.dram.refresh = "all_bank";
  const double share = 1 - static_cast<double>(dram.tRFC) / dram.tREFI;
  EXPECT_NEAR(from_config(config).mem.throughput * gpu.gbs_per_ipc(), gpu.pin_gbs * share, 1e-9);
  EXPECT_FALSE(gpu.contention.has_value());
}

TEST(FromConfig, CountsThePartsOfTheMemoryPath) {
  config::GpuConfig config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml");
  const double before = from_config(config).mem.latency;
  config.memory.crossbar.request_latency += 7;
  config.memory.l2.latency += 5;  // the L2 runs at the SMs' clock
  EXPECT_DOUBLE_EQ(from_config(config).mem.latency, before + 12);
}

/// A DRAM model of a user, of which the analytic models know nothing.
class LongRead final : public arch::Dram {
 public:
  LongRead(const config::DramConfig& config, const arch::DramStart&) : cycles_(config.fixed_latency) {}
  std::uint64_t idle_read(std::uint32_t) const override { return cycles_; }
  void accept(const arch::DramAccess&, DramCycle) override {}
  void work(DramCycle, Reader&) override {}
  std::uint64_t writes_waiting() const override { return 0; }
  std::uint64_t accesses_waiting() const override { return 0; }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  std::uint64_t cycles_;
};
const Registered<arch::Dram, LongRead, const config::DramConfig&, const arch::DramStart&> long_read_registered(
    "long_read");

TEST(FromConfig, AsksTheDramModelThatTheConfigurationNames) {
  config::GpuConfig config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml");
  config.memory.dram.model = "long_read";
  config.memory.dram.refresh = "all_bank";  // which this model does not read
  config.memory.dram.fixed_latency = 1000;
  const HardwareParameters before = from_config(config);
  config.memory.dram.fixed_latency = 1100;
  const double cycles = 100 * static_cast<double>(config.clock.sm) / static_cast<double>(config.clock.dram);
  EXPECT_DOUBLE_EQ(from_config(config).mem.latency, before.mem.latency + cycles);
  EXPECT_NEAR(before.mem.throughput * before.gbs_per_ipc(), before.pin_gbs, 1e-9);
}

TEST(FromConfig, SharedPipesCountOnce) {
  config::GpuConfig config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml");
  config.sm.pipes.xu = {16, true, 0};
  EXPECT_EQ(from_config(config).sfu.throughput, 0.5);
}

}  // namespace
}  // namespace sassim::model
