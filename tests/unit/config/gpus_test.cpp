// SPDX-License-Identifier: Apache-2.0
// Every file in configs/ is valid, complete, sourced, and says what the papers say.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "sim/config/dump.h"
#include "sim/config/field.h"
#include "sim/config/find.h"
#include "sim/config/status.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

std::vector<std::string> shipped() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(SASSIM_SOURCE_DIR "/configs/chips"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class EveryGpu : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryGpu, IsValidAndNamedLikeItsFile) {
  const auto loaded = read_config(GetParam());
  EXPECT_EQ(fmt::format("{}", fmt::join(loaded.problems, "\n")), "");
  EXPECT_EQ(loaded.config.name, std::filesystem::path(GetParam()).stem());
  EXPECT_FALSE(loaded.config.description.empty());
}

TEST_P(EveryGpu, SetsEveryKeyAndSaysWhereEachValueComesFrom) {
  auto loaded = read_config(GetParam());
  const FieldList list(loaded.config);
  for (const Field& field : list.fields()) {
    if (list.is_absent(field)) continue;
    const auto found = loaded.provenance.find(field.path);
    ASSERT_NE(found, loaded.provenance.end())
        << field.path << " is not in this file or its bases: add it to configs/generations/common.yaml";
    if (field.path == "name" || field.path == "description") continue;
    EXPECT_NE(reason_of(found->second.comment).status, Status::unstated)
        << found->second.place << ": the comment of " << field.path << " must begin with one of "
        << fmt::format("{}", fmt::join(status_words(), ", ")) << ", a colon and the reason: '" << found->second.comment
        << "'";
  }
}

TEST_P(EveryGpu, EffectiveConfigurationIsItself) {
  const GpuConfig config = load_config(GetParam());
  const auto again = read_config_text(dump_yaml(config), "again.yaml");
  EXPECT_TRUE(again.problems.empty());
  EXPECT_TRUE(differences(config, again.config).empty());
  EXPECT_EQ(config_hash(config), config_hash(again.config));
}

TEST_P(EveryGpu, ColumnCommandsKeepTheBusBusy) {
  const DramConfig dram = load_config(GetParam()).memory.dram;
  EXPECT_EQ(dram.tCCDS, dram.burst / dram.beats_per_clock) << "a burst fills the bus until the next column command";
  EXPECT_EQ(dram.bus_bits / 8 * dram.burst, dram.check_span != 0 ? 64u : 32u)
      << "one column command moves one sector; a T4's, which has check bits of more than one access, moves two";
}

