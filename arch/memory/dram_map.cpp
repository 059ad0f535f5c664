// SPDX-License-Identifier: Apache-2.0
// Maps a line of an L2 slice to its DRAM channel, bank and row, by the map that `memory.dram.map` names.
#include "arch/memory/dram_map.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/config/groups/dram.h"
#include "sim/config/groups/l2.h"

namespace sassim::arch {

DramMap::DramMap(const config::DramConfig& dram, const config::L2Config& l2, std::uint32_t first_slice,
                 std::uint32_t slices, std::uint32_t channels)
    : first_slice_(first_slice),
      slice_group_(l2.group.members),
      slices_(slices),
      channels_(channels),
      lines_per_unit_(std::max(l2.interleave, l2.group.span / l2.group.members) / l2.line),
      line_(l2.line),
      groups_(dram.bank_groups),
      banks_per_group_(dram.banks_per_group),
      sharing_groups_(1),
      row_bytes_(dram.row_bytes),
      channel_hash_(AddressHash::make("mix")),
      bank_hash_(AddressHash::make("fold")) {
  if (groups_ == 0 || banks_per_group_ == 0) throw InputError("memory.dram: a channel has at least one bank");
  if (row_bytes_ == 0 || row_bytes_ % l2.line != 0)
    throw InputError("memory.dram.row_bytes is {}; expected a multiple of the L2 line, {} bytes", row_bytes_, l2.line);
  if (dram.map == "row_bank_column") {
    bank_unit_ = row_bytes_;
  } else if (dram.map == "row_column_bank") {
    bank_unit_ = l2.line;
  } else if (dram.map == "row_column_bank_line") {
    if (groups_ % 2 != 0)
      throw InputError(
          "memory.dram.map is '{}', for which lines alternate between two bank groups, but memory.dram.bank_groups "
          "is {}; choose an even number or another map",
          dram.map, groups_);
    lines_per_unit_ = 1;
    sharing_groups_ = 2;
    bank_unit_ = std::min(2 * std::uint64_t{l2.line}, row_bytes_);
  } else {
    throw InputError("memory.dram.map is '{}'; known: row_bank_column, row_column_bank, row_column_bank_line",
                     dram.map);
  }
}

std::uint64_t DramMap::line_of_channel(std::uint32_t slice, std::uint64_t line) const {
  const std::uint64_t unit = line / lines_per_unit_ * slices_ + slice;
  return unit / channels_ * lines_per_unit_ + line % lines_per_unit_;
}

std::uint32_t DramMap::column(std::uint32_t slice, std::uint64_t line) const {
  const std::uint64_t byte = line_of_channel(slice, line) / sharing_groups_ * line_;
  const std::uint32_t banks = groups_ / sharing_groups_ * banks_per_group_;
  const std::uint64_t unit = bank_hash_->place(byte / bank_unit_, banks).row;
  return static_cast<std::uint32_t>((unit * bank_unit_ + byte % bank_unit_) % row_bytes_);
}

DramMap::Place DramMap::place(std::uint32_t slice, std::uint64_t line) const {
  const std::uint64_t unit = line / lines_per_unit_ * slices_ + slice;
  const std::uint64_t row_of_units = unit / channels_;
  // A shift by whole rounds of slices keeps a slice at its own channels if their numbers allow it.
  const std::uint64_t shift = std::uint64_t{channel_hash_->offset(row_of_units, channels_)} * slices_;
  const auto channel = static_cast<std::uint32_t>((unit + shift) % channels_);
  const std::uint64_t line_of_channel = row_of_units * lines_per_unit_ + line % lines_per_unit_;
  const std::uint64_t byte = line_of_channel / sharing_groups_ * line_;
  const std::uint32_t groups = groups_ / sharing_groups_;
  AddressHash::Place bank = bank_hash_->place(byte / bank_unit_, groups * banks_per_group_);
  // Half of the groups of slices use the banks in another order.
  if (sharing_groups_ > 1 && (first_slice_ + slice) / slice_group_ % 2 != 0)
    bank.target = (bank.target + groups * banks_per_group_ / 2) % (groups * banks_per_group_);
  // Neighbours are in different bank groups, whose column commands may follow each other faster.
  const auto group =
      bank.target % groups * sharing_groups_ + static_cast<std::uint32_t>(line_of_channel % sharing_groups_);
  return {channel, group * banks_per_group_ + bank.target / groups, bank.row * bank_unit_ / row_bytes_};
}

}  // namespace sassim::arch
