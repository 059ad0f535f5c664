// SPDX-License-Identifier: Apache-2.0
// Names the kinds of mixes, and gives shares and latencies of their instructions to all analytic models.
#include "sim/model/hardware.h"

#include <array>
#include <cmath>

#include "sim/base/error.h"

namespace sassim::model {

namespace {
constexpr std::array<std::string_view, 3> kKinds{"mem", "sfu", "smem"};
}

std::string_view mix_kind_name(MixKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

MixKind mix_kind(std::string_view name) {
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (kKinds[i] == name) return static_cast<MixKind>(i);
  throw InputError("unknown mix '{}'; known: {}", name, fmt::join(kKinds, ", "));
}

double Mix::arithmetic_share() const { return std::isinf(alpha) ? 1 : alpha / (alpha + 1); }
double Mix::other_share() const { return 1 / (alpha + 1); }

const Instructions& HardwareParameters::other(MixKind kind) const {
  return kind == MixKind::mem ? mem : kind == MixKind::sfu ? sfu : smem;
}

double HardwareParameters::other_latency(const Mix& mix) const {
  const double before_add = mix.kind == MixKind::sfu ? sfu_before_add : mix.kind == MixKind::smem ? smem_before_add : 0;
  return before_add > 0 && mix.alpha > 0 ? before_add : other(mix.kind).latency;
}

}  // namespace sassim::model
