// SPDX-License-Identifier: Apache-2.0
#include "sim/base/replace_file.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "sim/base/error.h"

namespace sassim {

void replace_file(const std::string& path, std::string_view text) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  std::ofstream out(temporary, std::ios::binary);
  out << text;
  out.close();
  if (out && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  std::remove(temporary.c_str());
  throw InputError("{}: cannot be written (does its folder exist?)", path);
}

}  // namespace sassim
