// SPDX-License-Identifier: Apache-2.0
// Chooses the machine code of a fat binary for a GPU, or has ptxas compile its PTX.
#include "sim/emu/core/machine_code.h"

#include "sim/isa/ptx.h"

namespace sassim::emu {

std::vector<std::uint8_t> machine_code(std::span<const FatImage> images, int sm, const std::string& place) {
  if (const FatImage* image = choose_image(images, sm)) return image->bytes;
  const FatImage* newest = nullptr;
  for (const FatImage& image : images)
    if (image.kind == ImageKind::ptx && image.sm <= sm && (!newest || image.sm > newest->sm)) newest = &image;
  if (!newest || isa::find_ptxas().empty()) return {};
  return isa::compile_ptx({reinterpret_cast<const char*>(newest->bytes.data()), newest->bytes.size()}, sm, place);
}

}  // namespace sassim::emu
