// SPDX-License-Identifier: Apache-2.0
// Keys as people type them on the command line.
#pragma once

#include <string>
#include <string_view>

#include "sim/config/field.h"

namespace sassim::config {

/// The full path of `key`, which may be shortened from the left: `l2.size` is memory.l2.size.
///  1. A full path means itself.
///  2. Else the paths that end in `key` count. One: that is it.
///  3. Several, and `key` has a dot: the one with the fewest words, if it is the only such (`l1.size` is sm.l1.size,
///  not
///     sm.front_end.l1.size).
/// Otherwise throws InputError, which lists what `key` could be.
std::string resolve_key(const FieldList& list, std::string_view key);

}  // namespace sassim::config
