// SPDX-License-Identifier: Apache-2.0
// Decodes the next thread blocks of a trace on all threads of a team, so that the thread that gives them to SMs finds
// them ready.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "arch/common/component.h"
#include "sim/trace/kernel.h"

namespace sassim::arch {

class ThreadTeam;

class BlocksAhead {
 public:
  explicit BlocksAhead(std::shared_ptr<ThreadTeam> team);

  /// Forgets all blocks, before other launches.
  void clear();
  /// The same as source.block(id), error included. Call it between two steps of the team.
  std::shared_ptr<const trace::BlockTrace> take(trace::BlockSource& source, BlockId id);

 private:
  struct Slot final : Component {
    void advance(Cycle) override;
    Cycle next_event() const override { return kNever; }
    bool holds(const trace::BlockSource& source, BlockId wanted) const { return of == &source && id == wanted; }
    trace::BlockSource* of = nullptr;  ///< nullptr: nothing has been decoded, or it has been taken
    BlockId id{};
    std::shared_ptr<const trace::BlockTrace> block;
    std::exception_ptr error;
  };

  void decode(trace::BlockSource& source, BlockId first);

  std::shared_ptr<ThreadTeam> team_;
  std::vector<Slot> slots_;
};

}  // namespace sassim::arch
