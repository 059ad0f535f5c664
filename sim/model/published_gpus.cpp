// SPDX-License-Identifier: Apache-2.0
// The parameters of the analytic models for the five GPUs of Volkov's dissertation, from its tables.
#include <array>

#include "sim/base/error.h"
#include "sim/model/hardware.h"

namespace sassim::model {

namespace {

/// One column of the dissertation's tables, in its units.
struct Row {
  const char* name;
  const char* board;
  double sms, schedulers;                      // Table 2.6
  double clock_ghz, pin_gbs;                   // Table 2.7
  double max_warps;                            // Table 2.8
  double issue_rate;                           // Table 4.1, issue_thru
  double add_ops, sfu_ops, smem_ops;           // Table 6.1, ops per cycle and scheduler
  double add_lat, sfu_lat, smem_lat, mem_lat;  // Table 6.2
  double sfu_before_add, smem_before_add;      // section 4.7
  double peak_gbs;                             // Table 6.4
  Contention contention;                       // Table 6.5
};

constexpr std::array<Row, 5> kRows{{
    {"g80", "GeForce 8800GTX", 16, 1, 1.350, 86.4, 24, 0.5, 8, 2, 6, 20, 32, 38, 444, 0, 0, 74, {453, 61, 81}},
    {"gt200", "GeForce GTX280", 30, 1, 1.296, 141.7, 32, 0.5, 8, 2, 8, 24, 34, 40, 434, 0, 0, 138, {438, 17, 140}},
    {"fermi", "GeForce GTX480", 15, 2, 1.400, 177.4, 48, 1, 16, 2, 8, 18, 22, 26, 513, 0, 0, 161, {501, 41, 170}},
    {"kepler", "GeForce GTX680", 8, 4, 1.124, 192.3, 64, 4, 32, 8, 8, 9, 9, 24, 301, 0, 0, 154, {300, 32, 170}},
    {"maxwell", "GeForce GTX980", 16, 4, 1.266, 224.0, 64, 4, 32, 8, 8, 6, 13, 24, 368, 9, 22, 211, {372, 22, 221}},
}};

HardwareParameters parameters(const Row& row) {
  const double ipc_per_op = row.schedulers / 32;  // 32 ops are one instruction
  HardwareParameters gpu;
  gpu.name = row.name;
  gpu.source = std::string(row.board) + ", Volkov 2016, Tables 2.6 to 2.8, 4.1, 6.1, 6.2, 6.4, 6.5";
  gpu.sms = row.sms;
  gpu.clock_ghz = row.clock_ghz;
  gpu.max_warps = row.max_warps;
  gpu.schedulers = row.schedulers;
  gpu.issue_rate = row.issue_rate;
  gpu.pin_gbs = row.pin_gbs;
  gpu.alu = {row.add_lat, row.add_ops * ipc_per_op};
  gpu.sfu = {row.sfu_lat, row.sfu_ops * ipc_per_op};
  gpu.smem = {row.smem_lat, row.smem_ops * ipc_per_op};
  gpu.mem = {row.mem_lat, row.peak_gbs / gpu.gbs_per_ipc()};
  gpu.sfu_before_add = row.sfu_before_add;
  gpu.smem_before_add = row.smem_before_add;
  gpu.contention = row.contention;
  return gpu;
}

}  // namespace

std::span<const HardwareParameters> published_gpus() {
  static const std::array<HardwareParameters, kRows.size()> all = [] {
    std::array<HardwareParameters, kRows.size()> gpus;
    for (std::size_t i = 0; i < kRows.size(); ++i) gpus[i] = parameters(kRows[i]);
    return gpus;
  }();
  return all;
}

const HardwareParameters& published_gpu(std::string_view name) {
  std::string known;
  for (const HardwareParameters& gpu : published_gpus()) {
    if (gpu.name == name) return gpu;
    known += (known.empty() ? "" : ", ") + gpu.name;
  }
  throw InputError("no published parameters for GPU '{}'; known: {}", name, known);
}

}  // namespace sassim::model
