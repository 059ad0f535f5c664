// SPDX-License-Identifier: Apache-2.0
// Instruction fetch of one processing block: the L0 instruction cache with its stream buffer. Each cycle it serves one
// warp with room in its buffer, which the policy of the warp scheduler selects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "arch/cache/line_cache.h"
#include "arch/common/indices.h"
#include "arch/sm/warps/instruction_buffer.h"
#include "arch/sm/warps/warp_scheduler.h"
#include "sim/base/types.h"
#include "sim/config/groups/front_end.h"
#include "sim/isa/code_layout.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class InstructionCache;

/// Where the code of a launch lies.
struct CodePlace {
  std::uint64_t address = 0, bytes = 0;
  isa::CodeLayout layout;
};

class FrontEnd {
 public:
  FrontEnd(const config::FrontEnd& config, InstructionCache& l1, std::uint8_t block);

  void start_kernel(const CodePlace& code, bool keep_caches);
  /// The lines from `first_line` on belong to another launch.
  void add_launch(CodeLine first_line, const CodePlace& code);

  /// The warp's buffer has room, and a step follows: the fetch may start in this cycle.
  void want(WarpIndex warp) { wanted_ |= 1u << warp; }
  void withdraw(WarpIndex warp) { wanted_ &= ~(1u << warp); }
  /// The warp continues at another place, so it no longer waits for a line.
  void redirect(WarpIndex warp) {
    withdraw(warp);
    for (Miss& miss : misses_) miss.warps &= ~(1u << warp);
  }
  bool wants(WarpIndex warp) const { return in(wanted_, warp); }
  bool idle() const { return wanted_ == 0; }

  struct Fetched {
    WarpIndex warp{kMaxBlockWarps};  ///< kMaxBlockWarps: none
    Cycle ready;
  };
  /// Fetches for one of the warps that want it. On a miss the warp waits for fill().
  Fetched fetch(const WarpScheduler& scheduler, const ScheduleView& view, const std::vector<InstructionBuffer>& buffers,
                Cycle now);
  /// The same fetch also brought the following instruction.
  void fetched_next() { ++fetches_; }
  /// A line has left the L1; the path to the L0 carries one line at a time.
  void arrived(std::uint64_t line, Cycle now);
  /// Stores the lines that have arrived by `now`; warps that waited for them want a fetch again.
  void dequeue_fills(Cycle now) {
    for (; !fills_.empty() && fills_.front().at <= now; fills_.pop_front())
      fill(fills_.front().line, fills_.front().at);
  }
  Cycle next_fill() const { return fills_.empty() ? kNever : fills_.front().at; }

  void report(stats::CounterValues& values) const;

  /// The shared L0, if there is one, is the InstructionCache's.
  template <class Archive>
  void state(Archive& archive) {
    archive(own_, wanted_, last_line_, next_prefetch_, misses_, stream_, fills_, fill_free_, fetches_, l0_misses_,
            stream_hits_);
  }

 private:
  struct Miss {
    std::uint64_t line;
    WarpMask warps;
  };
  struct Prefetched {
    std::uint64_t line;
    bool arrived;
  };

  struct Fill {
    Cycle at;
    std::uint64_t line;
  };

  /// Code of a launch beside the first one.
  struct FurtherCode {
    CodeLine first_line;
    std::uint64_t address, last_code_line;
    isa::CodeLayout layout;
  };
  std::uint64_t address_of(CodeLine line);
  std::uint64_t last_line_of(const CodePlace& code) const {
    return l0_.line_of(code.address + std::max<std::uint64_t>(code.bytes, 1) - 1);
  }

  static constexpr std::uint64_t kNoLine = 1ull << 63;  ///< beyond all code

  void fill(std::uint64_t line, Cycle now);
  LineUse use(std::uint64_t line, Cycle now) const;
  void miss(std::uint64_t line, WarpIndex warp, Cycle now);
  bool serve_from_stream(std::uint64_t line, Cycle now);
  void extend_stream(Cycle now);
  void ask(std::uint64_t line, Cycle now);

  const config::FrontEnd config_;
  InstructionCache& l1_;
  std::uint8_t block_;
  LineCache own_;
  LineCache& l0_;
  WarpMask wanted_ = 0;
  std::uint64_t last_line_ = kNoLine;  ///< the address of the line of the last fetch
  std::uint64_t code_address_ = 0, own_last_code_line_ = 0;
  isa::CodeLayout layout_;
  std::vector<FurtherCode> further_;
  std::uint64_t last_code_line_ = 0;  ///< of the code that was fetched last: prefetching stops there
  std::uint64_t next_prefetch_ = 0;
  std::vector<Miss> misses_;
  std::vector<Prefetched> stream_;
  std::deque<Fill> fills_;
  Cycle fill_free_;
  std::uint64_t fetches_ = 0, l0_misses_ = 0, stream_hits_ = 0;
};

}  // namespace sassim::arch
