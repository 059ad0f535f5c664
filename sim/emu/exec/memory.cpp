// SPDX-License-Identifier: Apache-2.0
// Executes loads and stores of all spaces, and copies from global to shared memory (LDGSTS).
#include <algorithm>

#include "sim/emu/core/global_access.h"
#include "sim/emu/core/memory_access.h"
#include "sim/emu/memory/address_space.h"
#include "sim/isa/code_rules.h"

namespace sassim::emu {
namespace {

using isa::Space;

constexpr bool kSignExtended = true;

using FourWords [[gnu::vector_size(16)]] = std::uint32_t;

/// Four lanes' words of 128 bits, a row for each word instead of one for each lane.
[[gnu::always_inline]] inline void transpose(FourWords (&x)[4]) {
  const FourWords low01 = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
  const FourWords high01 = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
  const FourWords low23 = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
  const FourWords high23 = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  x[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  x[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  x[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

/// Fills a row for each word from the words that the lanes of `mask` access.
template <unsigned kWords>
[[gnu::always_inline]] inline void gather_words(const Access& access, std::uint32_t mask, std::uint32_t* const* rows) {
  if (mask != kAllLanes) {
    for_lanes(mask, [&](int lane) {
      for (unsigned word = 0; word < kWords; ++word) std::memcpy(rows[word] + lane, access.at[lane] + 4 * word, 4);
    });
  } else if constexpr (kWords == 4) {
    for (int lane = 0; lane < 32; lane += 4) {
      FourWords x[4];
      for (int i = 0; i < 4; ++i) std::memcpy(&x[i], access.at[lane + i], 16);
      transpose(x);
      for (int word = 0; word < 4; ++word) std::memcpy(rows[word] + lane, &x[word], 16);
    }
  } else {
    for (int lane = 0; lane < 32; ++lane)
      for (unsigned word = 0; word < kWords; ++word) std::memcpy(rows[word] + lane, access.at[lane] + 4 * word, 4);
  }
}

/// Where a load of up to four words puts each word: into its registers, or, if only some lanes are written, into rows
/// that keep() copies there.
struct WordRows {
  [[gnu::always_inline]] WordRows(Context& context, const MicroOp& op, std::uint32_t mask)
      : c(context),
        dst(op.dst),
        words(op.size / 4u),
        lanes(mask),
        direct(mask == kAllLanes && !context.uniform && op.dst != isa::kRZ) {
    for (unsigned word = 0; word < words; ++word)
      rows[word] = direct ? c.row(static_cast<std::uint8_t>(dst + word)) : scratch[word].v;
  }
  [[gnu::always_inline]] void keep() {
    if (direct || dst == isa::kRZ) return;
    for (unsigned word = 0; word < words; ++word) c.write(static_cast<std::uint8_t>(dst + word), scratch[word], lanes);
  }

  Context& c;
  const std::uint8_t dst;
  const unsigned words;
  const std::uint32_t lanes;
  const bool direct;
  std::uint32_t* rows[4];
  Lanes scratch[4];
};

[[gnu::always_inline]] inline void load_words(Context& c, const MicroOp& op, const Access& access, std::uint32_t mask) {
  WordRows to(c, op, mask);
  if (to.words == 4)
    gather_words<4>(access, mask, to.rows);
  else if (to.words == 2)
    gather_words<2>(access, mask, to.rows);
  else if (access.contiguous)
    std::memcpy(to.rows[0], access.at[0], sizeof(Lanes));
  else
    gather_words<1>(access, mask, to.rows);
  to.keep();
}

template <class T>
void load_narrow(Context& c, const MicroOp& op, const Access& access, std::uint32_t mask) {
  Lanes out;
  for_lanes(mask, [&](int lane) {
    T value;
    std::memcpy(&value, access.at[lane], sizeof value);
    out.v[lane] = static_cast<std::uint32_t>(value);  // NOLINT(bugprone-signed-char-misuse): extends the sign
  });
  c.write(op.dst, out, mask);
}

SASSIM_LANE_LOOP void load_registers(Context& c, const MicroOp& op, const Access& access, std::uint32_t mask) {
  const bool extended = (op.mode != 0) == kSignExtended;
  if (op.size >= 4)
    load_words(c, op, access, mask);
  else if (op.size == 2)
    extended ? load_narrow<std::int16_t>(c, op, access, mask) : load_narrow<std::uint16_t>(c, op, access, mask);
  else
    extended ? load_narrow<std::int8_t>(c, op, access, mask) : load_narrow<std::uint8_t>(c, op, access, mask);
}

void finish_load(GlobalAccess& a) {
  Access access;
  for (std::size_t lane = 0; lane < 32; ++lane) access.at[lane] = a.values[lane].data();
  Context c{.grid = *a.warp->block->grid, .block = *a.warp->block, .warp = *a.warp};
  load_registers(c, *a.op, access, a.mask);
}

/// Begins a load whose registers are written when the timing model performs it.
void defer_load(Context& c, const MicroOp& op, const Lanes64& addresses, const Access& access, std::uint32_t mask) {
  GlobalAccess& a = c.deferred->take(trace::LiveAccess::Kind::load, c, op, addresses, mask);
  for_lanes(mask & ~c.global,
            [&](int lane) { std::memcpy(a.values[static_cast<std::size_t>(lane)].data(), access.at[lane], op.size); });
  a.finish = finish_load;
}

void exec_load(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 addresses;
  Access access;
  lane_addresses(c, op, addresses);
  resolve(c, op, static_cast<Space>(op.space), addresses, op.size, mask, access);
  ask(c, op, addresses, mask);
  if (c.deferred != nullptr && c.global != 0)
    defer_load(c, op, addresses, access, mask);
  else
    load_registers(c, op, access, mask);
  if (op.pdst != isa::kPT) c.write_predicate(op.pdst, kAllLanes, mask);
}

/// Lanes whose predicate is false read nothing and get zeros: ptxas makes one instruction of a guarded load and a MOV
/// of zero under the opposite guard.
void exec_load_or_zero(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t reads = mask & c.predicate(op.psrc[0]);
  static constexpr Lanes kNothing{};
  for (unsigned word = 0; word < std::max(1u, op.size / 4u) && op.dst != isa::kRZ; ++word)
    c.write(static_cast<std::uint8_t>(op.dst + word), kNothing, mask & ~reads);
  if (c.step != nullptr) c.step->lanes = LaneMask(reads);
  if (reads != 0) exec_load(c, op, reads);
}

void store_lane(GlobalAccess& a, int lane) {
  const auto i = static_cast<std::size_t>(lane);
  if (std::memcmp(a.at[i], a.values[i].data(), a.bytes) != 0) a.pool->changed();
  std::memcpy(a.at[i], a.values[i].data(), a.bytes);
}

/// Begins a store. Lanes whose addresses are not in global memory store at once.
void defer_store(Context& c, const MicroOp& op, const Lanes64& addresses, const Access& access, std::uint32_t mask) {
  GlobalAccess& a = c.deferred->take(trace::LiveAccess::Kind::store, c, op, addresses, mask);
  for (unsigned word = 0; word < std::max(1u, op.size / 4u); ++word) {
    Lanes scratch;
    Source source = op.src[0];
    source.index = static_cast<std::uint8_t>(source.index + word);
    const std::uint32_t* value = fetch_raw(c, source, scratch);
    for_lanes(mask, [&](int lane) {
      std::memcpy(a.values[static_cast<std::size_t>(lane)].data() + 4 * word, &value[lane], 4);
    });
  }
  for_lanes(mask, [&](int lane) {
    a.at[static_cast<std::size_t>(lane)] = access.at[lane];
    if ((c.global >> lane & 1) == 0) store_lane(a, lane);
  });
  a.perform_lane = store_lane;
}

/// Whether memory has the values of all lanes already.
[[gnu::always_inline]] inline bool holds(const std::byte* memory, const std::uint32_t* values) {
  Lanes old;
  std::memcpy(old.v, memory, sizeof old.v);
  std::uint32_t differences = 0;
  for (int i = 0; i < 32; ++i) differences |= old.v[i] ^ values[i];
  return differences == 0;
}

SASSIM_LANE_LOOP void exec_store(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 addresses;
  Access access;
  lane_addresses(c, op, addresses);
  resolve(c, op, static_cast<Space>(op.space), addresses, op.size, mask, access);
  if (c.deferred != nullptr && c.global != 0) return defer_store(c, op, addresses, access, mask);
  const unsigned words = std::max(1u, op.size / 4u);
  bool changed = false;
  const auto put = [&changed]<class T>(std::byte* to, T value) {
    T old;
    std::memcpy(&old, to, sizeof old);
    changed = changed || old != value;
    std::memcpy(to, &value, sizeof value);
  };
  for (unsigned word = 0; word < words; ++word) {
    Lanes scratch;
    Source source = op.src[0];
    source.index = static_cast<std::uint8_t>(source.index + word);
    const std::uint32_t* value = fetch_raw(c, source, scratch);
    if (access.contiguous && op.size == 4) {
      changed = changed || !holds(access.at[0], value);
      std::memcpy(access.at[0], value, sizeof scratch.v);
    } else if (op.size >= 4) {
      for_lanes(mask, [&](int lane) { put(access.at[lane] + 4 * word, value[lane]); });
    } else if (op.size == 2) {
      for_lanes(mask, [&](int lane) { put(access.at[lane], static_cast<std::uint16_t>(value[lane])); });
    } else {
      for_lanes(mask, [&](int lane) { put(access.at[lane], static_cast<std::uint8_t>(value[lane])); });
    }
  }
  if (!changed) return;
  ++c.grid.changes;
  if (c.global != 0) ++c.grid.effects;
}

void set_space(MicroOp& op, Space space) {
  op.space = static_cast<std::uint8_t>(space);
  op.memory = true;
}

constexpr bool in_global(Space space) { return space == Space::global || space == Space::generic; }

template <Space kSpace>
void decode_load(Decoder& d) {
  const bool constant = d.take("CONSTANT"), invariant = d.take("CI");
  // Read-only loads of Kepler have phases of the texture path, which TEXDEPBAR waits for.
  const bool texture =
      kSpace == Space::global && !isa::code_rules(d.architecture()).counters && (d.take("T") || d.take("P"));
  d.op.loads = in_global(kSpace) && !constant && !invariant && !texture;
  decode_width(d);
  set_space(d.op, kSpace);
  d.op.dst = d.destination();
  d.op.pdst = d.optional_predicate_destination();
  d.op.address = d.address();
  d.op.execute = exec_load;
  const PredicateSource also = d.optional_predicate(true);
  if (d.set() == isa::InstructionSet::sass128) d.op.psrc[0] = also;  // in the other set it belongs to the address (LEA)
  if (d.op.psrc[0].index != isa::kPT) {
    if (d.op.pdst != isa::kPT) throw Unsupported{"a predicate as source and as destination"};
    d.op.execute = exec_load_or_zero;
  }
}

template <Space kSpace>
void decode_store(Decoder& d) {
  d.op.stores = in_global(kSpace);
  decode_width(d);
  set_space(d.op, kSpace);
  d.op.address = d.address();
  d.op.src[0] = d.source();
  if (d.set() == isa::InstructionSet::sass64) d.optional_predicate(true);  // belongs to the address
  d.op.execute = exec_store;
}

// LDC: constant memory through a register.

void exec_ldc(Context& c, const MicroOp& op, std::uint32_t mask) {
  const Source& source = op.src[0];
  const std::uint32_t* base = source.uniform_base ? kZeroLanes.v : c.read_row(source.base);
  const std::uint32_t fixed = source.offset + (source.uniform_base ? c.fragment->ur[source.base] : 0);
  std::uint32_t offsets[32];
  for (int i = 0; i < 32; ++i) offsets[i] = base[i] + fixed;
  if (op.mode2 != 0)  // the register's upper half chooses the bank
    for (int i = 0; i < 32; ++i) offsets[i] = (base[i] & 0xffff) + fixed;
  if (c.step)
    for_lanes(mask, [&](int lane) {
      c.step->addresses.list()[static_cast<std::size_t>(lane)] = std::uint64_t{source.bank} << 32 | offsets[lane];
    });
  std::uint32_t others = 0;  // the bits in which the place of any lane differs from that of lane 0
  for (int i = 0; i < 32; ++i) others |= (offsets[i] ^ offsets[0]) | (base[i] ^ base[0]);
  if (((others | offsets[0]) & (op.size - 1u)) != 0)
    for_lanes(mask, [&](int lane) {
      if (offsets[lane] % op.size != 0)
        c.fault(FaultKind::misaligned_address, op, lane, offsets[lane], "constant memory");
    });
  for (unsigned word = 0; word < std::max(1u, op.size / 4u); ++word) {
    Lanes out;
    const int different = others == 0 ? 1 : 32;
    for (int i = 0; i < different; ++i) {
      const std::uint8_t bank = op.mode2 != 0 ? static_cast<std::uint8_t>(source.bank + (base[i] >> 16)) : source.bank;
      std::uint32_t value = c.constant(bank, offsets[i] + 4 * word);
      if (op.size == 1)
        value = op.mode != 0 ? static_cast<std::uint32_t>(static_cast<std::int8_t>(value)) : value & 0xff;
      if (op.size == 2)
        value = op.mode != 0 ? static_cast<std::uint32_t>(static_cast<std::int16_t>(value)) : value & 0xffff;
      out.v[i] = value;
    }
    for (int i = different; i < 32; ++i) out.v[i] = out.v[0];
    if (op.dst != isa::kRZ) c.write(static_cast<std::uint8_t>(op.dst + word), out, mask);
  }
}
void decode_ldc(Decoder& d) {
  decode_width(d);
  set_space(d.op, Space::constant);
  d.op.mode2 = d.take("IL") || d.take("IS") || d.take("ISL") ? 1 : 0;
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  if (d.op.src[0].kind != SourceKind::constant) throw Unsupported{"a bindless constant"};
  d.op.execute = exec_ldc;
}

// LDGSTS: global to shared memory, both addresses in registers.

constexpr std::uint32_t kBypassBytes = 16;

void finish_copy(GlobalAccess& a) {
  a.pool->changed();
  for_lanes(a.mask, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    const std::uint64_t bytes = a.lanes.test(lane) ? a.bytes - a.zeroed[i] : 0;
    if (bytes != 0) std::memcpy(a.at[i], a.values[i].data(), bytes);
    std::memset(a.at[i] + bytes, 0, a.bytes - bytes);
  });
}

void exec_ldgsts(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 from_addresses, to_addresses;
  Access from, to;
  const AddressSource destination{.base = op.dst, .ubase = op.dst2, .offset = op.relative};
  lane_offsets(c, destination, to_addresses);
  lane_addresses(c, op, from_addresses);
  // Lanes whose source predicate is false read nothing and write zeros: ptxas compiles a true `ignore-src` of PTX's
  // cp.async, for which PTX promises zeros, to it, without ZFILL.
  const std::uint32_t reads = mask & c.predicate(op.psrc[0]);
  trace::Step* step = c.step;
  c.step = nullptr;
  resolve(c, op, Space::shared, to_addresses, op.size, mask, to);
  std::uint64_t zeroed[32] = {};
  if (op.flags != 0) {
    // The low bits of the source say how many of the last bytes become zero: ptxas puts cp.async's source size there,
    // and an H200 gives the same bytes. Bytes that are not read may be out of bounds.
    Lanes64 last_addresses;
    for (int i = 0; i < 32; ++i) {
      zeroed[i] = from_addresses.v[i] & (op.size - 1u);
      from_addresses.v[i] -= zeroed[i];
      last_addresses.v[i] = from_addresses.v[i] + op.size - zeroed[i] - 1;
    }
    if (reads != 0) resolve(c, op, Space::global, last_addresses, 1, reads, from);
  }
  c.step = step;
  if (step != nullptr) step->lanes = LaneMask(reads);
  if (reads != 0) resolve(c, op, Space::global, from_addresses, op.flags != 0 ? 1 : op.size, reads, from);
  // The destination decides how often a sector is requested, so that the trace records the distance to it.
  if (step != nullptr && op.mode2 != 0 && op.size == kBypassBytes)
    for_lanes(reads, [&, &all = step->detail.set_lanes(trace::DetailKind::copy_shift)](int lane) {
      const std::uint64_t further = (to_addresses.v[lane] - from_addresses.v[lane]) / kBypassBytes % kBypassBytes;
      all[static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(further);
    });
  if (c.deferred != nullptr && reads != 0) {
    GlobalAccess& a = c.deferred->take(trace::LiveAccess::Kind::load, c, op, from_addresses, mask);
    for_lanes(mask, [&](int lane) {
      a.at[static_cast<std::size_t>(lane)] = to.at[lane];
      a.zeroed[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(zeroed[lane]);
    });
    a.finish = finish_copy;
    return;
  }
  ++c.grid.changes;
  for_lanes(mask, [&](int lane) {
    const bool read = (reads >> lane & 1) != 0;
    const std::uint64_t bytes = read ? op.size - zeroed[lane] : 0;
    if (read) std::memcpy(to.at[lane], from.at[lane], bytes);
    std::memset(to.at[lane] + bytes, 0, op.size - bytes);
  });
}
void decode_ldgsts(Decoder& d) {
  d.ignore({"ACCESS"});
  d.op.mode2 = d.take("BYPASS") ? 1 : 0;
  d.op.flags = d.take("ZFILL") ? 1 : 0;
  d.op.loads = true;
  decode_width(d);
  set_space(d.op, Space::global);
  const isa::Operand& destination = d.next();
  if (destination.kind != isa::OperandKind::memory) throw Unsupported{"a destination that is not an address"};
  d.op.dst = destination.base.value_or(isa::kRZ);
  d.op.dst2 = destination.ubase.value_or(isa::kURZ);
  d.op.relative = destination.offset;
  if (destination.scale != 1) throw Unsupported{"a scaled destination"};
  d.op.address = d.address();
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = exec_ldgsts;
}

// QSPC: tests whether a generic address is in a space.

void exec_qspc(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 addresses;
  lane_addresses(c, op, addresses);
  const std::uint32_t shared = lanes_within(addresses, c.grid.windows.shared, c.grid.windows.bytes, mask);
  const std::uint32_t local = lanes_within(addresses, c.grid.windows.local, c.grid.windows.bytes, mask);
  const std::uint32_t inside[] = {shared, local, mask & ~(shared | local)};
  c.write_predicate(op.pdst, inside[op.mode], mask);
}
void decode_qspc(Decoder& d) {
  d.ignore({"E"});
  const int space = d.take_one_of({"S", "L", "G"}, -1);
  if (space < 0) throw Unsupported{"this space"};
  d.op.mode = static_cast<std::uint8_t>(space);
  d.op.pdst = d.predicate_destination();
  if (d.destination() != isa::kRZ) throw Unsupported{"a register destination"};
  d.op.address = d.address();
  d.op.execute = exec_qspc;
}

constexpr Semantics kRows[] = {
    {"LDG", decode_load<Space::global>},
    {"LD", decode_load<Space::generic>},
    {"LDL", decode_load<Space::local>},
    {"LDS", decode_load<Space::shared>},
    {"STG", decode_store<Space::global>},
    {"ST", decode_store<Space::generic>},
    {"STL", decode_store<Space::local>},
    {"STS", decode_store<Space::shared>},
    {"LDC", decode_ldc},
    {"QSPC", decode_qspc},
    {"LDGSTS", decode_ldgsts, Exactness::exact, "", 80},
};

}  // namespace

std::span<const Semantics> memory_semantics() { return kRows; }

}  // namespace sassim::emu
