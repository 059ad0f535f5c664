// SPDX-License-Identifier: Apache-2.0
// Fat binaries: what nvcc packs into a host program, one image per architecture.
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

/// Unpacks a fat binary (the data behind a __fatBinC_Wrapper_t). `limit` bounds the whole of it where the size of the
/// memory behind `data` is known; the header's own size is used too. Throws InputError naming `place`.
std::vector<FatImage> unpack_fatbin(std::span<const std::uint8_t> data, const std::string& place);

/// The size that a fat binary's header claims, for data that comes without a length (header of 16 bytes included).
std::uint64_t fatbin_size(const std::uint8_t* header, const std::string& place);

/// The cubin that the driver would choose for sm_`sm`: same major version, highest minor that is not above. nullptr if
/// there is none.
const FatImage* choose_image(std::span<const FatImage> images, int sm);

/// "sm_70 cubin, sm_90 cubin, sm_90 PTX", for messages.
std::string list_images(std::span<const FatImage> images);

}  // namespace sassim::emu
