// SPDX-License-Identifier: Apache-2.0
// Unpacks .xz content in memory by liblzma, up to a limit of size.
#include "sim/base/xz.h"

#include <lzma.h>

#include <memory>

#include "sim/base/error.h"

namespace sassim {
namespace {

/// `xz -9` needs 65 MiB.
constexpr std::uint64_t kDecoderMemory = 128u << 20;

}  // namespace

std::string unpack_xz(std::string_view stored, std::uint64_t most, std::string_view name) {
  constexpr std::size_t kPart = 1 << 16;
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kDecoderMemory, LZMA_CONCATENATED) != LZMA_OK)
    throw std::runtime_error("liblzma cannot be started");
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end(&stream, &lzma_end);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(stored.data());
  stream.avail_in = stored.size();
  std::string content;
  for (lzma_ret result = LZMA_OK; result != LZMA_STREAM_END;) {
    const std::size_t filled = content.size();
    content.resize(filled + kPart);
    stream.next_out = reinterpret_cast<std::uint8_t*>(content.data()) + filled;
    stream.avail_out = kPart;
    result = lzma_code(&stream, LZMA_FINISH);
    content.resize(filled + kPart - stream.avail_out);
    if (result != LZMA_OK && result != LZMA_STREAM_END)
      throw InputError("{}: damaged or cut off after {} bytes (liblzma error {}); copy it again", name, stream.total_in,
                       static_cast<int>(result));
    if (content.size() > most)
      throw InputError("{}: its content is larger than {} bytes; name another file", name, most);
  }
  return content;
}

}  // namespace sassim
