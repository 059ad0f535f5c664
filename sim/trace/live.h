// SPDX-License-Identifier: Apache-2.0
// Live warps: those that are executed while they are timed, not replayed from a record. Through this interface the
// timing model asks what such a warp does next, issues its instruction, and performs its accesses to global memory when
// the memory gets them. sim/live implements it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/base/types.h"
#include "sim/trace/step.h"

namespace sassim::trace {

/// What an instruction of a live warp has begun and what takes place later. `load`, `store`, `atomic`: an access to
/// global memory. The L1 or the memory, whichever has the bytes, gives them to loads; stores and atomic operations take
/// place in memory, lane by lane, when perform() is called. `barrier`: an operation on barriers in shared memory (an
/// arrival for copies, when these are done; a check that waits for the end of a phase). `bulk`: a bulk copy, whose
/// pieces are loads. `shared`: an ATOMS.CAST.SPIN, which takes place when done() is called.
class LiveAccess {
 public:
  enum class Kind : std::uint8_t { load, store, atomic, barrier, bulk, shared };

  virtual ~LiveAccess() = default;
  /// Of stores and atomic operations; each lane once.
  virtual void perform(LaneMask lanes) = 0;
  /// Of a bulk copy: begins the load of piece `number`, which has up to 512 bytes; nullptr for others.
  virtual LiveAccess* piece(std::uint32_t /*number*/) { return nullptr; }
  /// The instruction has ended: writes results to their destinations. The access must not be used afterwards.
  virtual void done() = 0;

  Kind kind = Kind::load;
  std::uint8_t bytes = 4;   ///< of each lane, at most 16
  LaneMask lanes;           ///< that access global memory
  LaneMask left;            ///< of these, those that perform() has not been called for
  std::uint64_t order = 0;  ///< rises with every access of an SM
  std::array<std::uint64_t, kWarpSize> addresses{};
  std::array<std::array<std::byte, 16>, kWarpSize> values{};
  std::array<std::uint16_t, kWarpSize> known{};  ///< of loads: a bit for each byte of `values` that has been read
};

/// Global memory as the timing model reads it for loads.
class LiveMemory {
 public:
  virtual ~LiveMemory() = default;
  /// Bytes that nothing is mapped at are zero.
  virtual void read(std::uint64_t address, std::uint32_t bytes, std::byte* to) const = 0;
};

class WarpProgram {
 public:
  /// `waits`: it cannot go on before others of its block have done something.
  enum class State : std::uint8_t { ready, waits, ended };
  struct Next {
    State state = State::ended;
    std::uint32_t index = 0;  ///< into the code
    LaneMask active;
    Cycle wakes = kNever;  ///< waits: the first of its sleeping threads wakes; never: none of them sleeps
  };

  virtual ~WarpProgram() = default;
  /// Where the warp goes on at `now`.
  virtual Next next(Cycle now) = 0;
  /// The threads that issued last, NANOSLEEP, sleep until `wakes`; meanwhile other threads of the warp may go on.
  virtual void sleep(Cycle wakes) = 0;
  /// The instruction of next() issues at `now`. Returns the access to global memory that it begins, if it does.
  virtual LiveAccess* issue(Step& step, Cycle now) = 0;
};

/// A thread block whose warps are programs.
class BlockProgram {
 public:
  virtual ~BlockProgram() = default;
  /// The block has been given to this SM.
  virtual void place(SmId sm) = 0;
  virtual WarpProgram& warp(std::uint32_t index) = 0;
};

}  // namespace sassim::trace
