// SPDX-License-Identifier: Apache-2.0
#include "sim/base/error.h"
#include "sim/study/campaign_state.h"

namespace sassim::study {
void run_on_slurm(CampaignState&, StopSignals&) { throw NotSupported("--executor slurm: not in this build"); }
}  // namespace sassim::study
