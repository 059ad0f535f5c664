// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sassim {

/// `_Z5saxpyf` as `saxpy(float)`; a name that is not mangled stays.
std::string demangled(const std::string& name);

}  // namespace sassim
