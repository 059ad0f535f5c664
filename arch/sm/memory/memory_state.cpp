// SPDX-License-Identifier: Apache-2.0
// Checkpoints: what the memory pipeline of an SM is between two cycles.
#include "arch/sm/fetch/static_code.h"
#include "arch/sm/memory/memory_pipeline.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {

void MemoryPipeline::save(StateWriter& to) const {
  to.mark("memory_pipeline");
  const_cast<MemoryPipeline*>(this)->state(to);  // changes nothing
}

void MemoryPipeline::load(StateReader& from, const StaticCode& code) {
  from.mark("memory_pipeline");
  state(from);
  for (InTexture& waiting : textures_) waiting.op.decoded = &code.decoded(waiting.op.pc / kInstructionBytes);
}

}  // namespace sassim::arch
