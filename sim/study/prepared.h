// SPDX-License-Identifier: Apache-2.0
// Microbenchmarks kept ready to run in validation/prepared, for machines without CUDA.
#pragma once

#include <string>

namespace sassim::study {

struct Prepared {
  std::string programs;  ///< folder of executables
  std::string listings;  ///< folder of their disassembly, for SASSIM_LISTINGS
};

/// Unpacks `data`/prepared into the user's cache folder ($XDG_CACHE_HOME, ~/.cache), once for each version of the
/// archives. Throws InputError when they are missing, damaged, or older than the sources beside them.
Prepared unpack_prepared(const std::string& data);

}  // namespace sassim::study
