// SPDX-License-Identifier: Apache-2.0
// Machine code, and its text.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "sim/base/error.h"
#include "sim/isa/assembly.h"
#include "sim/isa/cubin.h"
#include "sim/isa/opcode.h"
#include "sim/isa/ptx_cache.h"
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

const Register cubin_parser("cubin", "An ELF file of ptxas, with the relocations that a loader applies",
                            read_cubin_file);

void read_kept_cubin(Bytes input) {
  ::setenv("SASSIM_PTX_CACHE", scratch_folder().c_str(), 1);
  const isa::KeptCubin file("text", 75, "/");
  write_file(file.path(), input);
  const auto cubin = file.read();
  if (!cubin) throw InputError("{}: the kept cubin is damaged", file.path());
  if (cubin->size() >= input.size() || !std::equal(cubin->begin(), cubin->end(), input.begin()))
    throw std::logic_error("the cache returned bytes that the file does not have");
}

const Register ptx_cache_parser("ptx_cache", "A file of the cache of compiled PTX, as it lies on the disk",
                                read_kept_cubin);

void read_sass_listing(Bytes input) {
  const isa::Disassembly listing = isa::parse_disassembly(text_of(input), "listing");
  for (const isa::Function& function : listing.functions)
    for (const isa::Instruction& instruction : function.code) isa::decode(instruction, listing.sm);
}

const Register sass_listing_parser("sass_listing", "What a disassembler prints", read_sass_listing);

void read_sass_assembly(Bytes input) {
  for (const isa::Instruction& instruction : isa::assemble(text_of(input))) {
    for (const int sm : {70, 90}) isa::decode(instruction, sm);
    if (isa::control_text(instruction.control).empty()) throw std::logic_error("control bits without a text");
  }
}

const Register sass_assembly_parser("sass_assembly", "Hand-written SASS", read_sass_assembly);

}  // namespace
}  // namespace sassim::fuzz
