// SPDX-License-Identifier: Apache-2.0
// Hands the thread blocks of a live launch to the timing model, and collects what they print, count and record.
#include "sim/live/live_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/base/default_float.h"
#include "sim/base/error.h"
#include "sim/emu/core/block.h"
#include "sim/emu/core/builtins.h"
#include "sim/emu/core/standstill.h"
#include "sim/live/live_block.h"
#include "sim/live/live_sm.h"

namespace sassim::live {

class MappedMemory final : public trace::LiveMemory {
 public:
  explicit MappedMemory(const emu::DeviceMemory& memory) : memory_(memory) {}
  void read(std::uint64_t address, std::uint32_t bytes, std::byte* to) const override {
    if (copied(address, bytes, to)) return;
    for (std::uint32_t i = 0; i < bytes; ++i)
      if (!copied(address + i, 1, to + i)) to[i] = std::byte{0};
  }

 private:
  bool copied(std::uint64_t address, std::uint32_t bytes, std::byte* to) const {
    const std::byte* from = memory_.host(address, bytes);
    if (from == nullptr) from = memory_.mapped(address, bytes);
    if (from != nullptr) std::memcpy(to, from, bytes);
    return from != nullptr;
  }

  const emu::DeviceMemory& memory_;
};

struct LiveLaunch::Shared {
  Shared(emu::DeviceMemory& device_memory, std::uint64_t watchdog) : memory(device_memory), standstill(watchdog) {}

  LiveOptions options;
  emu::RunOptions run_options;
  emu::Grid grid;
  MappedMemory memory;
  std::vector<std::unique_ptr<LiveSm>> sms;
  std::shared_ptr<trace::BodyPool> pool = std::make_shared<trace::BodyPool>();
  LiveBlock::Recording recording;
  std::mutex mutex;
  std::vector<std::shared_ptr<const trace::BlockTrace>> recorded;

  std::vector<std::weak_ptr<LiveBlock>> blocks;
  std::uint64_t begun = 0;  ///< blocks
  emu::Standstill standstill;
};

LiveLaunch::LiveLaunch(const emu::Kernel& kernel, const emu::LaunchConfig& launch, emu::DeviceMemory& memory,
                       const trace::KernelInfo& info, const LiveOptions& options)
    : info_(info), shared_(std::make_unique<Shared>(memory, launch.watchdog)) {
  const DefaultFloat default_float;
  Shared& shared = *shared_;
  shared.options = options;
  shared.grid.kernel = &kernel;
  shared.grid.program = kernel.program.get();
  shared.grid.launch = &launch;
  shared.grid.options = &shared.run_options;
  shared.grid.memory = &memory;
  shared.sms.resize(options.sms);
  emu::prepare_launch(shared.grid);
  shared.recording = {[this] { return trace::WarpStreamBuilder::make(info_, shared_->pool); },
                      [this](std::shared_ptr<const trace::BlockTrace> block) {
                        const std::lock_guard lock(shared_->mutex);
                        shared_->recorded.push_back(std::move(block));
                      }};
}

LiveLaunch::~LiveLaunch() { print_all(); }

LiveSm& LiveLaunch::sm(SmId id) {
  std::unique_ptr<LiveSm>& sm = shared_->sms.at(id.value);
  if (!sm) sm = std::make_unique<LiveSm>(shared_->grid, id, shared_->options.clock, shared_->options.clock_hz);
  return *sm;
}

std::shared_ptr<const trace::BlockTrace> LiveLaunch::block(BlockId id) {
  std::unique_ptr<emu::Block> block = emu::make_block(shared_->grid, id);
  auto trace = std::make_shared<trace::BlockTrace>();
  trace->id = block->ctaid;
  trace->warps.resize(block->warps.size());
  auto live = std::make_shared<LiveBlock>(
      std::move(block), [this](SmId sm) -> LiveSm& { return this->sm(sm); },
      shared_->options.record ? &shared_->recording : nullptr);
  std::erase_if(shared_->blocks, [](const std::weak_ptr<LiveBlock>& gone) { return gone.expired(); });
  shared_->blocks.push_back(live);
  ++shared_->begun;
  trace->live = std::move(live);
  return trace;
}

const trace::LiveMemory* LiveLaunch::live_memory() const { return &shared_->memory; }

void LiveLaunch::print_all() {
  std::vector<LiveSm::Printed> all;
  for (const auto& sm : shared_->sms) {
    if (!sm) continue;
    std::move(sm->printed.begin(), sm->printed.end(), std::back_inserter(all));
    sm->printed.clear();
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const LiveSm::Printed& one : all) emu::print(shared_->grid, one.text);
}

void LiveLaunch::check_progress() {
  Shared& shared = *shared_;
  std::uint64_t changes = shared.begun, instructions = 0;
  for (const auto& sm : shared.sms) {
    if (!sm) continue;
    changes += sm->progress();
    instructions += sm->grid.result.warp_instructions;
  }
  std::vector<std::shared_ptr<const LiveBlock>> alive;
  std::vector<const emu::Block*> blocks;
  for (const std::weak_ptr<LiveBlock>& weak : shared.blocks)
    if (std::shared_ptr<const LiveBlock> block = weak.lock()) alive.push_back(std::move(block));
  for (const auto& block : alive) blocks.push_back(&block->block());
  if (!shared.standstill.look(changes, instructions, blocks)) return;
  throw emu::stuck(*shared.grid.kernel, emu::standstill_reason(shared.standstill.idle(instructions)), blocks);
}

emu::RunResult LiveLaunch::finish() {
  print_all();
  emu::RunResult result;
  for (const auto& sm : shared_->sms) {
    if (!sm) continue;
    const emu::RunResult& of_sm = sm->grid.result;
    result.warp_instructions += of_sm.warp_instructions;
    result.thread_instructions += of_sm.thread_instructions;
    result.time_reads += of_sm.time_reads;
    if (result.beside.count == 0) result.beside.first = of_sm.beside.first;
    result.beside.count += of_sm.beside.count;
  }
  emu::finish_launch(shared_->grid);
  return result;
}

std::vector<std::shared_ptr<const trace::BlockTrace>> LiveLaunch::take_recorded() {
  auto recorded = std::move(shared_->recorded);
  const Dim3 grid = info_.grid;
  std::sort(recorded.begin(), recorded.end(), [&](const auto& a, const auto& b) {
    return trace::block_index(grid, a->id) < trace::block_index(grid, b->id);
  });
  return recorded;
}

}  // namespace sassim::live
