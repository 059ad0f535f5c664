// SPDX-License-Identifier: Apache-2.0
// The part of StaticCode that finds which registers, predicates and constants an instruction reads and writes.
#include <algorithm>

#include "arch/sm/code/place_rows.h"
#include "sim/config/groups/pipes.h"
#include "sim/config/groups/register_file.h"

namespace sassim::arch {

void StaticInstruction::Registers::add(std::uint8_t reg, std::uint8_t bank, std::uint8_t slot, bool reuse) {
  if (count == reads.size()) return;
  const auto same = [reg](const RegisterRead& read) { return read.reg == reg; };
  const bool again = std::any_of(reads.begin(), reads.begin() + count, same);
  const auto place = static_cast<std::uint8_t>(bank * kReuseSlots + slot % kReuseSlots);
  reads[count++] = {reg, place, reuse, again};
  keeps = keeps || reuse;
  places |= static_cast<std::uint16_t>(1u << place);
  if (!again) distinct.add(bank);
}

void StaticInstruction::Registers::keep_none() {
  for (RegisterRead& read : reads) read.reuse = false;
  keeps = false;
}

void place_registers(StaticInstruction& row, const isa::Decoded& d, const config::RegisterFile& file) {
  for (const isa::RegisterUse& use : d.reads) {
    if (use.uniform) continue;
    for (unsigned i = 0; i < use.count; ++i) {
      const auto reg = static_cast<std::uint8_t>(use.first + i);
      row.registers.add(reg, static_cast<std::uint8_t>(reg % file.banks), use.slot, use.reuse);
    }
  }
  for (const isa::RegisterUse& use : d.writes)
    if (!use.uniform)
      for (unsigned i = 0; i < use.count; ++i)
        row.registers.write_banks |= static_cast<std::uint8_t>(1u << (use.first + i) % file.banks);
  if (!d.constants.empty()) {
    row.constant.present = true;
    row.constant.checked = row.fixed && !d.constants.front().indexed;
    row.constant.indexed = row.fixed && d.constants.front().indexed;
    row.constant.address = {d.constants.front().bank, static_cast<std::uint16_t>(d.constants.front().offset)};
  }
}

ScoreboardUse registers_used(const isa::Decoded& d) {
  ScoreboardUse use;
  auto add = [](std::vector<std::uint16_t>& names, const std::vector<isa::RegisterUse>& registers) {
    for (const isa::RegisterUse& r : registers)
      for (unsigned i = 0; i < r.count; ++i)
        names.push_back(static_cast<std::uint16_t>((r.uniform ? 264 : 0) + r.first + i));
  };
  auto add_mask = [](std::vector<std::uint16_t>& names, std::uint8_t mask, std::uint16_t base) {
    for (std::uint16_t i = 0; i < 8; ++i)
      if (mask >> i & 1) names.push_back(static_cast<std::uint16_t>(base + i));
  };
  add(use.reads, d.reads);
  add(use.writes, d.writes);
  add_mask(use.reads, d.pred_reads, 256);
  add_mask(use.writes, d.pred_writes, 256);
  add_mask(use.reads, d.upred_reads, 328);
  add_mask(use.writes, d.upred_writes, 328);
  return use;
}

namespace {

using Source = ScoreboardUse::Source;

Source source_of(const StaticInstruction& row) {
  if (!row.fixed) return Source::other;
  return row.resource == Resource::alu ? Source::alu : row.resource == Resource::fma ? Source::fma : Source::other;
}

}  // namespace

void place_forwarding(ScoreboardUse& use, const StaticInstruction& row, const isa::Guard& guard,
                      const config::Pipes& pipes) {
  use.source = source_of(row);
  for (const Source from : {Source::alu, Source::fma}) {
    const std::uint32_t later = from == use.source ? 0
                                : row.fixed        ? pipes.forwarding.other_pipe
                                                   : pipes.forwarding.queue;
    use.later[static_cast<std::size_t>(from)] = static_cast<std::uint8_t>(later);
    use.guard_later[static_cast<std::size_t>(from)] = static_cast<std::uint8_t>(pipes.forwarding.guard);
  }
  if (use.source == Source::other)
    use.guards = 0xff;  // a branch's condition is no guard
  else if (!guard.uniform)
    use.guards = static_cast<std::uint8_t>(1u << guard.index);
}

}  // namespace sassim::arch
