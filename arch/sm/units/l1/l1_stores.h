// SPDX-License-Identifier: Apache-2.0
// Stores and atomics in the L1: which data the L1 keeps, and the requests that go to the L2.
#pragma once

#include <cstdint>

#include "arch/sm/units/l1/data_return.h"
#include "arch/sm/units/l1/l1_core.h"
#include "arch/sm/units/l1/store_buffer.h"

namespace sassim::arch {

class L1Stores {
 public:
  /// Throws InputError for an unknown write policy.
  L1Stores(L1Core& core, DataReturn& returns);

  /// One line of a store, of an atomic or of a reduction. False if there is no room for its requests now.
  bool store(const L1Access& access, const LineAccess& line, Cycle now);
  bool change(const L1Access& access, const LineAccess& line, Cycle now);
  /// When the oldest line of the store buffer may leave: not before the tag stage has finished further stores, at
  /// `stores_come_until`.
  Cycle next_store(Cycle stores_come_until) const;
  void send_oldest(Cycle now) { core_.misses.add(buffer_.dequeue(), now); }
  /// The reply to a store has come.
  void acknowledge(const MemReply& reply, Cycle now);
  /// Between epochs: a request of live stores or atomics has reached the memory.
  void serve(const MemRequest& request);

  template <class Archive>
  void state(Archive& archive) {
    archive(buffer_);
  }

 private:
  void keep(const L1Access& access, const LineAccess& line, bool held, Cycle now);
  bool gather(const L1Access& access, const LineAccess& line, Cycle now);
  std::uint16_t operand_bytes(const L1Access& access, const LineAccess& line) const;
  void send(const LineAccess& line, const MemRequest& whole, std::uint32_t op, Cycle now);
  void serve(std::uint32_t op, const MemRequest& request, bool waves);

  L1Core& core_;
  DataReturn& returns_;
  StoreBuffer buffer_;
  bool write_allocate_;
};

}  // namespace sassim::arch
