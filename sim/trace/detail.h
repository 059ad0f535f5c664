// SPDX-License-Identifier: Apache-2.0
// The detail of a step: values of operands that decide the time of barriers, warp synchronisation, sleeps and copies,
// and that are not in the encoding of the instruction.
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

/// The numbers are part of the file format.
enum class DetailKind : std::uint8_t {
  none,
  block_barrier,     ///< BAR with the barrier or the number of threads in a register
  sync_masks,        ///< WARPSYNC on a register: number of different masks among its threads
  match_values,      ///< MATCH.ANY: number of different values among its threads
  sleep,             ///< NANOSLEEP: the longest time of its threads, in nanoseconds
  copy_shift,        ///< LDGSTS.BYPASS of 16 bytes: shift of the destination in units of 16 bytes, modulo 16
  barrier_init,      ///< SYNCS.EXCH: arrivals that each phase of the new barrier expects
  barrier_arrivals,  ///< SYNCS.ARRIVE with the count in a register: the count
  phase_test,        ///< SYNCS.PHASECHK: the phase that it tested, and whether this phase was over
  barrier_bytes,     ///< SYNCS.ARRIVE that expects or completes transactions: how many bytes
  bulk_copy,         ///< UBLKCP: its size and its barrier
  count_
};

/// The kind of detail that steps of this instruction have.
DetailKind detail_kind(const isa::Instruction& instruction);
/// The name for messages, such as "phase test".
std::string_view detail_name(DetailKind kind);
/// True if each lane has a value beside its address; otherwise the step has one value and no addresses.
constexpr bool of_lanes(DetailKind kind) { return kind >= DetailKind::copy_shift; }
/// The largest value that a file may contain.
std::uint32_t largest_value(DetailKind kind);

struct BlockBarrier {
  static constexpr std::uint32_t kMostThreads = 0xfff;
  std::uint32_t number = 0;
  std::uint32_t threads = 0;  ///< threads that complete the barrier; 0: the whole block
};

struct PhaseTest {
  bool phase = false;  ///< which of two alternating phases
  bool over = false;   ///< whether it was over when the trace was recorded
};

struct BulkCopy {
  std::uint32_t units = 0;    ///< of 16 bytes
  std::uint32_t barrier = 0;  ///< address in shared memory of the barrier that waits for the bytes
  std::uint32_t bits() const { return units | barrier / 8 << 16; }
  static BulkCopy of(std::uint32_t bits) { return {bits & 0xffffu, bits >> 16 << 3}; }
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

  /// Sets one value for all lanes. Not for block barriers.
  void set(DetailKind kind, std::uint32_t value) {
    kind_ = kind;
    each_ = false;
    value_ = value;
  }
  void set(BlockBarrier barrier) {
    set(DetailKind::block_barrier, barrier.number);
    threads_ = barrier.threads;
  }
  /// Makes a value for each lane, which the caller must set.
  Lanes& set_lanes(DetailKind kind) {
    kind_ = kind;
    each_ = true;
    return lanes_;
  }

  // The value by its meaning; empty if the trace does not have it.
  std::optional<BlockBarrier> block_barrier() const {
    return kind_ == DetailKind::block_barrier ? std::optional(BlockBarrier{value_, threads_}) : std::nullopt;
  }
  std::optional<std::uint32_t> sync_masks() const { return value_of(DetailKind::sync_masks, 0); }
  std::optional<std::uint32_t> match_values() const { return value_of(DetailKind::match_values, 0); }
  std::optional<std::uint32_t> sleep() const { return value_of(DetailKind::sleep, 0); }
  std::optional<std::uint32_t> expected_arrivals(int lane) const { return value_of(DetailKind::barrier_init, lane); }
  std::optional<std::uint32_t> arrivals(int lane) const { return value_of(DetailKind::barrier_arrivals, lane); }
  std::optional<std::uint32_t> bytes(int lane) const { return value_of(DetailKind::barrier_bytes, lane); }
  std::optional<BulkCopy> bulk_copy(int lane) const {
    const auto bits = value_of(DetailKind::bulk_copy, lane);
    return bits ? std::optional(BulkCopy::of(*bits)) : std::nullopt;
  }
  std::optional<PhaseTest> phase_test(int lane) const {
    const auto bits = value_of(DetailKind::phase_test, lane);
    return bits ? std::optional(PhaseTest{(*bits & kPhase) != 0, (*bits & kOver) != 0}) : std::nullopt;
  }
  /// The shifts of these lanes; 0 if the trace does not have them.
  CopyShifts copy_shifts(LaneMask lanes) const;

  static constexpr std::uint32_t phase_bits(PhaseTest test) {
    return (test.over ? kOver : 0) | (test.phase ? kPhase : 0);
  }
  /// The value of one lane, as in the file.
  std::uint32_t raw(int lane) const { return each_ ? lanes_[static_cast<std::size_t>(lane)] : value_; }
  /// Whether all these lanes have the same value.
  bool uniform(LaneMask lanes) const;
  /// Whether both details have the same values in these lanes.
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
  bool each_ = false;  ///< true: each lane has its own value
  std::uint32_t value_ = 0;
  std::uint32_t threads_ = 0;  ///< of a block barrier
  Lanes lanes_;                ///< valid only if each_ is true
};

/// Text for people: "barrier 3 of 64 threads"; every lane's value if they differ.
std::string detail_text(const Detail& detail, LaneMask lanes);

}  // namespace sassim::trace