INSTANTIATE_TEST_SUITE_P(Configs, EveryGpu, ::testing::ValuesIn(shipped()), [](const auto& file) {
  std::string name = std::filesystem::path(file.param).stem();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

const OpConfig& op(const GpuConfig& config, isa::OpClass name) {
  return config.sm.pipes.ops[static_cast<std::size_t>(name)];
}

const PipeConfig& pipe(const Pipes& pipes, const std::string& name) {
  if (name == "fma") return pipes.fma;
  if (name == "alu") return pipes.alu;
  if (name == "fp16") return pipes.fp16;
  if (name == "fp64") return pipes.fp64;
  if (name == "xu") return pipes.xu;
  if (name == "adu") return pipes.adu;
  EXPECT_EQ(name, "mio");
  return pipes.mio;
}

/// Results per cycle of a whole SM, for the CUDA guide's throughput table.
double per_sm(const GpuConfig& config, isa::OpClass name) {
  const OpConfig& timing = op(config, name);
  if (timing.pipe == "shuffle")  // a warp instruction per turn of a block's address stage, and of the SM's
    return std::min(32.0 / config.sm.memory_io.address_interval * config.sm.processing_blocks,
                    32.0 / config.sm.memory_io.accept_interval);
  const PipeConfig& unit = pipe(config.sm.pipes, timing.pipe);
  const double interval = timing.interval ? timing.interval : 32.0 / unit.lanes;
  return 32 / interval * (unit.shared_by_sm ? 1 : config.sm.processing_blocks);
}

double dram_bytes_per_second(const GpuConfig& config) {
  const DramConfig& d = config.memory.dram;
  return static_cast<double>(config.clock.dram) * d.channels * d.pseudo_channels * d.bus_bits / 8 * d.beats_per_clock;
}

using isa::OpClass;

TEST(Gpus, LatenciesOfTheV100Report) {  // table 4.1
  const GpuConfig c = load_config("v100");
  for (const auto name : {OpClass::int_alu, OpClass::mov, OpClass::fp32, OpClass::int_cmp, OpClass::fp32_cmp})
    EXPECT_EQ(op(c, name).latency, 4u) << isa::op_class_name(name);
  for (const auto name : {OpClass::imad, OpClass::fp32_alu, OpClass::fp64_cmp}) EXPECT_EQ(op(c, name).latency, 5u);
  for (const auto name : {OpClass::fp64, OpClass::fp64_fma}) EXPECT_EQ(op(c, name).latency, 8u);
  for (const auto name : {OpClass::bit_scan, OpClass::mufu}) EXPECT_EQ(op(c, name).latency, 14u);
  EXPECT_EQ(op(c, OpClass::fp16).latency, 6u);
  EXPECT_EQ(op(c, OpClass::popc).latency, 10u);
}

TEST(Gpus, LatenciesOfPascalInTheV100Report) {  // table 4.1
  const GpuConfig c = load_config("p100");
  for (const auto name :
       {OpClass::int_alu, OpClass::mov, OpClass::fp32, OpClass::fp32_alu, OpClass::imad, OpClass::fp16})
    EXPECT_EQ(op(c, name).latency, 6u) << isa::op_class_name(name);
  for (const auto name : {OpClass::int_cmp, OpClass::fp32_cmp, OpClass::fp64_cmp}) EXPECT_EQ(op(c, name).latency, 12u);
  for (const auto name : {OpClass::fp64, OpClass::fp64_fma}) EXPECT_EQ(op(c, name).latency, 8u);
  for (const auto name : {OpClass::popc, OpClass::bit_scan, OpClass::mufu, OpClass::convert})
    EXPECT_EQ(op(c, name).latency, 14u);
}

// What is left of the array is the L1, whatever a kernel wants: shared memory is apart.
TEST(Gpus, MaxwellAndPascalHaveSharedMemoryBesideTheL1) {
  for (const auto& [gpu, shared] : {std::pair{"m60", 96}, {"p4", 96}, {"p100", 64}}) {
    const GpuConfig c = load_config(gpu);
    EXPECT_EQ(c.sm.occupancy.carveouts, std::vector<std::uint64_t>{shared * 1024u}) << gpu;
    EXPECT_EQ(c.sm.l1.size - c.sm.occupancy.carveouts[0], 24u * 1024) << gpu;
    EXPECT_EQ(c.sm.occupancy.shared_per_block, 48u * 1024) << gpu;
  }
}

// The L1 has what is left of the memory that it shares with shared memory.
TEST(Gpus, KeplerHasItsL1InSharedMemory) {
  const GpuConfig c = load_config("k80");
  std::vector<std::uint64_t> l1;
  for (const std::uint64_t shared : c.sm.occupancy.carveouts) l1.push_back((c.sm.l1.size - shared) / 1024);
  EXPECT_EQ(l1, (std::vector<std::uint64_t>{48, 32, 16}));
  EXPECT_EQ(c.sm.issue.dependence, "scoreboard");
  EXPECT_EQ(c.sm.occupancy.registers, 131072u);
}

TEST(Gpus, LatenciesOfTheT4Report) {  // table 6
  const GpuConfig c = load_config("t4");
  for (const auto name : {OpClass::int_alu, OpClass::mov, OpClass::fp32, OpClass::int_cmp, OpClass::fp32_cmp})
    EXPECT_EQ(op(c, name).latency, 4u) << isa::op_class_name(name);
  for (const auto name : {OpClass::imad, OpClass::fp32_alu}) EXPECT_EQ(op(c, name).latency, 5u);
  for (const auto name : {OpClass::popc, OpClass::bit_scan, OpClass::mufu}) EXPECT_EQ(op(c, name).latency, 15u);
  EXPECT_EQ(op(c, OpClass::fp16).latency, 6u);
  EXPECT_EQ(op(c, OpClass::fp64).latency, 48u);
  EXPECT_EQ(op(c, OpClass::fp64_fma).latency, 54u);
  EXPECT_EQ(op(c, OpClass::fp64_cmp).latency, 54u);
}

// Arithmetic throughput, results per cycle and SM; fp16 counts pairs. Of shuffles the guide says 32 for Turing too, the
// counters of a T4 show 16 (validation/measured/t4-v100.md).
TEST(Gpus, PeakRatesOfTheCudaGuide) {
  struct Row {
    const char* gpu;
    double fp16, fp32, fp64, mufu, int_alu, imad, popc, shuffle, convert64;
  };
  for (const Row& row :
       {Row{"v100", 64, 64, 32, 16, 64, 64, 16, 32, 16}, Row{"t4", 64, 64, 2, 16, 64, 64, 16, 16, 2},
        Row{"ampere-test", 64, 128, 2, 16, 64, 64, 16, 32, 2}, Row{"h200", 128, 128, 64, 16, 64, 64, 16, 32, 16},
        Row{"a100", 128, 64, 32, 16, 64, 64, 16, 32, 16}, Row{"rtx4090", 64, 128, 2, 16, 64, 64, 16, 32, 2},
        Row{"p100", 64, 64, 32, 16, 64, 64, 16, 32, 16}, Row{"p4", 1, 128, 4, 32, 128, 128, 32, 32, 4}}) {
    const GpuConfig c = load_config(row.gpu);
    SCOPED_TRACE(row.gpu);
    const bool two_units = op(c, OpClass::fp16_mma).pipe != op(c, OpClass::fp16).pipe;
    EXPECT_EQ(per_sm(c, OpClass::fp16) + (two_units ? per_sm(c, OpClass::fp16_mma) : 0), row.fp16);
    EXPECT_EQ(per_sm(c, OpClass::fp32), row.fp32);
    EXPECT_EQ(per_sm(c, OpClass::fp64_fma), row.fp64);
    EXPECT_EQ(per_sm(c, OpClass::mufu), row.mufu);
    EXPECT_EQ(per_sm(c, OpClass::int_alu), row.int_alu);
    EXPECT_EQ(per_sm(c, OpClass::imad), row.imad);
    EXPECT_EQ(per_sm(c, OpClass::popc), row.popc);
    EXPECT_EQ(per_sm(c, OpClass::shuffle), row.shuffle);
    EXPECT_EQ(per_sm(c, OpClass::convert64), row.convert64);
  }
}

TEST(Gpus, TheoreticalDramBandwidth) {
  EXPECT_NEAR(dram_bytes_per_second(load_config("v100")), 898e9, 1e9);     // V100 report: 900 GB/s
  EXPECT_NEAR(dram_bytes_per_second(load_config("t4")), 320e9, 1e9);       // T4 data sheet
  EXPECT_NEAR(dram_bytes_per_second(load_config("h200")), 4.917e12, 1e9);  // memory clock of 3201 MHz, 6144 bits
  for (const char* gpu : {"v100", "t4", "h200", "titan-v"}) {
    const GpuConfig c = load_config(gpu);
    EXPECT_NEAR(static_cast<double>(c.memory.bandwidth), dram_bytes_per_second(c), 1) << gpu;
  }
}

TEST(Gpus, BoardsAreAsTheirDataSheetsSay) {
  struct Row {
    const char* gpu;
    std::uint32_t sms;
    double gigabytes_per_second, tflops;  // single precision
    std::uint64_t l2_kib;
  };
  for (const Row& row : {Row{"titan-v", 80, 652.8, 14.9, 4608},
                         Row{"gv100", 80, 870, 14.8, 6144},
                         Row{"rtx2080ti", 68, 616, 14.2, 5632},
                         Row{"rtx2060", 30, 336, 6.45, 3072},
                         Row{"gtx1650", 14, 128, 2.98, 1024},
                         Row{"a100", 108, 1555, 19.5, 40960},
                         Row{"a100-80", 108, 2039, 19.5, 40960},
                         Row{"a100-pcie", 108, 1935, 19.5, 40960},
                         Row{"a10", 72, 600, 31.2, 6144},
                         Row{"a40", 84, 696, 37.4, 6144},
                         Row{"rtxa6000", 84, 768, 38.7, 6144},
                         Row{"rtx3060", 28, 360, 12.74, 3072},
                         Row{"rtx3070", 46, 448, 20.31, 4096},
                         Row{"rtx3070ti", 48, 608, 21.75, 4096},
                         Row{"rtx3080", 68, 760, 29.77, 5120},
                         Row{"rtx3090", 82, 936, 35.58, 6144},
                         Row{"l4", 58, 300, 30.3, 49152},
                         Row{"l40", 142, 864, 90.5, 98304},
                         Row{"rtx4090", 128, 1008, 82.58, 73728},
                         Row{"p100", 56, 732, 9.52, 4096},
                         Row{"p4", 20, 192, 7.84, 2048},
                         Row{"gtx1080", 20, 320, 8.87, 2048},
                         Row{"gtx1070-max-q", 16, 256, 5.65, 2048},
                         Row{"m60", 16, 160, 4.82, 2048},
                         Row{"gtx980", 16, 224, 5.19, 2048},
                         Row{"k80", 13, 240, 4.37, 1536},
                         Row{"gtx680", 8, 192.3, 3.45, 512},
                         Row{"gtx480", 15, 177.4, 1.345, 768},
                         Row{"gtx280", 30, 141.7, 0.622, 256},
                         Row{"8800gtx", 16, 86.4, 0.3456, 192}}) {
    const GpuConfig c = load_config(row.gpu);
    SCOPED_TRACE(row.gpu);
    EXPECT_EQ(c.sm.count, row.sms);
    EXPECT_NEAR(dram_bytes_per_second(c) / 1e9, row.gigabytes_per_second, 1);
    EXPECT_NEAR(per_sm(c, OpClass::fp32) * 2 * c.sm.count * static_cast<double>(c.clock.sm) / 1e12, row.tflops, 0.05);
    EXPECT_EQ(c.memory.l2.size, row.l2_kib * 1024);
    EXPECT_EQ(c.clock.l2, c.clock.sm);
  }
}

TEST(Gpus, ADerivedGpuDiffersOnlyWhereItSays) {
  const auto found = differences(load_config("v100"), load_config("v100-sxm2"));
  std::vector<std::string> paths;
  for (const auto& difference : found) paths.push_back(difference.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"name", "description", "clock.sm", "clock.l2", "memory.dram.latency",
                                             "launch.latency", "launch.flush"}))
      << "what is a time has another number of cycles at another clock";
}

TEST(Gpus, TheSweepOfTheReadmeIsPossibleOnV100) {
  for (const char* size : {"32KiB", "64KiB", "96KiB", "128KiB", "256KiB"})
    EXPECT_EQ(load_config("v100", {fmt::format("l1.size={}", size)}).sm.l1.size % 32768, 0u);
  for (const char* size : {"3MiB", "6MiB", "12MiB"})
    EXPECT_NO_THROW(load_config("v100", {fmt::format("l2.size={}", size)}));
}

}  // namespace
}  // namespace sassim::config
