// SPDX-License-Identifier: Apache-2.0
// What the analytic models know of a GPU, and the instruction mix that they are asked about.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sassim::config {
struct GpuConfig;
}

namespace sassim::model {

/// Which instruction is mixed with adds: a streaming 32-bit load, MUFU.RSQ, or a conflict-free LDS.
enum class MixKind { mem, sfu, smem };
std::string_view mix_kind_name(MixKind kind);
/// Throws InputError that lists the names.
MixKind mix_kind(std::string_view name);

/// `alpha` dependent adds after each other instruction, all back-to-back dependent, repeated (Volkov, section 4.1).
/// May be infinite: adds alone.
struct Mix {
  double alpha = 0;
  MixKind kind = MixKind::mem;
  double transactions = 1;  ///< 128-byte transactions per load: 1 coalesced, 2 with stride 2

  double arithmetic_share() const;  ///< of the instructions
  double other_share() const;
};

/// One kind of instruction on one SM.
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
  double issue_rate = 0;  ///< instructions per cycle and SM; single issue
  double pin_gbs = 0;     ///< memory pin bandwidth, GB/s
  Instructions alu, mem, sfu, smem;
  double sfu_before_add = 0, smem_before_add = 0;  ///< latency when an add consumes the result; 0: as otherwise
  std::optional<Contention> contention;

  const Instructions& other(MixKind kind) const;
  /// Latency of the mix's other instruction, as its first consumer sees it.
  double other_latency(const Mix& mix) const;
  /// GB/s of the whole GPU that correspond to one 128-byte access per cycle and SM.
  double gbs_per_ipc() const { return 128 * sms * clock_ghz; }
};

/// The five GPUs of Volkov's dissertation, "Understanding Latency Hiding on GPUs" (UC Berkeley, 2016).
std::span<const HardwareParameters> published_gpus();
/// "g80", "gt200", "fermi", "kepler" or "maxwell"; throws InputError that lists them.
const HardwareParameters& published_gpu(std::string_view name);

/// What a configuration implies before anything is simulated. Latencies are sums of the unloaded path's; memory
/// throughput is pin bandwidth less refresh; nothing is known of contention.
HardwareParameters from_config(const config::GpuConfig& config);

}  // namespace sassim::model
