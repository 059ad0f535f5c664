// SPDX-License-Identifier: Apache-2.0
#include "sim/stats/nsight_names.h"

namespace sassim::stats {

namespace {
constexpr std::string_view kGpcCache = "the cache of a GPC for code and constants is a delay and a turn, not a cache";
constexpr std::string_view kIdc = "hardware also counts what the launch of a block looks up";
constexpr std::string_view kIcc = "the model prefetches more code with a launch; see sassim__icache_l1_hits.sum";
constexpr std::string_view kFma = "the model has one FMA pipe; see sm__inst_executed_pipe_fma.sum";
}  // namespace

const std::vector<MissingMetric>& missing_metrics() {
  static const std::vector<MissingMetric> all = {
      {"gcc__cache_requests_type_constant.sum", kGpcCache},
      {"gcc__cache_requests_type_constant_lookup_miss.sum", kGpcCache},
      {"gcc__cache_requests_type_instruction.sum", kGpcCache},
      {"gcc__cache_requests_type_instruction_lookup_miss.sum", kGpcCache},
      {"idc__requests.sum", kIdc},
      {"idc__requests_lookup_miss.sum", kIdc},
      {"sm__icc_requests.sum", kIcc},
      {"sm__icc_requests_lookup_miss.sum", kIcc},
      {"sm__inst_executed_pipe_fma_type_fp16.sum", "see sm__inst_executed_pipe_fp16.sum"},
      {"sm__inst_executed_pipe_fmaheavy.sum", kFma},
      {"sm__inst_executed_pipe_fmalite.sum", kFma},
      {"smsp__average_warps_issue_stalled_misc_per_issue_active.ratio", "every stall has another reason in the model"},
  };
  return all;
}

}  // namespace sassim::stats
