// SPDX-License-Identifier: Apache-2.0
// Programs.
#include "sim/emu/core/fatbin.h"

#include "sim/isa/cubin.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_fatbin(Bytes input) {
  const auto images = emu::unpack_fatbin(input, "program");
  emu::list_images(images);
  for (const int sm : {70, 75, 80, 86, 90})
    if (const emu::FatImage* image = emu::choose_image(images, sm)) isa::read_cubin(image->bytes, "program");
}

const Register fatbin_parser("fatbin", "What nvcc packs into a host program", read_fatbin);

}  // namespace
}  // namespace sassim::fuzz
