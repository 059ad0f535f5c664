// SPDX-License-Identifier: Apache-2.0
// Where a line of an L2 slice is in DRAM: its channel, bank, row and column. Every map is one to one, except
// `row_column_bank_line` if the slices of a partition are not a power of two: then two lines may share a place in a
// row.
#pragma once

#include <cstdint>
#include <memory>

#include "arch/common/address_hash.h"
#include "sim/config/forward.h"

namespace sassim::arch {

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
  /// The first byte of the line in its row.
  std::uint32_t column(std::uint32_t slice, std::uint64_t line) const;
  /// The first byte of the line in its channel, as if the channel's bytes were in one piece.
  std::uint64_t byte_of_channel(std::uint32_t slice, std::uint64_t line) const {
    return line_of_channel(slice, line) * line_;
  }
  std::uint32_t channels() const { return channels_; }

 private:
  std::uint64_t line_of_channel(std::uint32_t slice, std::uint64_t line) const;
  std::uint32_t first_slice_, slice_group_, slices_, channels_, lines_per_unit_, line_, groups_, banks_per_group_;
  std::uint32_t sharing_groups_;         ///< bank groups between which the lines of a channel alternate
  std::uint64_t row_bytes_, bank_unit_;  ///< bank_unit_: neighbouring bytes of a channel that are in one bank
  std::unique_ptr<AddressHash> channel_hash_, bank_hash_;
};

}  // namespace sassim::arch
