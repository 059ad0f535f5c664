// SPDX-License-Identifier: Apache-2.0
// Huang et al. (2014) against sections 7.5 to 7.8 of Volkov's dissertation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/model/throughput_model.h"

namespace sassim::model {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double ipc(const char* model, const HardwareParameters& gpu, const Mix& mix, double warps) {
  return make_model(model)->predict(gpu, mix, warps);
}
Mix loads_and(double alpha) { return {alpha, MixKind::mem, 1}; }

// Section 7.5: at full occupancy 48/513 IPC, or 252 GB/s, on Fermi with alpha 0; 341 adds per cycle on Maxwell with
// adds alone. Neither can be.
TEST(HuangRoundRobin, HasNoThroughputLimit) {
  const HardwareParameters& fermi = published_gpu("fermi");
  EXPECT_NEAR(memory_gbs(fermi, loads_and(0), ipc("huang-rr", fermi, loads_and(0), 48)), 252, 0.5);
  const HardwareParameters& maxwell = published_gpu("maxwell");
  EXPECT_NEAR(32 * ipc("huang-rr", maxwell, loads_and(kInfinite), 64), 341, 0.5);
}

// Section 7.5 quotes 115 adds per cycle at full occupancy on Kepler with alpha 32, for Huang's model and his own. That
// is 32 lanes times all instructions; by his own formula (32 alpha n / (mem_lat + alpha alu_lat)) the adds alone are
// 111.3.
TEST(HuangRoundRobin, AgreesWithVolkovWhereNothingSaturates) {
  const HardwareParameters& gpu = published_gpu("kepler");
  const double both = ipc("huang-rr", gpu, loads_and(32), 64);
  EXPECT_NEAR(32 * both, 115, 0.5);
  EXPECT_NEAR(adds_per_cycle(loads_and(32), both), 32 * 32 * 64 / (301.0 + 32 * 9), 1e-9);
  EXPECT_DOUBLE_EQ(both, ipc("volkov", gpu, loads_and(32), 64));
  EXPECT_DOUBLE_EQ(both, ipc("huang-gto", gpu, loads_and(32), 64));  // section 7.6: no difference between the policies
}

// Section 7.6: IPC = n / max(lat, (n - 1)(1 - 1 / lat) + 1) in both limits; with many warps of adds the issue rate is
// exceeded by 20 % on Maxwell and by 4 % with the paper's arithmetic latency of 25.
TEST(HuangGreedy, ExceedsTheIssueRate) {
  HardwareParameters gpu = published_gpu("maxwell");
  for (double n : {4.0, 20.0, 64.0}) {
    const double per_scheduler = n / 4;
    EXPECT_NEAR(ipc("huang-gto", gpu, loads_and(kInfinite), n),
                4 * per_scheduler / std::max(6.0, (per_scheduler - 1) * (1 - 1 / 6.0) + 1), 1e-9);
    EXPECT_NEAR(ipc("huang-gto", gpu, loads_and(0), n), n / 368, 1e-9);
  }
  EXPECT_NEAR(ipc("huang-gto", gpu, loads_and(kInfinite), 1e6) / gpu.issue_rate, 1.20, 0.001);
  gpu.alu.latency = 25;
  EXPECT_NEAR(ipc("huang-gto", gpu, loads_and(kInfinite), 1e6) / gpu.issue_rate, 1.04, 0.002);
}

/// The synthetic processor of Huang et al., Table I: 16 cores at 1 GHz, 192 GB/s, 300 cycles.
HardwareParameters synthetic() {
  HardwareParameters gpu;
  gpu.sms = 16;
  gpu.clock_ghz = 1;
  gpu.issue_rate = 1;
  gpu.pin_gbs = 192;
  gpu.mem = {300, 1};
  gpu.alu = {25, 1};
  return gpu;
}

// Section 7.7: with 29 warps of loads, Bandwidth_delay is about -11 and CPI about -0.7; singular at 28.1 warps.
TEST(HuangBandwidth, GoesNegativeOnThePapersOwnProcessor) {
  const HardwareParameters gpu = synthetic();
  const double cpi = 1 / ipc("huang-rr-bw", gpu, loads_and(0), 29);
  EXPECT_NEAR(cpi - 300.0 / 29, -11, 0.5);
  EXPECT_NEAR(cpi, -0.7, 0.05);
  EXPECT_GT(ipc("huang-rr-bw", gpu, loads_and(0), 28.1), 0);
  EXPECT_LT(1 / ipc("huang-rr-bw", gpu, loads_and(0), 28.2), 0);
}

// Section 7.7: on Fermi with alpha 32 and 34 warps about -12 adds per cycle and SM, with both policies.
TEST(HuangBandwidth, GoesNegativeOnFermi) {
  const HardwareParameters& gpu = published_gpu("fermi");
  for (const char* model : {"huang-rr-bw", "huang-gto-bw"})
    EXPECT_NEAR(adds_per_cycle(loads_and(32), ipc(model, gpu, loads_and(32), 34)), -12, 0.5) << model;
}

// Section 7.8: stride-2 loads on Fermi with 17 warps: Bandwidth_delay about -120, CPI about -89, for both policies.
TEST(HuangBandwidth, GoesNegativeWithStrideTwo) {
  const HardwareParameters& gpu = published_gpu("fermi");
  const Mix stride_two{0, MixKind::mem, 2};
  for (const char* model : {"huang-rr-bw", "huang-gto-bw"}) {
    const double cpi = 1 / ipc(model, gpu, stride_two, 17);
    EXPECT_NEAR(cpi, -89, 0.5) << model;
    EXPECT_NEAR(cpi - 513.0 / 17, -120, 0.5) << model;
  }
}

}  // namespace
}  // namespace sassim::model
