// SPDX-License-Identifier: Apache-2.0
// Appends kernels and blocks to a .sast trace while they are recorded, and closes it with its index.
#include "sim/trace/sast_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/trace/block_codec.h"
#include "sim/trace/bytes.h"
#include "sim/trace/kernel_codec.h"

namespace sassim::trace {

SastWriter::SastWriter(const std::string& path, Sync sync, Compression compression)
    : file_(path, sync), compression_(compression) {
  ByteWriter header;
  for (const char c : kSastMagic) header.u8(static_cast<std::uint8_t>(c));
  header.u32(kSastVersion);
  header.u32(0);
  header_ = header.take();
  write(header_);
}

void SastWriter::write(std::span<const std::uint8_t> bytes) {
  file_.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  at_ += bytes.size();
}

void SastWriter::append(std::span<const std::uint8_t> stored, Section& section) {
  section.offset = at_;
  write(stored);
}

std::size_t SastWriter::begin_kernel(const KernelInfo& kernel) {
  KernelEntry entry;
  entry.name = kernel.name;
  const auto stored = pack_section(encode_kernel(kernel), entry.info, compression_);
  std::scoped_lock lock(mutex_);
  append(stored, entry.info);
  kernels_.push_back(std::move(entry));
  grids_.push_back(kernel.grid);
  return kernels_.size() - 1;
}

void SastWriter::add_block(std::size_t kernel, const BlockTrace& block) {
  KernelEntry::Block entry;
  for (const auto& warp : block.warps) entry.steps += warp->steps();
  const auto stored = pack_section(encode_block(block), entry.section, compression_);
  std::scoped_lock lock(mutex_);
  entry.linear = block_index(grids_.at(kernel), block.id);
  append(stored, entry.section);
  kernels_[kernel].blocks.push_back(entry);
}

void SastWriter::finish() {
  std::scoped_lock lock(mutex_);
  for (KernelEntry& kernel : kernels_) {
    std::ranges::sort(kernel.blocks, {}, &KernelEntry::Block::linear);
    const auto twice = std::ranges::adjacent_find(kernel.blocks, {}, &KernelEntry::Block::linear);
    if (twice != kernel.blocks.end())
      throw std::logic_error(fmt::format("block {} of {} was recorded twice", twice->linear, kernel.name));
  }
  write_index_and_footer();
  file_.commit();
}

void SastWriter::write_index_and_footer() {
  ByteWriter index;
  write_index(index, kernels_);
  Section section;
  const auto stored = pack_section(index.view(), section, compression_);
  append(stored, section);
  ByteWriter footer;
  for (const std::uint64_t v : {section.offset, section.stored, section.raw, section.hash}) footer.u64(v);
  footer.u64(frame_checksum(header_, stored, footer.view()));
  for (const char c : kSastEnd) footer.u8(static_cast<std::uint8_t>(c));
  write(footer.view());
}

}  // namespace sassim::trace
