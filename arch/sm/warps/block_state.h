// SPDX-License-Identifier: Apache-2.0
// The state that all stages of a processing block share: its warps, their next instructions, and its agenda.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/code/static_code.h"
#include "arch/sm/common/live_accesses.h"
#include "arch/sm/common/pipeline_observer.h"
#include "arch/sm/warps/agenda.h"
#include "arch/sm/warps/instruction_buffer.h"
#include "arch/sm/warps/warp.h"
#include "arch/sm/warps/warp_scheduler.h"
#include "sim/base/types.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class Units;

struct BlockState {
  /// Throws InputError for more warps or larger instruction buffers than the model can hold.
  BlockState(const config::Sm& sm_config, std::uint8_t block_number);

  const config::Sm& config;
  const std::uint8_t part;    ///< number of the processing block in its SM
  const std::uint32_t parts;  ///< processing blocks of the SM
  SmId sm;
  const StaticCode* code = nullptr;
  PipelineObserver* observer = nullptr;
  Units* units = nullptr;        ///< of the SM; accesses of live warps begin there when they issue
  LiveAccesses* live = nullptr;  ///< of the SM
  std::unique_ptr<WarpScheduler> scheduler;
  ScheduleView view;

  std::vector<ResidentWarp> warps;
  std::vector<InstructionBuffer> buffers;  ///< by warp
  std::uint32_t resident = 0;              ///< resident warps
  WarpIndex youngest{kMaxBlockWarps};      ///< the resident warp that was placed last; kMaxBlockWarps: none
  Agenda agenda;

  const StaticInstruction& front(WarpIndex warp) const { return (*code)[buffers[warp].front().index]; }
  WarpSlot slot(WarpIndex warp) const { return WarpSlot(static_cast<std::uint8_t>(warp * parts + part)); }
  WarpName name(WarpIndex warp) const { return {sm, slot(warp), warps[warp].block, warps[warp].own.number_in_block}; }
  void after(Cycle at, BlockEvent::Kind kind, WarpIndex warp, std::uint32_t data) {
    agenda.add(at, {kind, static_cast<std::uint8_t>(warp), warps[warp].generation, data});
  }

  /// A warp has been placed, or has ended.
  void add_resident(WarpIndex warp) {
    ++resident;
    youngest = warp;
  }
  void remove_resident(WarpIndex warp);

  template <class Archive>
  void state(Archive& archive) {
    // Without the observer and the code of the launch, which start_kernel() sets.
    archive(view, warps, buffers, resident, youngest, agenda);
  }
};

}  // namespace sassim::arch
