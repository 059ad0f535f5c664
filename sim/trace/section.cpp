// SPDX-License-Identifier: Apache-2.0
// Compresses sections of .sast files by zstd with checksums, and writes and reads the index.
#include "sim/trace/section.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

#include "sim/base/error.h"
#include "sim/trace/block_codec.h"
#include "sim/trace/bytes.h"

namespace sassim::trace {
namespace {
constexpr int kCompressionLevel = 5;
/// Least bytes of an entry: block index, offset, two sizes and number of steps (one byte each at least), two checksums.
constexpr std::size_t kLeastBlockEntry = 5 + 4 + 8;
struct FreeContext {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
  void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
};

/// zstd returns a null pointer if there is no memory.
template <class Context>
Context* made(Context* context) {
  if (context == nullptr) throw std::bad_alloc();
  return context;
}

/// The contexts that no thread is using. They do not belong to threads, because a program that ends may run kernels in
/// the destructors of a thread's own variables, when those of this file may be gone.
template <class Context>
class Contexts {
 public:
  explicit Contexts(Context* (*make)()) : make_(make) {}
  /// Calls `work` with a context that no other thread uses meanwhile.
  template <class Work>
  auto with(Work work) {
    auto context = take();
    const auto result = work(context.get());
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(context));
    return result;
  }

 private:
  std::unique_ptr<Context, FreeContext> take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return std::unique_ptr<Context, FreeContext>(made(make_()));
    auto context = std::move(idle_.back());
    idle_.pop_back();
    return context;
  }

  Context* (*make_)();
  std::mutex mutex_;
  std::vector<std::unique_ptr<Context, FreeContext>> idle_;
};

Contexts<ZSTD_CCtx>& compressors() {
  static Contexts<ZSTD_CCtx> all(&ZSTD_createCCtx);
  return all;
}
Contexts<ZSTD_DCtx>& decompressors() {
  static Contexts<ZSTD_DCtx> all(&ZSTD_createDCtx);
  return all;
}

/// Throws std::bad_alloc if zstd could not get memory.
bool failed(std::size_t result) {
  if (ZSTD_isError(result) && ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  return ZSTD_isError(result) != 0;
}

/// One zstd frame.
std::vector<std::uint8_t> compressed(std::span<const std::uint8_t> content) {
  std::vector<std::uint8_t> stored(ZSTD_compressBound(content.size()));
  const std::size_t size = compressors().with([&](ZSTD_CCtx* context) {
    return ZSTD_compressCCtx(context, stored.data(), stored.size(), content.data(), content.size(), kCompressionLevel);
  });
  if (failed(size)) throw std::runtime_error(fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  stored.resize(size);
  return stored;
}

/// `next`: the offset of the section if it directly follows the previous one.
void write_section(ByteWriter& out, const Section& s, std::uint64_t next) {
  out.delta(s.offset - next);
  out.varint(s.stored);
  out.varint(s.raw);
  out.u32(s.stored_check);
  out.u64(s.hash);
}
Section read_section(ByteReader& in, std::uint64_t next) {
  Section s;
  s.offset = next + in.delta();
  s.stored = in.varint(std::uint64_t{1} << 48, "a section's size");
  s.raw = in.varint(largest_content(s.stored), "a section's size when decompressed");
  s.stored_check = in.u32();
  s.hash = in.u64();
  return s;
}

}  // namespace

std::vector<std::uint8_t> pack_section(std::span<const std::uint8_t> content, Section& section,
                                       Compression compression) {
  std::vector<std::uint8_t> stored;
  if (compression == Compression::zstd) stored = compressed(content);
  if (stored.empty() || stored.size() >= content.size() || content.size() > largest_content(stored.size()))
    stored.assign(content.begin(), content.end());
  section.raw = content.size();
  section.hash = TraceHash::of(content);
  section.stored = stored.size();
  section.stored_check = static_cast<std::uint32_t>(TraceHash::of(stored));
  return stored;
}

std::vector<std::uint8_t> unpack_section(std::span<const std::uint8_t> stored, const Section& section,
                                         std::string_view place) {
  auto damaged = [&](std::string_view what) {
    return InputError("{}, byte {}: {}; make the trace again or copy it again", place, section.offset, what);
  };
  if (static_cast<std::uint32_t>(TraceHash::of(stored)) != section.stored_check)
    throw damaged("a section's checksum does not match its bytes");
  std::vector<std::uint8_t> content;
  if (section.raw == section.stored) {
    content.assign(stored.begin(), stored.end());
  } else {
    if (section.raw > largest_content(section.stored)) throw damaged("a section announces too much content");
    if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != section.raw)
      throw damaged("a section's compressed data is not of the announced size");
    content.resize(static_cast<std::size_t>(section.raw));
    const std::size_t size = decompressors().with([&](ZSTD_DCtx* context) {
      return ZSTD_decompressDCtx(context, content.data(), content.size(), stored.data(), stored.size());
    });
    if (failed(size)) throw damaged(fmt::format("zstd: {}", ZSTD_getErrorName(size)));
    if (size != section.raw) throw damaged("a section decompressed to another size than announced");
  }
  if (TraceHash::of(content) != section.hash) throw damaged("a section's checksum does not match its content");
  return content;
}

std::uint64_t frame_checksum(std::span<const std::uint8_t> header, std::span<const std::uint8_t> index,
                             std::span<const std::uint8_t> footer) {
  ByteWriter all;
  for (const auto part : {header, index, footer}) all.bytes(part);
  return TraceHash::of(all.view());
}

void write_index(ByteWriter& out, const std::vector<KernelEntry>& kernels) {
  std::uint64_t next = kSastHeaderBytes;
  out.varint(kernels.size());
  for (const KernelEntry& kernel : kernels) {
    out.text(kernel.name);
    write_section(out, kernel.info, next);
    next = kernel.info.end();
    out.varint(kernel.blocks.size());
    std::uint64_t linear = 0;
    for (const KernelEntry::Block& block : kernel.blocks) {
      out.varint(block.linear - linear);
      out.varint(block.steps);
      write_section(out, block.section, next);
      linear = block.linear + 1;
      next = block.section.end();
    }
  }
}

std::vector<KernelEntry> read_index(ByteReader& in) {
  std::uint64_t next = kSastHeaderBytes;
  std::vector<KernelEntry> kernels(in.count("the number of kernels", 17));
  for (KernelEntry& kernel : kernels) {
    kernel.name = in.text();
    if (std::ranges::any_of(kernel.name, [](unsigned char c) { return c < ' '; }))
      in.fail("a kernel's name has control characters");
    kernel.info = read_section(in, next);
    next = kernel.info.end();
    kernel.blocks.resize(in.count("the number of blocks", kLeastBlockEntry));
    std::uint64_t linear = 0;
    for (KernelEntry::Block& block : kernel.blocks) {
      block.linear = linear + in.varint(std::uint64_t{1} << 62, "a block's index");
      if (block.linear > std::uint64_t{1} << 62) in.fail("a block's index is out of range");
      block.steps = in.varint();
      block.section = read_section(in, next);
      linear = block.linear + 1;
      next = block.section.end();
    }
  }
  in.expect_end();
  return kernels;
}

}  // namespace sassim::trace
