// SPDX-License-Identifier: Apache-2.0
// Compiled microbenchmarks in validation/programs/prepared, for machines without CUDA.
#pragma once

#include <string>

namespace sassim::validate {

struct Prepared {
  std::string programs;  ///< folder with the executables
  std::string listings;  ///< folder with their disassembly, for SASSIM_LISTINGS
};

/// Unpacks `data`/prepared into the user's cache folder ($XDG_CACHE_HOME or ~/.cache), once per version of the
/// archives. Throws InputError when the archives are missing, damaged or older than their sources.
Prepared unpack_prepared(const std::string& data);

}  // namespace sassim::validate
