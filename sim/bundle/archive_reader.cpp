// SPDX-License-Identifier: Apache-2.0
// Reads a bundle file by file; everything in it may be damaged or hostile.
#include <zstd.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/printable.h"
#include "sim/bundle/archive.h"
#include "sim/bundle/archive_format.h"

namespace sassim::bundle {

namespace {

constexpr std::size_t kInput = 65536;

}  // namespace

struct Decompressor {
  struct Free {
    void operator()(ZSTD_DCtx* freed) const { ZSTD_freeDCtx(freed); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context{ZSTD_createDCtx()};
  ZSTD_inBuffer in{nullptr, 0, 0};
  std::size_t hint = 0;  ///< 0: at the end of a frame
};

ArchiveReader::ArchiveReader(const std::filesystem::path& path)
    : path_(path.string()), part_("end"), decompressor_(new Decompressor), input_(kInput) {
  if (!decompressor_->context) throw std::bad_alloc();
  ZSTD_DCtx_setParameter(decompressor_->context.get(), ZSTD_d_windowLogMax, kWindowLog);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError("{}: {}", path_, std::filesystem::exists(path, error) ? "not a file" : "no such file");
  const std::uint64_t size = std::filesystem::file_size(path);
  file_.open(path, std::ios::binary);
  if (!file_) throw InputError("{}: cannot be read", path_);
  char first[4] = {}, sum[kSumFrame] = {};
  file_.read(first, sizeof first);
  if (load<std::uint32_t>(first) != ZSTD_MAGICNUMBER)
    throw InputError("{}, byte 0: not a bundle; 'sassim bundle' makes one", path_);
  stored_ = size < kSumFrame ? 0 : size - kSumFrame;
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(stored_));
  file_.read(sum, sizeof sum);
  taken_ = size;
  if (!file_ || load<std::uint32_t>(sum) != kSkippable || load<std::uint32_t>(sum + 4) != kSumBytes)
    damaged("the end of the bundle is missing: the file was cut off or changed");
  taken_ = 0;
  part_ = "bundle.json";
  sum_ = load<std::uint64_t>(sum + 8);
  limit_ = most_content(stored_);
  file_.seekg(0);
}

ArchiveReader::~ArchiveReader() = default;

void ArchiveReader::damaged(std::string_view what) const {
  const std::uint64_t byte = taken_ - (decompressor_->in.size - decompressor_->in.pos);
  throw InputError("{}, byte {}, part {}: {}; copy the bundle again, or make it again", path_, byte, printable(part_),
                   what);
}

bool ArchiveReader::refill() {
  if (stored_left() == 0) return false;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(stored_left(), input_.size()));
  if (!file_.read(input_.data(), static_cast<std::streamsize>(count))) damaged("the file cannot be read");
  taken_ += count;
  hash_.add({input_.data(), count});
  decompressor_->in = {input_.data(), count, 0};
  return true;
}

void ArchiveReader::read(char* to, std::size_t count) {
  content_ += count;
  if (content_ > limit_) damaged("its content is larger than a bundle of this size can have");
  ZSTD_outBuffer out{to, count, 0};
  ZSTD_inBuffer& in = decompressor_->in;
  while (out.pos < out.size) {
    const bool more = in.pos < in.size || refill();
    const std::size_t before = out.pos;
    decompressor_->hint = ZSTD_decompressStream(decompressor_->context.get(), &out, &in);
    if (ZSTD_isError(decompressor_->hint))
      damaged(fmt::format("the compressed data are damaged ({})", ZSTD_getErrorName(decompressor_->hint)));
    if (!more && out.pos == before) damaged("the data end too early");
  }
}

void ArchiveReader::skip_padding(std::uint64_t bytes) {
  std::string padding(bytes, '\0');
  read(padding.data(), padding.size());
  if (padding.find_first_not_of('\0') != std::string::npos) damaged("there is something between two parts");
}

std::string ArchiveReader::text(const std::string& name, std::uint64_t most) {
  part_ = name;
  TarHeader header{};
  read(header.data(), header.size());
  std::uint64_t bytes = 0;
  for (std::size_t i = 124; i < 135; ++i) bytes = bytes * 8 + (static_cast<unsigned char>(header[i] - '0') & 7u);
  if (header != tar_header(name, bytes)) damaged("its header is not what 'sassim bundle' writes");
  if (bytes > most) damaged(fmt::format("it has {} bytes, but at most {} are allowed", bytes, most));
  std::string content(bytes, '\0');
  read(content.data(), content.size());
  skip_padding(padding_of(bytes));
  return content;
}

void ArchiveReader::extract(const Part& part, const std::filesystem::path& to) {
  part_ = part.name;
  if (part.bytes > limit_ - content_) damaged("its content would be larger than a bundle of this size can have");
  TarHeader header{};
  read(header.data(), header.size());
  if (header != tar_header(part.name, part.bytes)) damaged("its header does not agree with bundle.json");
  DurableFile file(to, Sync::no);
  RunningHash hash;
  std::vector<char> piece(kInput);
  for (std::uint64_t left = part.bytes; left > 0;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece.size()));
    read(piece.data(), count);
    hash.add({piece.data(), count});
    file.write({piece.data(), count});
    left -= count;
  }
  skip_padding(padding_of(part.bytes));
  if (hash.value() != part.hash) damaged("the hash of its content differs from bundle.json");
  file.commit();
}

void ArchiveReader::expect_end() {
  part_ = "end";
  skip_padding(2 * kTarBlock);
  ZSTD_inBuffer& in = decompressor_->in;
  char next = 0;
  while (decompressor_->hint != 0 || in.pos < in.size || stored_left() != 0) {
    const bool more = in.pos < in.size || refill();
    ZSTD_outBuffer out{&next, 1, 0};
    decompressor_->hint = ZSTD_decompressStream(decompressor_->context.get(), &out, &in);
    if (ZSTD_isError(decompressor_->hint))
      damaged(fmt::format("the compressed data are damaged ({})", ZSTD_getErrorName(decompressor_->hint)));
    if (out.pos != 0) damaged("something follows the last part");
    if (!more && decompressor_->hint != 0) damaged("the data end too early");
  }
  if (hash_.value() != sum_) damaged("the hash of the file differs from the hash stored at its end");
}

}  // namespace sassim::bundle
