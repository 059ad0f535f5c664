// SPDX-License-Identifier: Apache-2.0
// A file of the cache of compiled PTX, as it lies on the disk.
#include "sim/isa/ptx_cache.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "sim/base/error.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_kept_cubin(Bytes input) {
  ::setenv("SASSIM_PTX_CACHE", scratch_folder().c_str(), 1);
  const isa::KeptCubin file("text", 75, "/");
  write_file(file.path(), input);
  const auto cubin = file.read();
  if (!cubin) throw InputError("{}: the kept cubin is damaged", file.path());
  if (cubin->size() >= input.size() || !std::equal(cubin->begin(), cubin->end(), input.begin()))
    throw std::logic_error("the cache returned bytes that the file does not have");
}

const Register ptx_cache_parser("ptx_cache", read_kept_cubin);

}  // namespace
}  // namespace sassim::fuzz
