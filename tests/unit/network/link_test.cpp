// SPDX-License-Identifier: Apache-2.0
// What messages take of a wire.
#include "arch/network/link.h"

#include <gtest/gtest.h>

namespace sassim::arch {
namespace {

TEST(PacketBytes, ByteMasksHaveAFlitOfTheirOwn) {
  config::CrossbarConfig config;
  config.flit = 32;
  config.header = 8;
  config.whole_store_header = false;
  const Packets h200(config);
  config.whole_store_header = true;
  const Packets others(config);
  MemRequest store{.kind = RequestKind::store, .sectors = 0b1111, .data_bytes = 128};
  EXPECT_EQ(h200.bytes(store), 4 * 32u);
  EXPECT_EQ(others.bytes(store), 5 * 32u);
  store.partial = 0b0001;
  EXPECT_EQ(h200.bytes(store), 5 * 32u);
  EXPECT_EQ(h200.bytes(MemRequest{.kind = RequestKind::reduction, .sectors = 1, .data_bytes = 4}), 32u);
  EXPECT_EQ(h200.bytes(MemRequest{.kind = RequestKind::reduction, .sectors = 1, .data_bytes = 32}), 2 * 32u);
  EXPECT_EQ(h200.bytes(MemRequest{.kind = RequestKind::load, .sectors = 15}), 32u);
}

}  // namespace
}  // namespace sassim::arch
