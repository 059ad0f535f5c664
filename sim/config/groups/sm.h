// SPDX-License-Identifier: Apache-2.0
// Configuration of an SM: all its groups. fields_sm.cpp says what each member means.
#pragma once

#include <cstdint>
#include <string>

#include "sim/config/groups/constant_caches.h"
#include "sim/config/groups/front_end.h"
#include "sim/config/groups/issue.h"
#include "sim/config/groups/l1.h"
#include "sim/config/groups/memory_io.h"
#include "sim/config/groups/occupancy.h"
#include "sim/config/groups/pipes.h"
#include "sim/config/groups/register_file.h"
#include "sim/config/groups/shared_memory.h"
#include "sim/config/groups/tlb.h"

namespace sassim::config {

struct Sm {
  std::uint32_t count = 80;
  std::uint32_t processing_blocks = 4;
  Occupancy occupancy;
  FrontEnd front_end;
  Issue issue;
  RegisterFile register_file;
  Pipes pipes;
  ConstantCaches constant;
  MemoryIo memory_io;
  SharedMemory shared;
  L1Config l1;
  TlbConfig tlb;
  std::string tlb_scope = "launch";
  TlbConfig gpc_tlb{0, 32u << 20, 0, 0};
  std::uint32_t virtual_config = 0x48406020;
};

}  // namespace sassim::config
