// SPDX-License-Identifier: Apache-2.0
// What a step says beside its masks and addresses: operands that decide the time of barriers, warp synchronisation,
// sleeps and copies, and that no encoding tells.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/types.h"
#include "sim/isa/instruction.h"

namespace sassim::trace {

/// The numbers are those of the file format.
enum class DetailKind : std::uint8_t {
  none,
  block_barrier,     ///< BAR whose barrier or count of threads is in a register
  sync_masks,        ///< WARPSYNC on a register: how many different masks its threads have
  match_values,      ///< MATCH.ANY: how many different values its threads have
  sleep,             ///< NANOSLEEP: nanoseconds, the longest of its threads
  copy_shift,        ///< LDGSTS.BYPASS of 16 bytes: by how many 16 bytes the destination is shifted, modulo 16
  barrier_init,      ///< SYNCS.EXCH: arrivals that each phase of the new barrier expects
  barrier_arrivals,  ///< SYNCS.ARRIVE with a count in a register: that count
  phase_test,        ///< SYNCS.PHASECHK: which phase it asked for, and whether that was over
  count_
};

/// The kind that an instruction's steps may have.
DetailKind detail_kind(const isa::Instruction& instruction);
/// For messages: "phase test".
std::string_view detail_name(DetailKind kind);
/// Kinds that say something of each lane, beside its address; others say one thing and have no addresses.
constexpr bool of_lanes(DetailKind kind) { return kind >= DetailKind::copy_shift; }
/// The largest value that a file may hold.
std::uint32_t largest_value(DetailKind kind);

struct BlockBarrier {
  static constexpr std::uint32_t kMostThreads = 0xfff;
  std::uint32_t number = 0;
  std::uint32_t threads = 0;  ///< that complete it; 0: the whole block
};

struct PhaseTest {
  bool phase = false;  ///< which phase of two in turn
  bool over = false;   ///< when it was recorded
};

/// One small number for each of 32 lanes.
class CopyShifts {
 public:
  std::uint32_t operator[](std::size_t lane) const { return bits_[lane / kPerWord] >> lane % kPerWord * 4 & 15; }
  void set(std::size_t lane, std::uint32_t shift) {
    std::uint64_t& word = bits_[lane / kPerWord];
    const std::size_t at = lane % kPerWord * 4;
    word = (word & ~(std::uint64_t{15} << at)) | std::uint64_t{shift & 15} << at;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(bits_);
  }

 private:
  static constexpr std::size_t kPerWord = 16;
  std::array<std::uint64_t, 2> bits_{};
};

class Detail {
 public:
  using Lanes = std::array<std::uint32_t, kWarpSize>;

  Detail() = default;
  Detail(const Detail& o) { *this = o; }
  Detail& operator=(const Detail& o) {
    kind_ = o.kind_;
    each_ = o.each_;
    value_ = o.value_;
    threads_ = o.threads_;
    if (each_) lanes_ = o.lanes_;
    return *this;
  }

  DetailKind kind() const { return kind_; }
  bool none() const { return kind_ == DetailKind::none; }
  void clear() { kind_ = DetailKind::none; }

  /// One value, of all lanes. Not for block barriers.
  void set(DetailKind kind, std::uint32_t value) {
    kind_ = kind;
    each_ = false;
    value_ = value;
  }
  void set(BlockBarrier barrier) {
    set(DetailKind::block_barrier, barrier.number);
    threads_ = barrier.threads;
  }
  /// A value for each lane, for the caller to fill.
  Lanes& set_lanes(DetailKind kind) {
    kind_ = kind;
    each_ = true;
    return lanes_;
  }

  // What it says; nothing where the trace does not say it.
  std::optional<BlockBarrier> block_barrier() const {
    return kind_ == DetailKind::block_barrier ? std::optional(BlockBarrier{value_, threads_}) : std::nullopt;
  }
  std::optional<std::uint32_t> sync_masks() const { return value_of(DetailKind::sync_masks, 0); }
  std::optional<std::uint32_t> match_values() const { return value_of(DetailKind::match_values, 0); }
  std::optional<std::uint32_t> sleep() const { return value_of(DetailKind::sleep, 0); }
  std::optional<std::uint32_t> expected_arrivals(int lane) const { return value_of(DetailKind::barrier_init, lane); }
  std::optional<std::uint32_t> arrivals(int lane) const { return value_of(DetailKind::barrier_arrivals, lane); }
  std::optional<PhaseTest> phase_test(int lane) const {
    const auto bits = value_of(DetailKind::phase_test, lane);
    return bits ? std::optional(PhaseTest{(*bits & kPhase) != 0, (*bits & kOver) != 0}) : std::nullopt;
  }
  /// No shift where the trace does not say it.
  CopyShifts copy_shifts(LaneMask lanes) const;

  static constexpr std::uint32_t phase_bits(PhaseTest test) {
    return (test.over ? kOver : 0) | (test.phase ? kPhase : 0);
  }
  /// As the file has it, of one lane.
  std::uint32_t raw(int lane) const { return each_ ? lanes_[static_cast<std::size_t>(lane)] : value_; }
  /// The same for all these lanes.
  bool uniform(LaneMask lanes) const;
  /// Says the same of these lanes.
  bool same(const Detail& other, LaneMask lanes) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(kind_, each_, value_, threads_);
    if (each_) archive(lanes_);
  }

 private:
  static constexpr std::uint32_t kOver = 1, kPhase = 2;
  std::optional<std::uint32_t> value_of(DetailKind kind, int lane) const {
    return kind_ == kind ? std::optional(raw(lane)) : std::nullopt;
  }

  DetailKind kind_ = DetailKind::none;
  bool each_ = false;  ///< a value for each lane
  std::uint32_t value_ = 0;
  std::uint32_t threads_ = 0;  ///< of a block barrier
  Lanes lanes_;                ///< set only if each_
};

/// For people: "barrier 3 of 64 threads", or what each lane says where they differ.
std::string detail_text(const Detail& detail, LaneMask lanes);

}  // namespace sassim::trace
