// SPDX-License-Identifier: Apache-2.0
// Fat binaries: the images for several architectures that nvcc packs into a host program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sassim::emu {

enum class ImageKind : std::uint8_t { ptx, cubin };

struct FatImage {
  ImageKind kind = ImageKind::cubin;
  int sm = 0;                       ///< 70 for sm_70
  std::vector<std::uint8_t> bytes;  ///< the cubin (ELF) or PTX text, decompressed
};

/// Unpacks a fat binary (the data behind a __fatBinC_Wrapper_t). `limit` is the size of the memory behind `data`, where
/// it is known; the size in the header limits the data too. Throws InputError that names `place`.
std::vector<FatImage> unpack_fatbin(std::span<const std::uint8_t> data, const std::string& place);

/// The size of a fat binary by its header, which is 16 bytes and counted, for data whose length is unknown.
std::uint64_t fatbin_size(const std::uint8_t* header, const std::string& place);

/// The cubin that the driver would choose for sm_`sm`: the same major version and the highest minor version up to it.
/// nullptr if there is none.
const FatImage* choose_image(std::span<const FatImage> images, int sm);

/// "sm_70 cubin, sm_90 cubin, sm_90 PTX", for messages.
std::string list_images(std::span<const FatImage> images);

/// The code for sm_`sm` in a fat binary: the cubin of choose_image(), or else what ptxas makes of the newest PTX that
/// is not newer than sm_`sm`, as the driver does. Empty if there is neither, or no ptxas. Throws InputError.
std::vector<std::uint8_t> machine_code(std::span<const FatImage> images, int sm, const std::string& place);

}  // namespace sassim::emu
