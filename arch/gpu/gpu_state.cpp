// SPDX-License-Identifier: Apache-2.0
// Writes and loads checkpoints of a GPU: its state between two epochs of a launch.
#include "arch/gpu/gpu_impl.h"

namespace sassim::arch {

void Gpu::Impl::check_checkpoints(const trace::BlockSource& source, const RunOptions& options) const {
  if (options.resume == nullptr && options.checkpoint_every == 0) return;
  if (source.live_memory() != nullptr || options.clocks != nullptr)
    throw NotSupported("kernel '{}': checkpoints are not possible for a launch that is executed while it is timed",
                       source.kernel().name);
  if (options.accesses != nullptr)
    throw NotSupported("checkpoints are not possible for a run whose accesses are watched");
}

void Gpu::Impl::save(const RunOptions& options) {
  next_checkpoint = after_now(options.checkpoint_every);
  StateWriter to;
  to.bytes().reserve(sms.size() * (600 << 10));  // about what it takes
  to(start);
  to.mark("gpu");
  to(progress.issued, progress.made, progress.checked, running->first_sm, *engine, *scheduler, environment);
  save_series(to);
  for (const Sm* sm : sms) sm->save(to);
  module.memory().save(to);
  to.mark("end");
  options.checkpoint(Cycle(engine->now().value - start.value), std::move(to.bytes()));
}

void Gpu::Impl::load(StateReader& from, const StaticCode& code, PipelineObserver* pipeline, const RunOptions& options) {
  from.mark("gpu");
  from(progress.issued, progress.made, progress.checked, running->first_sm, *engine, *scheduler, environment);
  load_series(from, options);
  if (pipeline != nullptr && running->first_sm) pipeline->kernel_resumed(*running->first_sm);
  for (Sm* sm : sms) sm->load(from, code, [&](BlockId id) { return scheduler->find(id); });
  module.memory().load(from);
  from.mark("end");
  if (!from.at_end()) from.damaged("there is more than a GPU's state");
}

}  // namespace sassim::arch
