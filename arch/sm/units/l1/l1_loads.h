// SPDX-License-Identifier: Apache-2.0
// Loads in the L1: which sectors are present, which are in flight, which must be requested, and the instructions that
// wait for them.
#pragma once

#include <cstdint>

#include "arch/sm/units/l1/data_return.h"
#include "arch/sm/units/l1/l1_core.h"
#include "arch/sm/units/l1/pending_requests.h"

namespace sassim::arch {

class L1Loads {
 public:
  L1Loads(L1Core& core, DataReturn& returns);

  /// One line of a load. False if there is no room for its requests: then nothing has changed.
  bool look_up(const L1Access& access, const LineAccess& line, Cycle now);
  /// Sectors have arrived.
  void arrive(const MemReply& reply, Cycle now);
  /// Lines in flight may be out of date: later loads do not use them.
  void invalidate() { pending_.part(); }

  std::uint32_t lines_in_flight() const { return pending_.in_use(); }
  bool full() const { return pending_.full(); }

  template <class Archive>
  void state(Archive& archive) {
    archive(pending_);
  }

 private:
  struct Missing {
    std::uint8_t all, fresh, again;  ///< sectors: not present; of these, not requested yet; requested once more
  };
  std::uint8_t present(const L1Access& access, const LineAccess& line) const;
  bool request(const L1Access& access, const LineAccess& line, Missing& missing, Cycle now);
  std::uint8_t repeated(const LineAccess& line, std::uint8_t in_flight, std::uint8_t fresh) const;
  std::uint32_t open(const L1Access& access, const LineAccess& line, bool fills);
  void wait_for(std::uint32_t entry, std::uint32_t op, std::uint8_t sectors);
  void ask(const L1Access& access, const LineAccess& line, std::uint32_t entry, std::uint8_t wanted, Cycle now);

  L1Core& core_;
  DataReturn& returns_;
  PendingRequests pending_;
  bool allocate_on_miss_;
};

}  // namespace sassim::arch
