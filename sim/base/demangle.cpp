// SPDX-License-Identifier: Apache-2.0
#include "sim/base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <string_view>

namespace sassim {

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  char* plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 ? plain : name;
  std::free(plain);
  return result;
}

std::string without_parameters(std::string demangled) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at = demangled.find(kAnonymous); at != std::string::npos; at = demangled.find(kAnonymous))
    demangled.erase(at, kAnonymous.size());
  int depth = 0;  // of template arguments, which may have parentheses of their own
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    if (demangled[i] == '<') ++depth;
    if (demangled[i] == '>') --depth;
    if (demangled[i] == '(' && depth == 0) return demangled.substr(0, i);
  }
  return demangled;
}

}  // namespace sassim
