// SPDX-License-Identifier: Apache-2.0
// Configuration of the register file and the reuse cache. fields_front_end.cpp says what each member means.
#pragma once

#include <cstdint>

namespace sassim::config {

struct RegisterFile {
  std::uint32_t banks = 2;
  std::uint32_t read_ports = 1;
  std::uint32_t read_window = 3;
  bool reuse_cache = true;
  bool reuse_lost_on_switch = true;
  bool reuse_after_yield = true;
  struct {
    std::uint32_t delay = 0;
  } queued_reads;
};

}  // namespace sassim::config
