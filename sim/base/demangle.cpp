// SPDX-License-Identifier: Apache-2.0
#include "sim/base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>

namespace sassim {

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  char* plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 ? plain : name;
  std::free(plain);
  return result;
}

}  // namespace sassim
