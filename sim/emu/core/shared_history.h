// SPDX-License-Identifier: Apache-2.0
// Finds races in a block's shared memory, for the memory check (memory_check.h). It knows which thread accessed each
// word last, and which accesses of other warps come before a warp's next one: those that a barrier, or an atomic
// operation on the same address, puts in order. Each warp has a clock that advances at these; it knows of each other
// warp the clock up to which it comes after (vector clocks).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace sassim::emu {

/// What an instruction does to a word. Synchronisation is an atomic operation that only orders.
enum class Touch : std::uint8_t { reads, writes, atomic, synchronises };

/// An access of some bytes of a word.
struct Toucher {
  std::uint32_t index = 0;  ///< of the instruction in the code
  std::uint32_t clock = 0;  ///< of its warp; 0: nobody
  std::uint16_t thread = 0;
  std::uint8_t bytes = 0;  ///< a bit each
  bool atomic = false;
  std::uint32_t warp() const { return thread / 32u; }
};

class SharedHistory {
 public:
  /// `written_below`: bytes at the beginning that count as written.
  SharedHistory(std::size_t warps, std::size_t bytes, std::uint32_t written_below);

  /// Of these bytes of a word: those that nobody has written.
  std::uint8_t unwritten(std::uint32_t word, std::uint8_t bytes) const { return bytes & ~words_[word].written; }
  /// Notes the access and returns an earlier one of another warp with which it races.
  std::optional<Toucher> touch(std::uint32_t word, std::uint8_t bytes, std::uint16_t thread, std::uint32_t index,
                               Touch touch, bool changes);
  /// The warp comes after all that did the same at this address, and before what will do it.
  void synchronise(std::uint32_t warp, std::uint64_t address);
  void arrives(std::uint32_t warp, std::uint8_t barrier, bool waits);
  void complete(std::uint8_t barrier);
  bool holds(std::uint32_t word) const { return word < words_.size(); }
  /// What is copied into shared memory without an instruction of a warp counts as written.
  void all_written();

 private:
  using Clocks = std::vector<std::uint32_t>;
  struct Word {
    Toucher write;
    std::array<Toucher, 2> reads;  ///< of different warps
    std::uint8_t written = 0;
  };
  struct Barrier {
    Clocks known;  ///< by those that have arrived
    std::vector<std::uint32_t> waiting;
  };
  static void join(Clocks& to, const Clocks& from);
  bool before(const Toucher& earlier, std::uint32_t warp) const {
    return earlier.clock == 0 || earlier.warp() == warp || earlier.clock <= clocks_[warp][earlier.warp()];
  }

  std::vector<Clocks> clocks_;
  std::vector<Word> words_;
  std::array<Barrier, 16> barriers_;
  std::map<std::uint64_t, Clocks> addresses_;
};

}  // namespace sassim::emu
