// SPDX-License-Identifier: Apache-2.0
// Reads an operand's values for all lanes of an emulated warp at once.
#include "sim/emu/core/machine.h"

namespace sassim::emu {

const Lanes kZeroLanes{};

const std::array<ByteMask, 256> kByteMasks = [] {
  std::array<ByteMask, 256> masks{};
  for (unsigned bits = 0; bits < 256; ++bits)
    for (unsigned i = 0; i < 8; ++i) masks[bits].v[i] = (bits >> i & 1) != 0 ? 0xffffffffu : 0u;
  return masks;
}();

namespace {

std::uint32_t scalar(const Context& context, const Source& source) {
  switch (source.kind) {
    case SourceKind::ureg:
      return context.fragment->ur[source.index];
    case SourceKind::imm:
      return static_cast<std::uint32_t>(source.value);
    case SourceKind::constant: {
      const std::uint32_t base = source.uniform_base ? context.fragment->ur[source.base] : 0;
      return context.constant(source.bank, source.offset + base);
    }
    default:
      return 0;
  }
}

std::uint64_t scalar64(const Context& context, const Source& source) {
  switch (source.kind) {
    case SourceKind::zero:
      return 0;
    case SourceKind::ureg:
      return context.fragment->ur[source.index] | std::uint64_t{context.fragment->ur[(source.index + 1) & 63]} << 32;
    case SourceKind::imm:
      return source.value;
    default: {
      const std::uint32_t base = source.uniform_base ? context.fragment->ur[source.base] : 0;
      return context.constant(source.bank, source.offset + base) |
             std::uint64_t{context.constant(source.bank, source.offset + base + 4)} << 32;
    }
  }
}

}  // namespace

std::uint32_t Context::constant(std::uint8_t bank, std::uint32_t offset) const {
  if (bank >= grid.constants.size()) return 0;
  const std::vector<std::uint8_t>& bytes = grid.constants[bank];
  std::uint32_t value = 0;
  if (bytes.size() >= 4 && offset <= bytes.size() - 4)
    std::memcpy(&value, bytes.data() + offset, 4);
  else if (offset < bytes.size())
    std::memcpy(&value, bytes.data() + offset, bytes.size() - offset);
  return value;
}

SASSIM_LANE_LOOP void Context::write64(std::uint8_t index, const Lanes64& value, std::uint32_t mask) {
  if (index == isa::kRZ) return;
  Lanes low, high;
  for (int i = 0; i < 32; ++i) {
    low.v[i] = static_cast<std::uint32_t>(value.v[i]);
    high.v[i] = static_cast<std::uint32_t>(value.v[i] >> 32);
  }
  write(index, low, mask);
  write(static_cast<std::uint8_t>(index + 1), high, mask);
}

SASSIM_LANE_LOOP const std::uint32_t* fetch_elsewhere(Context& context, const Source& source, Lanes& scratch) {
  if (source.kind == SourceKind::constant && source.base != isa::kRZ && !source.uniform_base) {
    const std::uint32_t* index = context.read_row(source.base);
    for (int i = 0; i < 32; ++i) scratch.v[i] = context.constant(source.bank, source.offset + index[i]);
  } else {
    broadcast(scalar(context, source), scratch);
  }
  return scratch.v;
}

SASSIM_LANE_LOOP const std::uint32_t* modify_int(const std::uint32_t* raw, const Source& source, Lanes& scratch) {
  Lanes value;
  std::memcpy(value.v, raw, sizeof value.v);
  if (source.absolute)
    for (std::uint32_t& v : value.v) v = (v >> 31) != 0 ? 0u - v : v;
  if (source.invert)
    for (std::uint32_t& v : value.v) v = ~v;
  if (source.negate)
    for (std::uint32_t& v : value.v) v = 0u - v;
  scratch = value;
  return scratch.v;
}

SASSIM_LANE_LOOP const std::uint32_t* modify_f32(const std::uint32_t* raw, const Source& source, Lanes& scratch) {
  const std::uint32_t keep = source.absolute ? 0x7fffffffu : 0xffffffffu;
  const std::uint32_t flip = source.negate ? 0x80000000u : 0u;
  SASSIM_LANES_APART
  for (int i = 0; i < 32; ++i) scratch.v[i] = (raw[i] & keep) ^ flip;
  return scratch.v;
}

SASSIM_LANE_LOOP void split_scalar64(const Context& context, const Source& source, Lanes& low, Lanes& high) {
  const std::uint64_t value = scalar64(context, source);
  broadcast(static_cast<std::uint32_t>(value), low);
  broadcast(static_cast<std::uint32_t>(value >> 32), high);
}

SASSIM_LANE_LOOP const std::uint64_t* fetch64(Context& context, const Source& source, Lanes64& scratch, bool floating) {
  if (source.kind == SourceKind::reg) {
    const std::uint32_t* low = context.read_row(source.index);
    const std::uint32_t* high = context.read_row(static_cast<std::uint8_t>(source.index + 1));
    for (int i = 0; i < 32; ++i) scratch.v[i] = low[i] | std::uint64_t{high[i]} << 32;
  } else {
    const std::uint64_t value = scalar64(context, source);
    for (std::uint64_t& v : scratch.v) v = value;
  }
  if (source.plain()) return scratch.v;
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  for (std::uint64_t& v : scratch.v) {
    if (floating) {
      if (source.absolute) v &= ~kSign;
      if (source.negate) v ^= kSign;
    } else {
      if (source.invert) v = ~v;
      if (source.negate) v = 0 - v;
    }
  }
  return scratch.v;
}

std::uint32_t fetch_uniform(Context& context, const Source& source) {
  std::uint32_t value = 0;
  if (source.kind == SourceKind::reg)
    value = context.read_row(source.index)[first_lane(context.fragment->mask)];
  else
    value = scalar(context, source);
  if (source.absolute && (value >> 31) != 0) value = 0u - value;
  if (source.invert) value = ~value;
  if (source.negate) value = 0u - value;
  return value;
}

}  // namespace sassim::emu
