// SPDX-License-Identifier: Apache-2.0
// The models before Volkov's against chapter 7 of his dissertation. He quotes errors against measurements that are only
// drawn, not printed; here his refined model (section 6.5), which he finds within 1.1 to 1.2 of them, stands for the
// measurements, and each tolerance says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/model/throughput_model.h"

namespace sassim::model {
namespace {

constexpr double kAddsAlone = std::numeric_limits<double>::infinity();

double ipc(const char* model, const char* gpu, double alpha, double warps) {
  return make_model(model)->predict(published_gpu(gpu), {alpha, MixKind::mem, 1}, warps);
}
double adds(const char* model, const char* gpu, double alpha, double warps) {
  return adds_per_cycle({alpha, MixKind::mem, 1}, ipc(model, gpu, alpha, warps));
}

struct Range {
  double least = kAddsAlone, most = 0;
};

/// The model over the stand-in for measurements, at whole warps per scheduler, as his error ranges are made.
Range quotients(const char* model, const char* gpu, double alpha, const char* truth = "volkov-refined") {
  const HardwareParameters& hardware = published_gpu(gpu);
  Range range;
  for (double n = hardware.schedulers; n <= hardware.max_warps; n += hardware.schedulers) {
    const double quotient = ipc(model, gpu, alpha, n) / ipc(truth, gpu, alpha, n);
    range.least = std::min(range.least, quotient);
    range.most = std::max(range.most, quotient);
  }
  return range;
}

// Section 7.1: MWP = min(n, 12.4) and CWP = min(n, 4.3) on GT200 with alpha 32.
TEST(HongKim, FollowsSection71) {
  EXPECT_NEAR(ipc("hong-kim", "gt200", 0, 32) * 434, 12.4, 0.05);  // memory-bound: MWP accesses per latency
  for (double n : {1.0, 2.0, 4.0})
    EXPECT_DOUBLE_EQ(adds("hong-kim", "gt200", 32, n), 32 * n * 32 / (434 + 4 * 33)) << n;
  for (double n : {5.0, 12.0, 32.0})
    EXPECT_NEAR(adds("hong-kim", "gt200", 32, n), 32 * n * 32 / (4 * n * 33), 1e-9) << n;
}

// "overestimates throughput by a factor of up to 2.1, but only at small occupancies. At occupancy 10 warps and above,
// the model is highly accurate."
TEST(HongKim, IgnoresArithmeticLatency) {
  EXPECT_NEAR(quotients("hong-kim", "gt200", 32, "volkov").most, 2.1, 0.05);
  // It gives the load an add's time in the cores too: 32 adds of 33 instructions.
  EXPECT_NEAR(ipc("hong-kim", "gt200", 32, 10) / ipc("volkov", "gt200", 32, 10), 32 / 33.0, 1e-9);
  EXPECT_DOUBLE_EQ(ipc("hong-kim", "gt200", kAddsAlone, 1), 0.25);  // 4 CPI at all occupancies, 24 measured
}

// Section 7.2: warp latency max(37, x, 440 - (n - 2) x) with x = alpha max(4, 20 / n) + 4, and 1 / max(448 - 4 n, 37)
// for alpha = 0. The printed 37 cycles are 37.36 before rounding.
TEST(Baghsorkhi, FollowsSection72) {
  const double transfer = 1 / published_gpu("g80").mem.throughput;
  EXPECT_NEAR(transfer, 37, 0.5);
  for (const double alpha : {1.0, 8.0, 11.0, 32.0})
    for (double n = 1; n <= 24; ++n) {
      const double x = alpha * std::max(4.0, 20 / n) + 4;
      const double latency = std::max({transfer, x, 440 - (n - 2) * x});
      EXPECT_NEAR(adds("baghsorkhi", "g80", alpha, n), 32 * alpha / latency, 1e-9) << alpha << ", " << n;
    }
  for (double n = 1; n <= 24; ++n) EXPECT_NEAR(ipc("baghsorkhi", "g80", 0, n), 1 / (448 - 4 * n), 1e-12) << n;
}

// "over 100 warps per SM are needed to attain peak memory throughput"; "more than 8x smaller" at full occupancy.
TEST(Baghsorkhi, UnderestimatesLoadsAlone) {
  EXPECT_GT(*warps_needed(*make_model("baghsorkhi"), published_gpu("g80"), {0, MixKind::mem, 1}, 1, 200), 100);
  EXPECT_GT(ipc("volkov-refined", "g80", 0, 24) / ipc("baghsorkhi", "g80", 0, 24), 8);
}

// Sections 7.2 and 7.9: 1.710 too much at alpha 32; 7.6 too little at alpha 1 and 2.7 at alpha 8. Against the stand-in,
// within 10 %.
TEST(Baghsorkhi, HasTheQuotedWorstFactors) {
  EXPECT_NEAR(quotients("baghsorkhi", "g80", 32).most / 1.710, 1, 0.1);
  EXPECT_NEAR(1 / quotients("baghsorkhi", "g80", 1).least / 7.6, 1, 0.1);
  EXPECT_NEAR(1 / quotients("baghsorkhi", "g80", 8).least / 2.7, 1, 0.1);
}

// Sections 7.3 and 7.9: up to 1.9 too much on GT200 at alpha 16, and 1.9 to 2.0 on the newer GPUs (Figure 7.6: Fermi
// and Kepler alpha 32, Maxwell alpha 64). Its inputs are measured curves; the limits of Volkov's models stand for them.
TEST(ZhangOwens, AddsUpConcurrencyThatIsNotThere) {
  EXPECT_NEAR(quotients("zhang-owens", "gt200", 16).most / 1.9, 1, 0.05);
  EXPECT_NEAR(quotients("zhang-owens", "fermi", 32).most / 1.9, 1, 0.1);
  EXPECT_NEAR(quotients("zhang-owens", "kepler", 32).most / 2.0, 1, 0.1);
  EXPECT_NEAR(quotients("zhang-owens", "maxwell", 64).most / 1.9, 1, 0.1);
}

// "accurate at large occupancies" and, at alpha = 0 and infinity, everywhere.
TEST(ZhangOwens, IsRightInItsLimits) {
  EXPECT_NEAR(ipc("zhang-owens", "gt200", 16, 32) / ipc("volkov-refined", "gt200", 16, 32), 1, 0.01);
  for (double n : {1.0, 8.0, 32.0}) {
    EXPECT_NEAR(ipc("zhang-owens", "gt200", 0, n), ipc("volkov-refined", "gt200", 0, n), 1e-9);
    EXPECT_NEAR(ipc("zhang-owens", "gt200", kAddsAlone, n), ipc("volkov", "gt200", kAddsAlone, n), 1e-9);
  }
}

// Table 7.1: MWP_peak_bw. Loads alone that are memory-bound run at MWP_peak_bw accesses per latency and one compute
// time.
TEST(Sim2012, IsTable71) {
  const struct {
    const char* gpu;
    double alu_latency, alu_cpi, mem_latency, mwp_peak;
  } rows[] = {{"fermi", 18, 1, 513, 30.7}, {"kepler", 9, 0.25, 301, 40.3}, {"maxwell", 6, 0.25, 368, 29.9}};
  for (const auto& row : rows) {
    const HardwareParameters& gpu = published_gpu(row.gpu);
    EXPECT_EQ(gpu.alu.latency, row.alu_latency);
    EXPECT_EQ(1 / gpu.alu.throughput, row.alu_cpi);
    EXPECT_EQ(gpu.mem.latency, row.mem_latency);
    const double n = 48;  // beyond every MWP_peak_bw
    EXPECT_NEAR(ipc("sim", row.gpu, 0, n) * row.mem_latency, row.mwp_peak, 0.05) << row.gpu;
  }
}

// Section 7.4: "underestimates throughput if arithmetic intensity is low, such as by a factor of 2 at n = 2";
// section 7.9: "At occupancy 4 warps per SM the difference is already less: a factor of only 1.3."
TEST(Sim2012, UnderestimatesFewWarps) {
  EXPECT_NEAR(ipc("volkov", "fermi", 0, 2) / ipc("sim", "fermi", 0, 2), 2, 0.05);
  EXPECT_NEAR(ipc("volkov", "fermi", 1, 4) / ipc("sim", "fermi", 1, 4), 1.3, 0.05);
}

// Section 7.4: up to 1.8 too much on Fermi at alpha 32, 2.0 on Kepler, 1.9 on Maxwell; section 7.9: 1.25 at alpha 1.
TEST(Sim2012, HasTheQuotedWorstFactors) {
  EXPECT_NEAR(quotients("sim", "fermi", 32).most / 1.8, 1, 0.1);
  EXPECT_NEAR(quotients("sim", "kepler", 32).most / 2.0, 1, 0.1);
  EXPECT_NEAR(quotients("sim", "maxwell", 64).most / 1.9, 1, 0.1);
  EXPECT_NEAR(quotients("sim", "fermi", 1).most / 1.25, 1, 0.1);
}

// Section 7.9: the basic model's worst overestimate is 1.25 to 1.28 in the memory-intensive case, 1.34 on G80.
TEST(VolkovBasic, MissesGradualSaturationOnly) {
  for (const char* gpu : {"gt200", "fermi", "kepler", "maxwell"})
    EXPECT_NEAR(quotients("volkov", gpu, 1).most / 1.265, 1, 0.1) << gpu;
  EXPECT_NEAR(quotients("volkov", "g80", 1).most / 1.34, 1, 0.1);
}

// Section 7.10, Figure 7.14: the other models need no more warps in the middle than at one of the ends.
TEST(Cusp, OnlyVolkovsModelsHaveIt) {
  const auto rise = [](const char* name, const char* gpu) {
    const auto model = make_model(name);
    const auto needed = [&](double alpha) {
      return warps_needed(*model, published_gpu(gpu), {alpha, MixKind::mem, 1}, 0.9, 200).value_or(200);
    };
    int middle = 0;
    for (double alpha = 1; alpha <= 512; alpha *= std::sqrt(2)) middle = std::max(middle, needed(std::round(alpha)));
    return static_cast<double>(middle) / std::max(needed(0), needed(kAddsAlone));
  };
  for (const char* gpu : {"g80", "gt200", "fermi", "kepler", "maxwell"}) {
    EXPECT_GT(rise("volkov", gpu), 1.25) << gpu;
    EXPECT_GT(rise("volkov-refined", gpu), 1.2) << gpu;
  }
  EXPECT_LE(rise("baghsorkhi", "g80"), 1);
  EXPECT_LE(rise("zhang-owens", "gt200"), 1.05);
  EXPECT_LE(rise("sim", "fermi"), 1.1);  // "a subtle, insubstantial effect"
}

}  // namespace
}  // namespace sassim::model
