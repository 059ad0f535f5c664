// SPDX-License-Identifier: Apache-2.0
// Writes a bundle, part by part.
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <stdexcept>

#include "sim/base/error.h"
#include "sim/bundle/archive.h"
#include "sim/bundle/archive_format.h"

namespace sassim::bundle {

namespace {

constexpr int kLevel = 5;
constexpr std::size_t kPiece = 65536;

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

std::size_t checked(std::size_t result) {
  if (ZSTD_isError(result)) throw std::runtime_error(fmt::format("zstd: {}", ZSTD_getErrorName(result)));
  return result;
}

/// Compresses `content` as one frame with a checksum.
std::string compressed(std::string_view content) {
  const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel));
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1));
  std::string stored(ZSTD_compressBound(content.size()), '\0');
  stored.resize(checked(ZSTD_compress2(context.get(), stored.data(), stored.size(), content.data(), content.size())));
  return stored;
}

/// Calls `take` with each piece of a file.
template <class Take>
void read_pieces(const std::filesystem::path& path, Take take) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError("{}: cannot be read", path.string());
  std::vector<char> piece(kPiece);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0)
    take(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
  if (file.bad()) throw InputError("{}: cannot be read to its end", path.string());
}

void octal(char* field, std::size_t digits, std::uint64_t value) {
  for (std::size_t i = digits; i-- > 0; value >>= 3) field[i] = static_cast<char>('0' + (value & 7));
}

}  // namespace

struct HashState {
  XXH64_state_t xxh;
};

RunningHash::RunningHash() : state_(new HashState) { XXH64_reset(&state_->xxh, 0); }
RunningHash::~RunningHash() = default;
void RunningHash::add(std::string_view bytes) { XXH64_update(&state_->xxh, bytes.data(), bytes.size()); }
std::uint64_t RunningHash::value() const { return XXH64_digest(&state_->xxh); }

TarHeader tar_header(std::string_view name, std::uint64_t bytes) {
  // Fields and their first bytes in POSIX.1-1988 ustar: name 0, mode 100, uid 108, gid 116, size 124, mtime 136, chksum
  // 148, typeflag 156, magic 257, version 263.
  TarHeader header{};
  std::memcpy(header.data(), name.data(), std::min<std::size_t>(name.size(), 99));
  octal(&header[100], 7, 0644);
  octal(&header[108], 7, 0);
  octal(&header[116], 7, 0);
  octal(&header[124], 11, bytes);
  octal(&header[136], 11, 0);
  header[156] = '0';
  std::memcpy(&header[257], "ustar\00000", 8);
  std::memset(&header[148], ' ', 8);
  std::uint64_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  octal(&header[148], 6, sum);
  header[154] = '\0';
  return header;
}

Part measure(std::string name, const std::filesystem::path& file) {
  Part part{std::move(name)};
  RunningHash hash;
  read_pieces(file, [&](std::string_view piece) {
    part.bytes += piece.size();
    hash.add(piece);
  });
  part.hash = hash.value();
  if (part.bytes > kLargestPart)
    throw InputError("{}: has {} bytes; a bundle takes files of less than 8 GiB: cut the trace (sassim trace slice)",
                     file.string(), part.bytes);
  return part;
}

ArchiveWriter::ArchiveWriter(const std::filesystem::path& path) : file_(path) {}

void ArchiveWriter::add(const std::string& name, std::string_view text) {
  begin(name, text.size());
  put(text);
  pad(padding_of(text.size()));
}

void ArchiveWriter::add_file(const Part& part, const std::filesystem::path& file) {
  begin(part.name, part.bytes);
  RunningHash hash;
  std::uint64_t bytes = 0;
  read_pieces(file, [&](std::string_view piece) {
    bytes += piece.size();
    hash.add(piece);
    put(piece);
  });
  if (bytes != part.bytes || hash.value() != part.hash)
    throw InputError("{}: has changed while it was simulated; run the same command again", file.string());
  pad(padding_of(bytes));
}

void ArchiveWriter::finish() {
  end_frame();
  pad(2 * kTarBlock);
  end_frame();
  if (content_ > most_content(stored_))
    throw InputError("{}: the traces compress {} times, which a bundle does not allow; is a trace damaged?",
                     file_.path().string(), content_ / stored_);
  char sum[kSumFrame];
  store(sum, kSkippable);
  store(sum + 4, kSumBytes);
  store(sum + 8, hash_.value());
  file_.write({sum, sizeof sum});
  file_.commit();
}

void ArchiveWriter::begin(const std::string& name, std::uint64_t bytes) {
  end_frame();
  const TarHeader header = tar_header(name, bytes);
  put({header.data(), header.size()});
}

void ArchiveWriter::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), kFrame - frame_.size());
    frame_ += bytes.substr(0, count);
    bytes.remove_prefix(count);
    if (frame_.size() == kFrame) end_frame();
  }
}

void ArchiveWriter::pad(std::uint64_t bytes) { put(std::string(bytes, '\0')); }

void ArchiveWriter::end_frame() {
  if (frame_.empty()) return;
  const std::string stored = compressed(frame_);
  content_ += frame_.size();
  stored_ += stored.size();
  frame_.clear();
  hash_.add(stored);
  file_.write(stored);
}

}  // namespace sassim::bundle
