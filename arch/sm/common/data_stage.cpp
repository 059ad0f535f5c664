// SPDX-License-Identifier: Apache-2.0
// The counters of the data array of L1 and shared memory: its passes (wavefronts) and busy cycles.
#include "arch/sm/common/data_stage.h"

namespace sassim::arch {

namespace {

const struct DataStageCounters {
  stats::Count other_passes{
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum", "wavefront",
      "data stage: passes of shuffles, of reads of thread indices, and of accesses whose lanes are all off"};
  stats::Count shared_passes{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefront",
                             "data stage: passes of shared memory and of op_misc"};
  stats::Count passes{"l1tex__data_pipe_lsu_wavefronts.sum", "wavefront",
                      "data stage: passes of shared memory, op_misc and the L1"};
  stats::Count busy{"sassim__l1_data_stage_busy_cycles.sum", "cycle",
                    "cycles in which the data stage of L1 and shared memory was busy"};
} kDataStage;

}  // namespace

void DataStage::report(stats::CounterValues& values) const {
  values.sum(kDataStage.other_passes, other_passes_);
  values.sum(kDataStage.shared_passes, shared_passes_ + other_passes_);
  values.sum(kDataStage.passes, shared_passes_ + other_passes_ + cache_passes_);
  values.sum(kDataStage.busy, busy_);
}

}  // namespace sassim::arch
