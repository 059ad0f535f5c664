// SPDX-License-Identifier: Apache-2.0
// A run that is ended at every checkpoint and resumed from it: each state is made by a run that itself began at the
// state before. What one cut loses is missing in the result, so a member that a class forgets to save shows here.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "sim/config/loader.h"
#include "sim/replay/run.h"
#include "sim/trace/open.h"

namespace sassim::replay {
namespace {

using Kernels = std::vector<std::shared_ptr<trace::BlockSource>>;

struct Case {
  std::string gpu;
  std::vector<std::string> traces;  ///< of one run
  std::uint64_t every;              ///< cycles
  arch::CacheStart caches = arch::CacheStart::cold;
  std::vector<std::string> overrides = {};
};

/// The name of a test shows its case, which has no addresses in it.
void PrintTo(const Case& of, std::ostream* out) { *out << of.gpu << " " << of.traces.front() << " " << of.every; }

std::string folder_of(const config::GpuConfig& config) {
  return SASSIM_BINARY_DIR "/traces/sm_" + std::to_string(config.arch) + "/";
}

Kernels kernels_of(const Case& of, const config::GpuConfig& config) {
  Kernels all;
  for (const std::string& name : of.traces)
    for (auto& kernel : trace::open(folder_of(config) + name + ".sast")) all.push_back(std::move(kernel));
  return all;
}

std::string text_of(report::RunReport& report) {
  report.complete = true;
  return to_json(report).dump(1);
}

struct Cut {};

class Checkpoints : public ::testing::TestWithParam<Case> {
 protected:
  Checkpoints() : config_(config::load_config(GetParam().gpu, GetParam().overrides)) {
    options_.caches = GetParam().caches;
  }

  std::string whole() {
    report::RunReport report = report_of(config_, "");
    run(config_, kernels_of(GetParam(), config_), options_, [&](auto kernel) { report.kernels.push_back(kernel); });
    return text_of(report);
  }

  /// Runs from `from` to the next checkpoint, which is returned, or to the end.
  std::optional<Checkpoint> leg(const std::optional<Checkpoint>& from, const arch::RunOptions& options,
                                std::string& result) {
    std::optional<Checkpoint> next;
    CheckpointPlan plan;
    plan.resume = from ? &*from : nullptr;
    plan.write = [&](Checkpoint& checkpoint) {
      next =
          Checkpoint{checkpoint.key, checkpoint.launch, checkpoint.cycle, checkpoint.done, std::move(checkpoint.state)};
      throw Cut{};
    };
    report::RunReport report = report_of(config_, "");
    try {
      run(
          config_, kernels_of(GetParam(), config_), options, [&](auto kernel) { report.kernels.push_back(kernel); },
          &plan);
    } catch (const Cut&) {
      return next;
    }
    result = text_of(report);
    return std::nullopt;
  }

  /// How often it was cut; `result`: of the last leg.
  std::size_t chain(arch::RunOptions options, std::string& result) {
    options.checkpoint_every = GetParam().every;
    std::size_t cuts = 0;
    for (auto at = leg({}, options, result); at; at = leg(at, options, result)) {
      ++cuts;
      options.threads = cuts % 2 == 0 ? 1 : 2;
    }
    return cuts;
  }

  config::GpuConfig config_;
  arch::RunOptions options_;
};

TEST_P(Checkpoints, AChainOfLegsGivesTheResultOfTheWholeRun) {
  std::string result;
  const std::size_t cuts = chain(options_, result);
  EXPECT_GE(cuts, 5u);
  EXPECT_EQ(result, whole()) << cuts << " cuts";
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.gpu + "_" + info.param.traces.front() + "_" + std::to_string(info.index);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Traces, Checkpoints,
                         ::testing::Values(Case{"t4", {"sgemm_tiled"}, 900}, Case{"t4", {"softmax", "reduce"}, 700},
                                           Case{"t4", {"bitonic_shared-2"}, 500},
                                           Case{"v100", {"reduce", "reduce-2"}, 600},
                                           Case{"v100", {"histogram_global"}, 1500}, Case{"v100", {"stencil5"}, 400},
                                           Case{"v100", {"vector_add", "vector_add"}, 700, arch::CacheStart::keep},
                                           Case{"h200", {"hgemm_wmma"}, 1700}, Case{"h200", {"scatter_add"}, 650},
                                           Case{"h200", {"saxpy", "saxpy"}, 1700, arch::CacheStart::warm},
                                           Case{"h200", {"transpose_shared"}, 650},
                                           Case{"h200", {"spmv_vector"}, 2100}),
                         name_of);

}  // namespace
}  // namespace sassim::replay
