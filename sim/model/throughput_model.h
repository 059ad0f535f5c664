// SPDX-License-Identifier: Apache-2.0
// The interface of the analytic models, which predict the throughput of an SM from a GPU's parameters, the instruction
// mix and the number of warps (hardware.h). Each model is one file in models/ that registers itself.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/base/registry.h"
#include "sim/model/hardware.h"

namespace sassim::model {

class ThroughputModel {
 public:
  static constexpr const char* kKind = "model";
  virtual ~ThroughputModel() = default;

  virtual std::string_view citation() const = 0;
  /// What the model considers, in one line.
  virtual std::string_view summary() const = 0;
  /// Whether the model applies to this mix on this GPU.
  virtual bool covers(const HardwareParameters& gpu, const Mix& mix) const = 0;
  /// The mixes that it applies to, in words: "loads of one transaction each".
  virtual std::string_view domain() const { return "every mix"; }
  /// Instructions of the mix per cycle and SM with `warps` warps on each SM. The result may be negative or above what
  /// hardware can do; it is reported unchanged.
  virtual double predict(const HardwareParameters& gpu, const Mix& mix, double warps) const = 0;
};

using ModelRegistry = Registry<ThroughputModel>;
template <class Model>
using RegisteredModel = Registered<ThroughputModel, Model>;

/// Throws InputError that lists the known names.
std::unique_ptr<ThroughputModel> make_model(const std::string& name);
std::vector<std::string> model_names();

// The same throughput in another unit.
inline double adds_per_cycle(const Mix& mix, double ipc) { return 32 * mix.arithmetic_share() * ipc; }
inline double other_ipc(const Mix& mix, double ipc) { return mix.other_share() * ipc; }
inline double memory_gbs(const HardwareParameters& gpu, const Mix& mix, double ipc) {
  return other_ipc(mix, ipc) * gpu.gbs_per_ipc();
}

/// The lowest of the throughput limits of section 4.1, in instructions per cycle and SM, which many warps approach.
double throughput_limit(const HardwareParameters& gpu, const Mix& mix);
/// Cycles per instruction of one warp that runs alone.
double lone_warp_cpi(const HardwareParameters& gpu, const Mix& mix);

/// The smallest whole number of warps per SM, up to `at_most`, with at least `fraction` of throughput_limit. The cusp
/// plots of sections 4.5 and 7.10 show it over alpha.
std::optional<int> warps_needed(const ThroughputModel& model, const HardwareParameters& gpu, const Mix& mix,
                                double fraction, int at_most);

}  // namespace sassim::model
