// SPDX-License-Identifier: Apache-2.0
// The scoreboard of a warp: dependences by register name, for traces without control bits. Tracks results in flight,
// and source registers of variable-latency instructions that have not been read yet.
#pragma once

#include <array>
#include <cstdint>

#include "arch/sm/code/static_code.h"
#include "sim/base/types.h"

namespace sassim::arch {

class Scoreboard {
 public:
  enum class Block : std::uint8_t { none, fixed, short_latency, long_latency };
  struct Answer {
    Block block = Block::none;
    Cycle until;  ///< when the answer may change; kNever: after an event only
  };

  void reset() { names_.fill(Name{}); }

  Answer check(const ScoreboardUse& use, Cycle now) const {
    Answer answer;
    for (std::uint16_t n : use.reads) {
      const Name& name = names_[n];
      look(answer, name.ready == kNever ? kNever : name.ready + use.waits_for(n, name.source), name, now);
    }
    for (std::uint16_t n : use.writes) {
      look(answer, names_[n].ready, names_[n], now);
      if (names_[n].readers != 0) look(answer, kNever, names_[n], now);
    }
    return answer;
  }

  /// Results are ready at `ready`; kNever: when written() is called. Sources are read at issue, or when read() is
  /// called if `reads_later`.
  void issue(const ScoreboardUse& use, Cycle ready, bool reads_later, bool long_latency) {
    for (std::uint16_t n : use.writes) {
      names_[n].ready = ready;
      names_[n].long_latency = long_latency;
      names_[n].source = use.source;
    }
    if (reads_later)
      for (std::uint16_t n : use.reads) ++names_[n].readers;
  }
  void written(const ScoreboardUse& use, Cycle now) {
    for (std::uint16_t n : use.writes) names_[n].ready = now;
  }
  void read(const ScoreboardUse& use) {
    for (std::uint16_t n : use.reads) --names_[n].readers;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(names_);
  }

 private:
  struct Name {
    Cycle ready;
    std::uint16_t readers = 0;
    bool long_latency = false;
    ScoreboardUse::Source source{};
  };
  static void look(Answer& answer, Cycle ready, const Name& name, Cycle now) {
    if (ready <= now || ready < answer.until || answer.block == Block::long_latency) return;
    answer.until = ready;
    answer.block = ready != kNever ? Block::fixed : name.long_latency ? Block::long_latency : Block::short_latency;
  }

  std::array<Name, ScoreboardUse::kNames> names_{};
};

}  // namespace sassim::arch
