// SPDX-License-Identifier: Apache-2.0
// Executes reads of special registers: the place of a thread, and clocks.
#include "sim/emu/exec/special.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/memory/address_space.h"

namespace sassim::emu {
namespace {

enum class Special : std::uint8_t {
  zero,
  tid,
  tid_x,
  tid_y,
  tid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  lane,
  equal,
  less,
  less_equal,
  greater,
  greater_equal,
  clock_low,
  clock_high,
  timer_low,
  timer_high,
  sm_id,
  virtual_id,
  shared_low,
  shared_high,
  shared_size,
  virtual_config,
  cluster_rank,
};

const std::map<std::string, Special, std::less<>>& names() {
  static const std::map<std::string, Special, std::less<>> table = {
      {"SRZ", Special::zero},
      {"SR_TID", Special::tid},
      {"SR_TID.X", Special::tid_x},
      {"SR_TID.Y", Special::tid_y},
      {"SR_TID.Z", Special::tid_z},
      {"SR_CTAID.X", Special::ctaid_x},
      {"SR_CTAID.Y", Special::ctaid_y},
      {"SR_CTAID.Z", Special::ctaid_z},
      {"SR_LANEID", Special::lane},
      {"SR_EQMASK", Special::equal},
      {"SR_LTMASK", Special::less},
      {"SR_LEMASK", Special::less_equal},
      {"SR_GTMASK", Special::greater},
      {"SR_GEMASK", Special::greater_equal},
      {"SR_CLOCKLO", Special::clock_low},
      {"SR_CLOCKHI", Special::clock_high},
      {"SR_CLOCK", Special::clock_low},
      {"SR_GLOBALTIMERLO", Special::timer_low},
      {"SR_GLOBALTIMERHI", Special::timer_high},
      {"SR_VIRTUALSMID", Special::sm_id},
      {"SR_VIRTID", Special::virtual_id},
      {"SR_SWINLO", Special::shared_low},
      {"SR_SWINHI", Special::shared_high},
      {"SR_SMEMSZ", Special::shared_size},
      {"SR_CgaCtaId", Special::cluster_rank},
      {"SR_VIRTCFG", Special::virtual_config},  // %nwarpid from compute capability 9.0 on
      {"SR_REGALLOC", Special::zero},
      {"SR_LMEMHIOFF", Special::zero},  // the end of the stack, for checks of its overflow
  };
  return table;
}

std::uint64_t read_time(Context& c, const MicroOp& op, TimeKind kind) {
  TimeRead read{kind, c.block.id, c.warp.index, c.warp.time_reads++, c.warp.executed, op.index};
  if (c.grid.options->clock) return c.grid.options->clock->read(read);
  switch (kind) {
    case TimeKind::sm_id:
      return c.block.id.value % c.grid.launch->sm_count;
    case TimeKind::warp_id:
      return c.warp.index;
    default:
      ++c.grid.changes;
      return c.warp.executed;
  }
}

std::uint32_t thread_part(const Dim3& block, std::uint32_t thread, Special which) {
  switch (which) {
    case Special::tid_x:
      return thread % block.x;
    case Special::tid_y:
      return thread / block.x % block.y;
    case Special::tid_z:
      return thread / block.x / block.y;
    default:  // SR_TID packs three coordinates: x in 16 bits, y in 10, z in 6
      return thread % block.x | (thread / block.x % block.y) << 16 | (thread / block.x / block.y) << 26;
  }
}

std::uint32_t lane_part(std::uint32_t lane, Special which) {
  const std::uint32_t bit = 1u << lane;
  switch (which) {
    case Special::lane:
      return lane;
    case Special::equal:
      return bit;
    case Special::less:
      return bit - 1;
    case Special::less_equal:
      return bit | (bit - 1);
    case Special::greater:
      return ~(bit | (bit - 1));
    default:
      return ~(bit - 1);
  }
}

std::uint64_t warp_part(Context& c, const MicroOp& op, Special which) {
  switch (which) {
    case Special::ctaid_x:
      return c.block.ctaid.x;
    case Special::ctaid_y:
      return c.block.ctaid.y;
    case Special::ctaid_z:
      return c.block.ctaid.z;
    case Special::clock_low:
      return read_time(c, op, TimeKind::clock);
    case Special::clock_high:
      return read_time(c, op, TimeKind::clock) >> 32;
    case Special::timer_low:
      return read_time(c, op, TimeKind::global_timer);
    case Special::timer_high:
      return read_time(c, op, TimeKind::global_timer) >> 32;
    case Special::sm_id:
      return read_time(c, op, TimeKind::sm_id);
    case Special::virtual_id:
      return read_time(c, op, TimeKind::warp_id) << 8;
    case Special::shared_low:
      return c.grid.windows.shared & 0xffffffffu;
    case Special::shared_high:
      return c.grid.windows.shared >> 32;
    case Special::shared_size:
      return c.grid.shared_bytes;
    case Special::virtual_config:
      return c.grid.launch->virtual_config;
    case Special::cluster_rank:
      return c.block.rank;
    default:
      return 0;
  }
}

std::uint64_t lane_value(Context& c, Special which, std::uint32_t lane) {
  if (which >= Special::tid && which <= Special::tid_z)
    return thread_part(c.grid.launch->block, 32 * c.warp.index + lane, which);
  return lane_part(lane, which);
}

bool per_lane(Special which) {
  return (which >= Special::tid && which <= Special::tid_z) ||
         (which >= Special::lane && which <= Special::greater_equal);
}

void exec_s2r(Context& c, const MicroOp& op, std::uint32_t mask) {
  const auto which = static_cast<Special>(op.mode);
  Lanes out;
  if (per_lane(which)) {
    for (std::uint32_t i = 0; i < 32; ++i) out.v[i] = static_cast<std::uint32_t>(lane_value(c, which, i));
  } else {
    const auto value = static_cast<std::uint32_t>(warp_part(c, op, which));
    for (std::uint32_t& v : out.v) v = value;
  }
  c.write(op.dst, out, mask);
}

void exec_cs2r64(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint64_t value = warp_part(c, op, static_cast<Special>(op.mode));
  Lanes64 out;
  for (std::uint64_t& v : out.v) v = value;
  c.write64(op.dst, out, mask);
}

void decode_s2r(Decoder& d) {
  d.op.dst = d.destination();
  d.op.mode = special_operand(d);
  d.op.execute = exec_s2r;
}

void decode_cs2r(Decoder& d) {
  const bool narrow = d.take("32");
  d.op.dst = d.destination();
  d.op.mode = special_operand(d);
  d.op.execute = narrow ? exec_s2r : exec_cs2r64;
}

constexpr Semantics kRows[] = {
    {"S2R", decode_s2r, Exactness::exact, "clock, timer and SM number come from the timing model"},
    {"CS2R", decode_cs2r, Exactness::exact, "clock, timer and SM number come from the timing model"},
};

}  // namespace

std::uint8_t special_operand(Decoder& d) {
  const isa::Operand& operand = d.next();
  const auto found = names().find(operand.text);
  if (found == names().end()) throw Unsupported{fmt::format("special register {}", operand.text)};
  return static_cast<std::uint8_t>(found->second);
}

std::uint32_t special_of_warp(Context& c, const MicroOp& op, std::uint8_t which, int lane) {
  const auto special = static_cast<Special>(which);
  return static_cast<std::uint32_t>(per_lane(special) ? lane_value(c, special, static_cast<std::uint32_t>(lane))
                                                      : warp_part(c, op, special));
}

std::span<const Semantics> special_semantics() { return kRows; }

}  // namespace sassim::emu
