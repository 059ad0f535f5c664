// SPDX-License-Identifier: Apache-2.0
// An ELF file of ptxas, with the relocations that a loader applies.
#include "sim/isa/cubin.h"

#include <stdexcept>

#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_cubin_file(Bytes input) {
  isa::Cubin cubin = isa::read_cubin(input, "cubin");
  for (const isa::CubinKernel& kernel : cubin.kernels)
    if (cubin.find(kernel.name) == nullptr) throw std::logic_error("a kernel that cannot be found");
  for (isa::CubinSection& section : cubin.sections)
    for (const isa::CubinRelocation& relocation : section.relocations)
      isa::relocate(section.bytes, relocation, 0x7f0000001000);
}

const Register cubin_parser("cubin", read_cubin_file);

}  // namespace
}  // namespace sassim::fuzz
