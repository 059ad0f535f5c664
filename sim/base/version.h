// SPDX-License-Identifier: Apache-2.0
// The version of this build.
#pragma once

namespace sassim {
inline constexpr const char* kVersion = SASSIM_VERSION;
}  // namespace sassim
