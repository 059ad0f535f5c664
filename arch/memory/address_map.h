// SPDX-License-Identifier: Apache-2.0
// The place of an address: its slice, its line in the slice, and its bank and row in DRAM. Every map is one to one, but
// for rows with `row_column_bank_line` if the slices of a partition are not a power of two.
#pragma once

#include <cstdint>
#include <memory>

#include "arch/common/address_hash.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class SliceMap {
 public:
  /// Throws InputError for an impossible geometry.
  explicit SliceMap(const config::L2Config& config);

  struct Place {
    std::uint32_t slice;
    std::uint64_t line;          ///< number of the L2 line in its slice
    std::uint32_t first_sector;  ///< first sector of the 128-byte line within the L2 line
  };
  Place place(std::uint64_t address) const;
  std::uint32_t slices() const { return slices_; }
  /// L2 lines that follow each other in a slice before the addresses continue in another one.
  std::uint32_t lines_per_unit() const { return lines_per_unit_; }

 private:
  std::uint32_t slices_, interleave_, line_, lines_per_unit_;
  std::uint32_t halves_, half_interleave_;          ///< halves_ is 1 if the hash of the slices also selects the half
  std::uint32_t group_, group_interleave_, turns_;  ///< turns_: pieces of a stretch that each slice of a group holds
  std::unique_ptr<AddressHash> hash_;
};

/// The DRAM channels behind the slices of one partition.
class DramMap {
 public:
  /// `first_slice`: number of the partition's first slice among those of the GPU.
  DramMap(const config::DramConfig& dram, const config::L2Config& l2, std::uint32_t first_slice, std::uint32_t slices,
          std::uint32_t channels);

  struct Place {
    std::uint32_t channel;  ///< number of the pseudo channel in the partition
    std::uint32_t bank;
    std::uint64_t row;
  };
  /// Place of a line (numbered as in SliceMap) of the partition's slice number `slice`.
  Place place(std::uint32_t slice, std::uint64_t line) const;
  std::uint32_t channels() const { return channels_; }

 private:
  std::uint32_t first_slice_, slice_group_, slices_, channels_, lines_per_unit_, line_, groups_, banks_per_group_;
  std::uint32_t sharing_groups_;         ///< bank groups between which the lines of a channel alternate
  std::uint64_t row_bytes_, bank_unit_;  ///< bank_unit_: neighbouring bytes of a channel that are in one bank
  std::unique_ptr<AddressHash> channel_hash_, bank_hash_;
};

}  // namespace sassim::arch
