// SPDX-License-Identifier: Apache-2.0
// Opens a .sast trace, checks its frame, index and checksums, and reads its sections.
#include "sim/trace/sast_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "sim/base/error.h"
#include "sim/trace/block_codec.h"
#include "sim/trace/bytes.h"
#include "sim/trace/kernel_codec.h"

namespace sassim::trace {
namespace {

bool equals(std::span<const std::uint8_t> bytes, std::string_view text) {
  return std::ranges::equal(bytes, text, {}, {}, [](char c) { return static_cast<std::uint8_t>(c); });
}

/// O_NONBLOCK: open() must not wait for the writer of a FIFO.
int open_at_once(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

}  // namespace

SastFile::SastFile(const std::string& path) : path_(path), descriptor_(open_at_once(path)) {
  if (descriptor_ < 0) throw InputError("{}: cannot be opened: {}", path_, std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw InputError("{}: {}", path_, std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    throw InputError("{}: is a folder, a pipe or a device; a .sast trace is a regular file", path_);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

SastFile::SastFile(std::shared_ptr<const MappedFile> file)
    : path_(file->path()), mapped_(std::move(file)), size_(mapped_->bytes().size()) {}

SastFile::~SastFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::shared_ptr<const SastFile> SastFile::open(const std::string& path) {
  std::shared_ptr<SastFile> file(new SastFile(path));
  file->read_index();
  return file;
}

std::shared_ptr<const SastFile> SastFile::open(std::shared_ptr<const MappedFile> mapped) {
  std::shared_ptr<SastFile> file(new SastFile(std::move(mapped)));
  file->read_index();
  return file;
}

void SastFile::read_index() {
  read_frame();
  const std::string place = fmt::format("{}: index at byte {}", path_, index_.offset);
  const auto content = read(index_);
  ByteReader in(content, place);
  kernels_ = trace::read_index(in);
  check_tiling();
}

bool SastFile::has_magic(const std::string& path) {
  std::array<std::uint8_t, kSastMagic.size()> start{};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  return file && std::fread(start.data(), 1, start.size(), file.get()) == start.size() && equals(start, kSastMagic);
}

std::vector<std::uint8_t> SastFile::bytes(std::uint64_t offset, std::uint64_t count) const {
  if (offset > size_ || count > size_ - offset)
    throw InputError("{}, byte {}: the file ends before the {} bytes expected here", path_, offset, count);
  std::vector<std::uint8_t> all(static_cast<std::size_t>(count));
  copy_stored(offset, all);
  return all;
}

void SastFile::copy_stored(std::uint64_t offset, std::span<std::uint8_t> to) const {
  if (mapped_) {
    std::ranges::copy(mapped_->bytes().subspan(offset, to.size()), to.begin());
    mapped_->release(offset, to.size());
    return;
  }
  for (std::size_t done = 0; done < to.size();) {
    const auto n = ::pread(descriptor_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw InputError("{}, byte {}: cannot be read: {}", path_, offset + done,
                       n ? std::strerror(errno) : "end of file");
    done += static_cast<std::size_t>(n);
  }
}

void SastFile::read_frame() {
  if (size_ < kSastHeaderBytes) throw InputError("{}, byte 0: too short for a .sast trace ({} bytes)", path_, size_);
  const auto header = bytes(0, kSastHeaderBytes);
  ByteReader start(header, path_);
  if (!equals(start.bytes(kSastMagic.size()), kSastMagic))
    throw InputError(
        "{}, byte 0: not a .sast trace; make one with 'sassim trace import' or 'sassim exec --save-traces'", path_);
  version_ = start.u32();
  if (version_ < kSastOldestVersion || version_ > kSastVersion)
    throw InputError(
        "{}, byte {}: trace format version {}, but this sassim reads versions {} to {}; make the trace again, or use a "
        "newer sassim",
        path_, kSastMagic.size(), version_, kSastOldestVersion, kSastVersion);
  if (const auto flags = start.u32(); flags != 0)
    throw InputError(
        "{}, byte {}: header flags {:#x}; version {} has none, so the file is damaged or was written by another tool",
        path_, kSastMagic.size() + sizeof(std::uint32_t), flags, version_);
  const std::uint64_t at = size_ - std::min<std::uint64_t>(size_, kSastFooterBytes);
  if (at < kSastHeaderBytes) throw InputError("{}, byte {}: the trace is cut off: no footer", path_, size_);
  const auto footer = bytes(at, kSastFooterBytes);
  if (!equals(std::span(footer).last(kSastEnd.size()), kSastEnd))
    throw InputError("{}, byte {}: the trace is cut off, or its recording was not finished: no footer", path_, at);
  ByteReader in(footer, path_);
  index_ = {in.u64(), in.u64(), in.u64(), 0, 0};
  index_.hash = in.u64();
  const std::uint64_t frame_hash = in.u64();
  if (index_.offset < kSastHeaderBytes || index_.offset > at || index_.stored != at - index_.offset)
    throw InputError("{}, byte {}: the index does not lie between the sections and the footer", path_, at);
  if (index_.raw > largest_content(index_.stored))
    throw InputError("{}, byte {}: an index of {} bytes announces {} bytes of content", path_, at, index_.stored,
                     index_.raw);
  const auto stored = bytes(index_.offset, index_.stored);
  if (frame_checksum(header, stored, std::span(footer).first(32)) != frame_hash)
    throw InputError("{}, byte {}: the checksum of header, index and footer does not match", path_, at + 32);
  index_.stored_check = static_cast<std::uint32_t>(TraceHash::of(stored));
}

/// Checks that every byte between header and index belongs to exactly one section.
void SastFile::check_tiling() const {
  std::vector<const Section*> sections;
  for (const KernelEntry& kernel : kernels_) {
    sections.push_back(&kernel.info);
    for (const auto& block : kernel.blocks) sections.push_back(&block.section);
  }
  std::ranges::sort(sections, {}, [](const Section* s) { return s->offset; });
  std::uint64_t at = kSastHeaderBytes;
  for (const Section* section : sections) {
    if (section->offset != at || section->stored > index_.offset - at)
      throw InputError("{}, byte {}: sections overlap, leave a gap or reach into the index", path_, at);
    at = section->end();
  }
  if (at != index_.offset) throw InputError("{}, byte {}: bytes that belong to no section", path_, at);
}

std::vector<std::uint8_t> SastFile::read(const Section& section) const {
  return unpack_section(bytes(section.offset, section.stored), section, path_);
}

}  // namespace sassim::trace
