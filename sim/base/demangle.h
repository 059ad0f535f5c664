// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sassim {

/// Turns `_Z5saxpyf` into `saxpy(float)`; leaves a name that is not mangled unchanged.
std::string demangled(const std::string& name);

/// `saxpy` of `saxpy(float)`, `void sum<(int)4>` of `void (anonymous namespace)::sum<(int)4>(int*)`.
std::string without_parameters(std::string demangled);

}  // namespace sassim
