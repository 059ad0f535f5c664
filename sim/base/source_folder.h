// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sassim {

/// `name` in the source tree, for a program in its build folder; empty for an installed one.
std::string source_folder(std::string_view name);

}  // namespace sassim
