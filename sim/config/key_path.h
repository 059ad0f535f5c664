// SPDX-License-Identifier: Apache-2.0
// Keys as users type them on the command line.
#pragma once

#include <string>
#include <string_view>

#include "sim/config/field.h"

namespace sassim::config {

/// The full path of `key`, which may be shortened from the left: `l2.size` is memory.l2.size.
///  1. A full path means itself.
///  2. Otherwise all paths that end in `key` are candidates. A single candidate is the result.
///  3. If there are several candidates and `key` has a dot, the result is the candidate with the fewest words, if
///     only one has so few: `l1.size` is sm.l1.size, not sm.front_end.l1.size.
/// A key that has been renamed, and whose old name fits no other key, means the new one.
/// In all other cases it throws InputError with a list of possible keys.
std::string resolve_key(const FieldList& list, std::string_view key);

}  // namespace sassim::config
