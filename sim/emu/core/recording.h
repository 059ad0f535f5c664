// SPDX-License-Identifier: Apache-2.0
// From executed steps to block traces: each block is handed on when it finishes, so that memory holds only the blocks
// that run.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/emu/core/emulator.h"
#include "sim/trace/stream_builder.h"

namespace sassim::emu {

class BlockRecorder : public Recorder {
 public:
  using Sink = std::function<void(std::shared_ptr<const trace::BlockTrace>)>;
  /// `kernel` must outlive the recorder. `again`: the blocks that the sink got do not count.
  BlockRecorder(const trace::KernelInfo& kernel, Sink sink, std::function<void()> again = {});
  ~BlockRecorder() override;

  void block_started(BlockId, Dim3 ctaid) override;
  void step(BlockId, std::uint32_t warp, const trace::Step&) override;
  void block_finished(BlockId) override;
  void started_again() override;

 private:
  struct OpenBlock {
    Dim3 id;
    std::vector<std::unique_ptr<trace::WarpStreamBuilder>> warps;
  };
  const trace::KernelInfo& kernel_;
  Sink sink_;
  std::function<void()> again_;
  std::shared_ptr<trace::BodyPool> pool_;
  std::unordered_map<BlockId, OpenBlock> open_;
  OpenBlock* last_ = nullptr;  ///< of last_id_: steps come in runs
  BlockId last_id_;
};

}  // namespace sassim::emu
