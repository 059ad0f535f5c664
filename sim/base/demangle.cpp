// SPDX-License-Identifier: Apache-2.0
// Turns mangled kernel names into C++ text by libiberty, within a limit of length.
#include "sim/base/demangle.h"

#define HAVE_DECL_BASENAME 1  // libiberty declares it otherwise, in another way than glibc
#include <libiberty/demangle.h>

#include <csetjmp>
#include <cstddef>
#include <string_view>

namespace sassim {

namespace {

/// A mangled name may refer to its own parts: 200 bytes of it can stand for gigabytes. A longer text stays mangled.
constexpr std::size_t kLongest = 1 << 16;

struct Output {
  std::string text;
  std::jmp_buf too_long;
};

/// Gets the text part by part. C code is between it and demangled(), so it neither throws nor allocates.
void take(const char* part, std::size_t size, void* to) {
  Output& output = *static_cast<Output*>(to);
  if (size > kLongest - output.text.size()) std::longjmp(output.too_long, 1);
  output.text.append(part, size);
}

bool demangle(const std::string& name, Output& output) {
  output.text.reserve(kLongest);
  if (setjmp(output.too_long) != 0) return false;
  return cplus_demangle_v3_callback(name.c_str(), DMGL_PARAMS | DMGL_TYPES, take, &output) != 0;
}

}  // namespace

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  Output output;
  return demangle(name, output) ? std::string(output.text) : name;
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
