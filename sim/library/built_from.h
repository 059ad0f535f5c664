// SPDX-License-Identifier: Apache-2.0
// Which source the library was built from, for results.
#pragma once

#include <string_view>

namespace sassim::library {

/// The commit of the source; empty: unknown.
std::string_view built_from();

}  // namespace sassim::library
