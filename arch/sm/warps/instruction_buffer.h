// SPDX-License-Identifier: Apache-2.0
// The instruction buffer of a warp, with its next steps: a few that are fetched and decoded, and one more, which tells
// fetch where to continue. The path of a live warp is not known ahead: fetch continues in the order of the code, and
// the effects of an instruction are known when it issues.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/warps/full_warps.h"
#include "sim/base/types.h"
#include "sim/trace/kernel.h"
#include "sim/trace/live.h"

namespace sassim::arch {

class InstructionBuffer {
 public:
  static constexpr std::uint32_t kCapacity = 8;  ///< entries, including the one that is not fetched

  struct Entry {
    CodeLine index;  ///< of the static code
    LaneMask active, lanes;
    bool nobody = false;  ///< the trace has no active thread here: `active` is taken from the previous step
    Cycle ready;          ///< once fetched: the cycle from which it is decoded
    isa::Space space = isa::Space::none;
    bool has_addresses = false;
    bool executed = false;  ///< for a live warp: all of the above is known
    bool has_detail = false;
  };

  /// `leave_out`: instructions of which some executions are left out (FullWarps); empty: none of any. `first_line`: of
  /// the warp's launch in the static code.
  void start(trace::Cursor cursor, const std::vector<bool>& leave_out, CodeLine first_line = {}) {
    cursor_ = std::move(cursor);
    first_line_ = first_line;
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
  /// start() for a live warp; its kernel has `code_size` instructions.
  void start(trace::WarpProgram& program, std::uint32_t code_size, Cycle now);
  void stop() {
    cursor_ = {};
    program_ = nullptr;
  }

  CodeLine first_line() const { return first_line_; }
  bool live() const { return program_ != nullptr; }
  /// Executes the front entry.
  void execute(Cycle now);
  /// The access to global memory that the front entry has started, or nullptr.
  trace::LiveAccess* access() const { return access_; }
  enum class Path : std::uint8_t { follows, elsewhere, unknown, ended };
  /// After the front entry has issued and pop() was called: finds where the warp continues, and drops fetched steps off
  /// that path. `active`: the mask of the issued entry. `branches`: if the mask changes, other threads of the warp
  /// continue.
  Path go_on(LaneMask active, bool branches, Cycle now);
  /// True if nothing can issue until go_on() has been called again.
  bool path_unknown() const { return path_unknown_; }
  /// While the path is unknown: when the first of the warp's sleeping threads wakes; kNever: none of them sleeps.
  Cycle wakes() const { return wakes_; }
  /// The threads of the front entry, which has been executed, sleep.
  void sleep(Cycle wakes) { program_->sleep(wakes); }
  /// Nothing issues until go_on() has been called: which threads continue is not known yet.
  void await_path() {
    path_unknown_ = true;
    wakes_ = kNever;
  }

  bool finished() const { return known_ == 0; }
  std::uint32_t fetched() const { return fetched_; }
  /// The next instruction of the warp, fetched or not. Requires !finished().
  const Entry& front() const { return entries_[head_]; }
  /// The addresses of the front entry, which has some: 0 for lanes that take no part.
  void front_addresses(trace::LaneAddresses::Array& out) const {
    const trace::PackedAddresses& packed = addresses_[head_];
    if (packed.form == trace::PackedAddresses::Form::unpacked)
      (*unpacked_)[head_].expand(front().lanes, out);
    else
      cursor_.expand(packed, front().lanes, out);
  }
  std::uint64_t front_address(int lane) const;
  /// What the trace says about the front entry beside its addresses.
  const trace::Detail& front_detail() const { return front().has_detail ? (*details_)[head_] : kNoDetail; }
  /// The entry behind the front; nullptr at the end of the stream, or if it has not been read yet.
  const Entry* second() const {
    if (live()) return following();
    return known_ > 1 ? &entries_[(head_ + 1) % kCapacity] : nullptr;
  }

  /// The step that is fetched next, or nullptr at the end of the stream.
  const Entry* to_fetch() const { return fetched_ < known_ ? &entries_[(head_ + fetched_) % kCapacity] : nullptr; }
  /// The step of to_fetch() has been fetched and is decoded at `ready`. True if the next step follows it in the code.
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

  template <class Archive>
  void state(Archive& archive) {
    // attach() sets the stream of the cursor, the program, and which instructions full_warps_ may leave out. The first
    // line is 0: launches that run side by side have no checkpoints.
    archive(entries_, addresses_, unpacked_, details_, cursor_, full_warps_, active_, head_, known_, fetched_,
            code_size_, path_unknown_, wakes_, now_);
  }
  /// After loading: where the steps come from, of a warp that is resident.
  void attach(const trace::WarpStream& stream, const std::vector<bool>& leave_out) {
    cursor_.attach(stream);
    if (full_warps_) full_warps_->attach(leave_out);
  }
  void attach(trace::WarpProgram& program) { program_ = &program; }

 private:
  void look_ahead();
  bool next_step(trace::Step& step, trace::PackedAddresses& addresses);
  void look_behind();
  const Entry* following() const;
  void keep_unpacked(std::uint32_t slot, const trace::LaneAddresses& addresses);
  void keep_detail(std::uint32_t slot, const trace::Detail& detail);

  static const trace::Detail kNoDetail;
  std::array<Entry, kCapacity> entries_;
  std::array<trace::PackedAddresses, kCapacity> addresses_;
  /// Allocated for the first step whose addresses are not in its stream.
  std::unique_ptr<std::array<trace::LaneAddresses, kCapacity>> unpacked_;
  std::unique_ptr<std::array<trace::Detail, kCapacity>> details_;  ///< allocated for the first step that has a detail
  trace::Cursor cursor_;
  std::unique_ptr<FullWarps> full_warps_;  ///< nullptr: every step of the trace is executed
  LaneMask active_ = LaneMask::all();      ///< the active mask of the last step that had one
  std::uint32_t head_ = 0, known_ = 0, fetched_ = 0;

  trace::WarpProgram* program_ = nullptr;
  trace::LiveAccess* access_ = nullptr;
  std::uint32_t code_size_ = 0;
  CodeLine first_line_;
  bool path_unknown_ = false;
  Cycle wakes_ = kNever, now_;  ///< now_: when the program was last asked
  mutable Entry following_;
};

}  // namespace sassim::arch
