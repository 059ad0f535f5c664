// SPDX-License-Identifier: Apache-2.0
// The memory check of `sassim exec --memcheck`. It finds errors that a GPU does not report: reads of bytes that nothing
// has written, uses of freed memory, and races in shared memory. The kernel goes on; each pair of instructions is told
// once. What a GPU reports, accesses outside of allocations and misaligned ones, are faults as always.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/emu/core/fault.h"
#include "sim/emu/core/machine.h"
#include "sim/emu/core/shared_history.h"
#include "sim/isa/instruction.h"

namespace sassim::emu {

struct Finding {
  const char* kind;
  FaultSite site;
  std::string message;
};

class MemoryCheck {
 public:
  /// The check of this process; nullptr: its program is not checked.
  static MemoryCheck* active() { return active_; }
  /// From now on the process's program is checked.
  static void begin();

  // What the program does with the device's memory. Other memory counts as written.
  void allocated(std::uint64_t address, std::uint64_t bytes);
  /// False if the address is none of allocated(); otherwise the memory must stay as it is until release().
  bool freed(std::uint64_t address);
  bool has_freed(std::uint64_t address) const;
  void written(std::uint64_t address, std::uint64_t bytes);
  /// The addresses of freed memory beyond `most` bytes, the oldest first, which may be used again.
  std::vector<std::uint64_t> release(std::uint64_t most);
  /// All memory of the program is gone.
  void reset();

  // What a kernel does.
  /// An access of the lanes in `mask`, before it takes place. `at`: the memory of each lane.
  void access(Context&, const MicroOp&, isa::Space, const Lanes64& addresses, unsigned bytes, std::uint32_t mask,
              std::byte* const* at);
  /// A warp arrives at a barrier of its block; `waits`: it goes on when the barrier is complete.
  void arrives(const Block&, std::uint32_t warp, std::uint8_t barrier, bool waits);
  void complete(const Block&, std::uint8_t barrier);
  void finished(const Block&);

  /// What was found since the last call.
  std::vector<Finding> take();

 private:
  static inline MemoryCheck* active_ = nullptr;

  struct Piece {
    std::uint64_t address = 0, bytes = 0, number = 0;
    bool freed = false;
    std::vector<bool> written = {};
  };
  Piece* find(std::uint64_t address);
  void global(Context&, const MicroOp&, const Lanes64& addresses, unsigned bytes, std::uint32_t mask, bool reads,
              bool writes);
  void shared(Context&, const MicroOp&, const Lanes64& addresses, unsigned bytes, std::uint32_t mask, Touch touch,
              std::byte* const* at);
  void tell(const char* kind, const Context&, const MicroOp&, int lane, std::uint64_t address, std::uint32_t other,
            const std::string& detail);
  SharedHistory& history(const Context&);

  std::map<std::uint64_t, Piece> pieces_;  ///< by address
  Piece* last_ = nullptr;
  std::uint64_t allocations_ = 0, kept_ = 0;
  std::vector<std::uint64_t> oldest_;  ///< freed pieces that are kept
  std::map<const Block*, SharedHistory> blocks_;
  std::set<std::tuple<std::string_view, std::string, std::uint32_t, std::uint32_t>> told_;
  std::vector<Finding> found_;
};

}  // namespace sassim::emu
