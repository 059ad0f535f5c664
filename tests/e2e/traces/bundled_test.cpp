// SPDX-License-Identifier: Apache-2.0
// The traces that come with the project: each is small, whole, and runs on the GPU it was made for.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/config/loader.h"
#include "sim/replay/run.h"
#include "sim/trace/open.h"
#include "sim/trace/sast_file.h"

namespace sassim {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargest = 200 * 1024, kLargestLarge = 1024 * 1024;

std::vector<std::string> bundled() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SASSIM_BINARY_DIR) / "traces"))
    if (entry.path().extension() == ".sast") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// A GPU of the architecture.
std::string gpu_of(int sm) {
  static const std::map<int, std::string> gpus{{37, "k80"},  {52, "m60"},     {61, "p4"},      {70, "v100"}, {75, "t4"},
                                               {80, "a100"}, {86, "rtx3090"}, {89, "rtx4090"}, {90, "h200"}};
  return gpus.at(sm);
}

std::uint64_t recorded_steps(trace::BlockSource& source) {
  std::uint64_t steps = 0;
  for (std::uint64_t b = 0; b < source.block_count(); ++b) {
    const auto block = source.block(BlockId{b});
    for (const auto& warp : block->warps) steps += warp->steps();
  }
  return steps;
}

class BundledTrace : public testing::TestWithParam<std::string> {};

TEST_P(BundledTrace, IsSmallAndWhole) {
  EXPECT_LE(fs::file_size(GetParam()), GetParam().ends_with("-large.sast") ? kLargestLarge : kLargest);
  EXPECT_EQ(trace::SastFile::open(GetParam())->version(), trace::kSastVersion);
  const auto kernels = trace::open(GetParam());
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels.front()->block_count(), kernels.front()->kernel().grid.count());
}

/// How long each warp was resident.
class Residence final : public arch::PipelineObserver {
 public:
  void warp_started(const arch::WarpName& warp, Cycle at) override { started_[key(warp)] = at.value; }
  void warp_ended(const arch::WarpName& warp, Cycle at) override {
    cycles_ += at.value - started_.at(key(warp));
    ++warps_;
  }
  std::uint64_t cycles() const { return cycles_; }
  std::uint64_t warps() const { return warps_; }

 private:
  static std::pair<std::uint64_t, std::uint32_t> key(const arch::WarpName& warp) {
    return {warp.block.value, warp.warp};
  }
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> started_;
  std::uint64_t cycles_ = 0, warps_ = 0;
};

// Each warp checks its own sum when it ends (ProcessingBlock::end_warp).
TEST_P(BundledTrace, SimulatesToTheLastInstructionAndStallsSumToTheCyclesThatWarpsWereResident) {
  const auto kernels = trace::open(GetParam());
  const int sm = kernels.front()->kernel().sm;
  Residence residence;
  arch::RunOptions options;
  options.pipeline = &residence;
  const config::GpuConfig config = config::load_config(gpu_of(sm));
  ASSERT_EQ(config.arch, sm);
  const report::RunReport report = replay::run(config, kernels, options);
  const report::KernelReport& kernel = report.kernels.at(0);
  EXPECT_EQ(kernel.warp_instructions, recorded_steps(*kernels.front()));
  EXPECT_EQ(kernel.metrics["smsp__inst_executed.sum"], static_cast<double>(kernel.warp_instructions));
  EXPECT_GT(kernel.metrics["gpc__cycles_elapsed.max"], 0);
  std::map<std::string, std::uint64_t> by_reason;
  std::uint64_t all = 0, executed = 0;
  for (const report::LineStalls& line : kernel.lines) {
    executed += line.executed;
    for (const auto& [reason, cycles] : line.stalls) {
      by_reason[reason] += cycles;
      all += cycles;
      if (reason == "selected") {
        EXPECT_LE(cycles, line.executed) << line.text;
        // The second instruction of a pair takes no cycle of its warp.
        if (!config.sm.issue.pairs) {
          EXPECT_EQ(cycles, line.executed) << line.text;
        }
      }
    }
  }
  // Timelines, which an observer draws, end a warp when it issues its EXIT; the cycles of the EXIT count too.
  const std::uint64_t at_exit = std::uint64_t{config.sm.issue.exit.resolve} + config.sm.issue.exit.drain;
  EXPECT_EQ(all, residence.cycles() + at_exit * residence.warps());
  EXPECT_EQ(static_cast<double>(all), kernel.metrics["sm__warps_active.sum"]);
  EXPECT_EQ(static_cast<double>(residence.warps()), kernel.metrics["smsp__warps_launched.sum"]);
  EXPECT_EQ(executed, kernel.warp_instructions);
  for (const auto& [reason, cycles] : by_reason)
    EXPECT_EQ(static_cast<double>(cycles), kernel.metrics["sassim__warp_cycles_" + reason + ".sum"]) << reason;
}

INSTANTIATE_TEST_SUITE_P(All, BundledTrace, testing::ValuesIn(bundled()), [](const auto& test) {
  std::string name =
      fs::path(test.param).parent_path().filename().string() + "_" + fs::path(test.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(BundledTraces, CoverTwelveKernelsOnVoltaAndTuring) {
  std::map<std::string, std::set<std::string>> kernels;
  for (const std::string& file : bundled())
    kernels[fs::path(file).parent_path().filename().string()].insert(fs::path(file).stem().string());
  EXPECT_GE(kernels["sm_70"].size(), 12u);
  EXPECT_GE(kernels["sm_75"].size(), 12u);
  EXPECT_GE(kernels["sm_90"].size(), 1u);
}

// An application's second kernel does not report what the first one counted.
TEST(BundledTraces, CountFromZeroInEveryKernel) {
  const config::GpuConfig gpu = config::load_config("v100");
  const std::string file = std::string(SASSIM_BINARY_DIR) + "/traces/sm_70/stencil9_shared.sast";
  const auto once = trace::open(file);
  const report::RunReport report = replay::run(gpu, {once.front(), once.front()}, {});
  const auto& first = report.kernels.at(0).metrics;
  const auto& second = report.kernels.at(1).metrics;
  for (const char* name : {"smsp__inst_executed.sum", "l1tex__t_sectors.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "lts__t_sectors_op_write.sum"}) {
    EXPECT_GT(first[name], 0) << name;
    EXPECT_EQ(first[name], second[name]) << name;
  }
}

// Results do not depend on how many threads computed them, nor on how the time was cut into epochs.
TEST(BundledTraces, GiveTheSameBytesForAnyThreadCountAndEpoch) {
  const std::string folder = std::string(SASSIM_BINARY_DIR) + "/traces/sm_70/";
  const config::GpuConfig gpu = config::load_config("v100");
  for (const char* name : {"spmv_vector.sast", "histogram_global.sast", "sgemm_tiled.sast"}) {
    std::string first;
    for (const auto& [threads, epoch] :
         std::initializer_list<std::pair<unsigned, std::uint64_t>>{{1, 0}, {2, 0}, {3, 0}, {1, 1}, {2, 7}}) {
      arch::RunOptions options;
      options.threads = threads;
      options.epoch = epoch;
      const report::RunReport report = replay::run(gpu, trace::open(folder + name), options);
      const std::string bytes = to_json(report.kernels.at(0)).dump();
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes, first) << name << " with " << threads << " threads, epoch " << epoch;
    }
  }
}

}  // namespace
}  // namespace sassim
