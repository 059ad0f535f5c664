// SPDX-License-Identifier: Apache-2.0
// The recorder that makes traces of what the emulator executes, a trace for each thread block. A block is passed on
// when it finishes, so that memory holds only blocks that are running.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "sim/emu/core/emulator.h"
#include "sim/trace/stream_builder.h"

namespace sassim::emu {

class BlockRecorder : public Recorder {
 public:
  using Sink = std::function<void(std::shared_ptr<const trace::BlockTrace>)>;
  /// In what order blocks are passed on that several threads record.
  enum class Order : std::uint8_t {
    by_number,
    none,  ///< as they finish, from several threads at the same time
  };
  /// `kernel` must outlive the recorder. `again` is called if the launch starts again: blocks that the sink has
  /// received are then void. `first`: the first block that recorders of other threads see.
  BlockRecorder(const trace::KernelInfo& kernel, Sink sink, std::function<void()> again = {}, BlockId first = {},
                Order order = Order::by_number);
  ~BlockRecorder() override;

  void block_started(BlockId, Dim3 ctaid) override;
  void step(BlockId, std::uint32_t warp, const trace::Step&) override;
  void block_finished(BlockId) override;
  void started_again() override;
  std::unique_ptr<Recorder> apart() override;
  bool keeps_order() const override { return order_ == Order::by_number; }

 private:
  class Apart;
  using Streams = std::vector<std::shared_ptr<const trace::WarpStream>>;
  struct OpenBlock {
    Dim3 id;
    std::vector<std::unique_ptr<trace::WarpStreamBuilder>> warps;
  };
  struct DoneBlock {
    Dim3 id;
    Streams warps;
  };
  /// From any thread: a block whose streams share nothing yet.
  void done_apart(BlockId id, DoneBlock block);
  void pass_on(DoneBlock block);
  const trace::KernelInfo& kernel_;
  Sink sink_;
  std::function<void()> again_;
  const BlockId first_;
  const Order order_;
  std::shared_ptr<trace::BodyPool> pool_;
  std::unordered_map<BlockId, OpenBlock> open_;
  OpenBlock* last_ = nullptr;  ///< the block last_id_: consecutive steps are mostly of one block
  BlockId last_id_;
  std::mutex mutex_;  ///< of what follows
  std::map<std::uint64_t, DoneBlock> waiting_;
  std::uint64_t next_;  ///< the block that is passed on next
};

}  // namespace sassim::emu
