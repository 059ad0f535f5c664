// SPDX-License-Identifier: Apache-2.0
// Configuration of the DRAM channels. fields_dram.cpp says what each member means.
#pragma once

#include <cstdint>
#include <string>

namespace sassim::config {

struct DramConfig {
  std::string model = "ddr";
  std::string type = "hbm2";
  std::uint32_t channels = 32, pseudo_channels = 2, bank_groups = 4, banks_per_group = 4;
  std::uint32_t bus_bits = 64;
  std::uint32_t burst = 4;
  std::uint32_t beats_per_clock = 2;
  std::uint32_t latency = 60;
  std::uint32_t fixed_latency = 200;
  std::string scheduler = "fr_fcfs";
  std::string row_policy = "open";
  std::uint32_t queue = 64;
  std::uint32_t write_queue = 64;
  std::uint32_t write_high = 48, write_low = 16;
  std::uint32_t write_stay = 0;
  std::uint32_t starvation_limit = 1000;
  std::string ecc = "none";
  std::uint64_t check_span = 0;
  std::string refresh = "all_bank";
  std::uint32_t tCL = 14, tRCD = 14, tRP = 14, tRAS = 34, tRC = 48, tWR = 16, tCCDS = 2, tCCDL = 2, tRRDS = 4,
                tRRDL = 6, tWTRS = 6, tWTRL = 8, tFAW = 30, tRTP = 6, tCWL = 4, tRFC = 260, tRFCpb = 100, tREFI = 3900,
                refresh_skew = 0;
  std::uint64_t row_bytes = 1024;
  std::string map = "row_bank_column";
};

}  // namespace sassim::config
