// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

namespace sassim {

/// What the loader reads of the library.
struct Dynamic {
  std::set<std::string> wanted;                 ///< symbols that other libraries define
  std::map<std::string, std::string> exported;  ///< symbols of its own, with their versions
  std::set<std::string> libraries;              ///< DT_NEEDED
  bool stays = false;                           ///< dlclose() does not unload it
};

Dynamic read_library(const char* path = SASSIM_CUDART);

}  // namespace sassim
