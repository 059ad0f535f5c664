// SPDX-License-Identifier: Apache-2.0
// Four analytic models of `sassim sweep` and `model`: GPUMech of Huang et al., MICRO 2014.
#include <algorithm>
#include <cmath>

#include "sim/model/throughput_model.h"

namespace sassim::model {

namespace {

enum class Policy { round_robin, greedy_then_oldest };

/// As Volkov evaluates it in sections 7.5 to 7.8 of his dissertation, with his corrections of equations 7, 15, 16, 21
/// and 22. A core of the model issues one instruction per cycle: on GPUs whose SM issues more, a core is a scheduler.
/// There are enough MSHRs for all transactions.
template <Policy policy, bool with_bandwidth>
class Huang : public ThroughputModel {
 public:
  std::string_view citation() const override {
    return "Huang et al., GPUMech: GPU Performance Modeling Technique Based on Interval Analysis, MICRO 2014";
  }
  std::string_view summary() const override {
    if constexpr (policy == Policy::round_robin)
      return with_bandwidth ? "intervals, round robin, queueing for memory" : "intervals, round robin";
    else
      return with_bandwidth ? "intervals, greedy then oldest, queueing for memory" : "intervals, greedy then oldest";
  }
  bool covers(const HardwareParameters&, const Mix& mix) const override { return mix.kind == MixKind::mem; }
  std::string_view domain() const override { return "loads"; }

  double predict(const HardwareParameters& gpu, const Mix& mix, double warps) const override {
    const double cores = std::max(1.0, std::round(gpu.issue_rate));  // per SM
    const double n = warps / cores;
    double cpi = multithreading_cpi(gpu, mix, n);
    if constexpr (with_bandwidth) cpi += mix.other_share() * bandwidth_delay(gpu, mix, n, cores * gpu.sms);
    return cores / cpi;
  }

 private:
  static double multithreading_cpi(const HardwareParameters& gpu, const Mix& mix, double n) {
    const double lone = lone_warp_cpi(gpu, mix);
    double blocked = 0;
    if constexpr (policy == Policy::greedy_then_oldest)
      blocked = mix.other_share() * non_overlapped(gpu.mem.latency, lone, n) +
                mix.arithmetic_share() * non_overlapped(gpu.alu.latency, lone, n);
    return (lone + blocked) / n;  // Eq. 7
  }

  /// Equations 14 to 16 for intervals of one instruction.
  static double non_overlapped(double latency, double lone, double n) {
    const double issue_probability = 1 / lone;  // Eq. 9
    const double stall = latency - 1;
    return std::max(0.0, std::min(issue_probability * stall, 1.0) * (n - 1) - stall);
  }

  /// Equations 21 to 23.
  static double bandwidth_delay(const HardwareParameters& gpu, const Mix& mix, double n, double cores) {
    const double requests = mix.transactions * n * cores;
    const double service = gpu.clock_ghz * 128 / gpu.pin_gbs;
    const double arrival = requests / gpu.mem.latency;
    const double utilization = arrival * service;
    return std::min(service * service * arrival / (2 * (1 - utilization)), service * requests / 2);
  }
};

const RegisteredModel<Huang<Policy::round_robin, false>> rr("huang-rr");
const RegisteredModel<Huang<Policy::greedy_then_oldest, false>> gto("huang-gto");
const RegisteredModel<Huang<Policy::round_robin, true>> rr_bandwidth("huang-rr-bw");
const RegisteredModel<Huang<Policy::greedy_then_oldest, true>> gto_bandwidth("huang-gto-bw");

}  // namespace

}  // namespace sassim::model
