// SPDX-License-Identifier: Apache-2.0
// The next steps of a warp: a few steps of the trace that are fetched and decoded, and one more, from which fetch knows
// where to continue. Of a live warp nobody knows the path ahead: what follows in the code is fetched, and what an
// instruction does is known when it issues.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "arch/sm/fetch/full_warps.h"
#include "sim/base/types.h"
#include "sim/trace/kernel.h"
#include "sim/trace/live.h"

namespace sassim::arch {

class InstructionBuffer {
 public:
  static constexpr std::uint32_t kCapacity = 8;  ///< entries, including the one that is only looked ahead at

  struct Entry {
    std::uint32_t index = 0;  ///< into the static code
    LaneMask active, lanes;
    bool nobody = false;  ///< the trace has no active thread here: `active` is the mask of the previous step
    Cycle ready;          ///< when fetched: decoded from this cycle on
    isa::Space space = isa::Space::none;
    bool has_addresses = false;
    bool executed = false;  ///< of a live warp: all of the above is known
    bool has_detail = false;
  };

  /// `leave_out`: instructions of which some executions are left out (FullWarps); empty: none of any.
  void start(trace::Cursor cursor, const std::vector<bool>& leave_out) {
    cursor_ = std::move(cursor);
    full_warps_.reset();
    if (!leave_out.empty()) {
      full_warps_ = std::make_unique<FullWarps>();
      full_warps_->start(leave_out);
    }
    head_ = known_ = fetched_ = 0;
    active_ = LaneMask::all();
    program_ = nullptr;
    look_ahead();
  }
  /// The same for a warp that is executed as its instructions issue, of a kernel with so many.
  void start(trace::WarpProgram& program, std::uint32_t code_size);
  void stop() {
    cursor_ = {};
    program_ = nullptr;
  }

  bool live() const { return program_ != nullptr; }
  /// Executes the front.
  void execute(Cycle now);
  /// The access to global memory that the front has begun, or nullptr.
  trace::LiveAccess* access() const { return access_; }
  enum class Path : std::uint8_t { follows, elsewhere, unknown, ended };
  /// Once the front has issued and pop() was called: where the warp goes on. `active`: the front's mask. `branches`:
  /// the threads behind it are others if the mask is another. What was fetched and is not on the path is gone.
  Path go_on(LaneMask active, bool branches);
  /// go_on() has to be called again, and nothing can issue.
  bool path_unknown() const { return path_unknown_; }
  void forget_path() { path_unknown_ = true; }

  bool finished() const { return known_ == 0; }
  std::uint32_t fetched() const { return fetched_; }
  /// The next instruction of the warp, fetched or not. Only when not finished().
  const Entry& front() const { return entries_[head_]; }
  const trace::LaneAddresses& front_addresses() const { return addresses_[head_]; }
  /// What the trace says of the front beside its addresses.
  const trace::Detail& front_detail() const { return front().has_detail ? (*details_)[head_] : kNoDetail; }
  /// What follows the front; nullptr at the end of the stream or when it has not been looked at.
  const Entry* second() const {
    if (live()) return following();
    return known_ > 1 ? &entries_[(head_ + 1) % kCapacity] : nullptr;
  }

  /// The step that fetch brings next, or nullptr at the end of the stream.
  const Entry* to_fetch() const { return fetched_ < known_ ? &entries_[(head_ + fetched_) % kCapacity] : nullptr; }
  /// The step of to_fetch() has been fetched and is decoded at `ready`. True when the next step follows it in the code.
  bool fetch(Cycle ready) {
    Entry& entry = entries_[(head_ + fetched_) % kCapacity];
    entry.ready = ready;
    ++fetched_;
    if (fetched_ == known_) live() ? look_behind() : look_ahead();
    return fetched_ == known_ || to_fetch()->index == entry.index + 1;
  }
  void pop() {
    head_ = (head_ + 1) % kCapacity;
    --known_;
    --fetched_;
  }

 private:
  void look_ahead();
  bool next_step(trace::Step& step);
  void look_behind();
  const Entry* following() const;
  void keep_detail(std::uint32_t slot, const trace::Detail& detail);

  static const trace::Detail kNoDetail;
  std::array<Entry, kCapacity> entries_;
  std::array<trace::LaneAddresses, kCapacity> addresses_;
  std::unique_ptr<std::array<trace::Detail, kCapacity>> details_;  ///< made for the first step that has one
  trace::Cursor cursor_;
  std::unique_ptr<FullWarps> full_warps_;  ///< nullptr: every step of the trace is executed
  LaneMask active_ = LaneMask::all();      ///< of the last step looked at that had any
  std::uint32_t head_ = 0, known_ = 0, fetched_ = 0;

  trace::WarpProgram* program_ = nullptr;
  trace::LiveAccess* access_ = nullptr;
  std::uint32_t code_size_ = 0;
  bool path_unknown_ = false;
  mutable Entry following_;
};

}  // namespace sassim::arch
