// SPDX-License-Identifier: Apache-2.0
// Nsight Compute's metrics that sassim lacks, with the reason for each, for `sassim metrics`.
#include "sim/stats/nsight_names.h"

namespace sassim::stats {

namespace {
constexpr std::string_view kGpcCache = "the cache of a GPC for code and constants is a delay and a turn, not a cache";
constexpr std::string_view kIdc = "hardware also counts what the launch of a block looks up";
constexpr std::string_view kIcc = "the model prefetches more code with a launch; see sassim__icache_l1_hits.sum";
constexpr std::string_view kBusyCycles = "the model counts the busy cycles of this pipe; see sm__pipe_*_cycles_active";
constexpr std::string_view kMemoryPath = "the model has one entry to the SM's memory path; see sm__mio_inst_issued";
constexpr std::string_view kDataStage = "the model has one data stage in the L1; see sassim__l1_data_stage.pct_elapsed";
constexpr std::string_view kTagStage = "see sassim__l1_tag_stage.pct_elapsed";
constexpr std::string_view kFma = "the model has one FMA pipe; see sm__inst_executed_pipe_fma.sum";
}  // namespace

const std::vector<MissingMetric>& missing_metrics() {
  static const std::vector<MissingMetric> all = {
      {"dram__cycles_active.avg.pct_of_peak_sustained_elapsed",
       "see dram__throughput.avg.pct_of_peak_sustained_elapsed"},
      {"gcc__cache_requests_type_constant.sum", kGpcCache},
      {"gcc__cache_requests_type_constant_lookup_miss.sum", kGpcCache},
      {"gcc__cache_requests_type_instruction.sum", kGpcCache},
      {"gcc__cache_requests_type_instruction_lookup_miss.sum", kGpcCache},
      {"idc__requests.sum", kIdc},
      {"idc__requests_lookup_miss.sum", kIdc},
      {"l1tex__data_bank_reads.avg.pct_of_peak_sustained_elapsed", kDataStage},
      {"l1tex__data_bank_writes.avg.pct_of_peak_sustained_elapsed", kDataStage},
      {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", kDataStage},
      {"l1tex__f_wavefronts.avg.pct_of_peak_sustained_elapsed", kTagStage},
      {"l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed", kTagStage},
      {"lts__d_sectors.avg.pct_of_peak_sustained_elapsed", "see sassim__lts_data.pct_elapsed"},
      {"lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed",
       "see lts__t_requests.avg.pct_of_peak_sustained_elapsed"},
      {"sm__icc_requests.sum", kIcc},
      {"sm__icc_requests_lookup_miss.sum", kIcc},
      {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed",
       "the model issues no instruction twice; see sm__issue_active.avg.pct_of_peak_sustained_elapsed"},
      {"sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_elapsed", kBusyCycles},
      {"sm__inst_executed_pipe_cbu_pred_on_any.avg.pct_of_peak_sustained_elapsed", kBusyCycles},
      {"sm__inst_executed_pipe_fma_type_fp16.sum", "see sm__inst_executed_pipe_fp16.sum"},
      {"sm__inst_executed_pipe_fmaheavy.sum", kFma},
      {"sm__inst_executed_pipe_fmalite.sum", kFma},
      {"sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed", kMemoryPath},
      {"sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_elapsed", kBusyCycles},
      {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed", kBusyCycles},
      {"sm__mio2rf_writeback_active.avg.pct_of_peak_sustained_elapsed", kMemoryPath},
      {"sm__mio_pq_read_cycles_active.avg.pct_of_peak_sustained_elapsed", kMemoryPath},
      {"sm__mio_pq_write_cycles_active.avg.pct_of_peak_sustained_elapsed", kMemoryPath},
      {"smsp__average_warps_issue_stalled_misc_per_issue_active.ratio", "every stall has another reason in the model"},
  };
  return all;
}

}  // namespace sassim::stats
