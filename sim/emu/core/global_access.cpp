// SPDX-License-Identifier: Apache-2.0
// Holds the accesses of live warps (executed while they are timed) from their issue until the memory has done them.
#include "sim/emu/core/global_access.h"

#include <algorithm>

namespace sassim::emu {

void GlobalAccess::perform(LaneMask which) {
  for_lanes(which.bits, [&](int lane) { perform_lane(*this, lane); });
}

void GlobalAccess::done() {
  if (finish != nullptr) finish(*this);
  pool->give_back(*this);
}

GlobalAccess& AccessPool::take(trace::LiveAccess::Kind kind, Context& c, const MicroOp& op, const Lanes64& addresses,
                               std::uint32_t mask) {
  if (free_.empty()) free_.push_back(&all_.emplace_back());
  GlobalAccess& access = *free_.back();
  free_.pop_back();
  access.kind = kind;
  access.bytes = op.size;
  access.lanes = access.left = LaneMask(c.global);
  std::copy(std::begin(addresses.v), std::end(addresses.v), access.addresses.begin());
  access.known = {};
  access.op = &op;
  access.warp = &c.warp;
  access.mask = mask;
  access.perform_lane = nullptr;
  access.finish = nullptr;
  access.begin_piece = nullptr;
  access.takers = nullptr;
  access.pool = this;
  begun_ = &access;
  return access;
}

}  // namespace sassim::emu
