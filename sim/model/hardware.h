// SPDX-License-Identifier: Apache-2.0
// The input of the analytic models: a GPU's parameters and an instruction mix. In this folder, "Volkov" and numbers of
// sections mean his dissertation, "Understanding Latency Hiding on GPUs" (UC Berkeley, 2016).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sassim::config {
struct GpuConfig;
}

namespace sassim::model {

/// The instruction that is mixed with adds: a streaming 32-bit load, MUFU.RSQ, or an LDS without conflicts.
enum class MixKind { mem, sfu, smem };
std::string_view mix_kind_name(MixKind kind);
/// Throws InputError that lists the names.
MixKind mix_kind(std::string_view name);

/// A repeated group of one instruction and `alpha` adds, in which each instruction depends on the one before (Volkov,
/// section 4.1). An infinite alpha means adds alone.
struct Mix {
  double alpha = 0;
  MixKind kind = MixKind::mem;
  double transactions = 1;  ///< 128-byte transactions per load: 1 coalesced, 2 with stride 2

  double arithmetic_share() const;  ///< of the instructions
  double other_share() const;
};

/// The latency and throughput of one kind of instruction on one SM.
struct Instructions {
  double latency = 0;     ///< register dependency latency, cycles
  double throughput = 0;  ///< instructions per cycle and SM
};

/// Mean memory latency = a + b * x / (c - x) at a throughput of x GB/s on the whole GPU (Volkov, section 6.4).
struct Contention {
  double a = 0, b = 0;  ///< cycles
  double c = 0;         ///< GB/s
};

struct HardwareParameters {
  std::string name;
  std::string source;
  double sms = 0;
  double clock_ghz = 0;
  double max_warps = 0;   ///< per SM
  double schedulers = 0;  ///< per SM
  double issue_rate = 0;  ///< instructions per cycle and SM, without dual issue
  double pin_gbs = 0;     ///< memory pin bandwidth, GB/s
  Instructions alu, mem, sfu, smem;
  double sfu_before_add = 0,
         smem_before_add = 0;  ///< latency if an add uses the result; 0: the same as for other instructions
  std::optional<Contention> contention;

  const Instructions& other(MixKind kind) const;
  /// Latency of the mix's other instruction for the first instruction that uses its result.
  double other_latency(const Mix& mix) const;
  /// The bandwidth of the whole GPU, in GB/s, if every SM makes one 128-byte access per cycle.
  double gbs_per_ipc() const { return 128 * sms * clock_ghz; }
};

/// The five GPUs of Volkov's dissertation.
std::span<const HardwareParameters> published_gpus();
/// "g80", "gt200", "fermi", "kepler" or "maxwell"; throws InputError that lists them.
const HardwareParameters& published_gpu(std::string_view name);

/// The parameters that follow from a configuration without simulation. Latencies are sums over the unloaded path,
/// memory throughput is pin bandwidth less refresh, and contention is unknown.
HardwareParameters from_config(const config::GpuConfig& config);

}  // namespace sassim::model
