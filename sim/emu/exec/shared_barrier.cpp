// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory (PTX mbarrier): a 64-bit word that counts arrivals phase by phase. Without time, a copy to
// shared memory is finished when its instruction has executed, so that its arrival happens at once.
#include "sim/emu/core/global_access.h"
#include "sim/emu/core/memory_access.h"

namespace sassim::emu {
namespace {

using isa::Space;

/// The fields of a barrier's word. The layouts follow from the instructions that CUDA 11.8 compiles around it.
struct Barrier {
  std::uint32_t expected = 0;     ///< arrivals in each later phase
  std::uint32_t pending = 0;      ///< arrivals that this phase still lacks
  std::int32_t transactions = 0;  ///< bytes of copies that this phase still waits for
  bool phase = false;
};

/// BarrierWord::halves: 2^30 - expected in the low word; 2^31 - pending below the phase bit of the high word.
Barrier unpack_halves(std::uint64_t word) {
  const auto low = static_cast<std::uint32_t>(word), high = static_cast<std::uint32_t>(word >> 32);
  return {0x40000000u - (low & 0x3fffffffu), 0x80000000u - (high & 0x7fffffffu), 0, high >> 31 != 0};
}
std::uint64_t pack_halves(const Barrier& b) {
  const std::uint32_t low = 0x40000000u - b.expected, high = (0x80000000u - b.pending) & 0x7fffffffu;
  return low | std::uint64_t{high | (b.phase ? 0x80000000u : 0u)} << 32;
}

/// BarrierWord::fields: 2^20 - expected from bit 1, 2^20 - pending from bit 43, the phase in bit 63. Programs do not
/// see where the transactions are between them; here they are signed, from bit 22.
constexpr std::uint32_t kMostArrivals = 1u << 20;
Barrier unpack_fields(std::uint64_t word) {
  const auto count = [&](int shift) { return kMostArrivals - static_cast<std::uint32_t>(word >> shift & 0xfffff); };
  const std::uint32_t pending = count(43);
  return {count(1), pending == kMostArrivals ? 0 : pending,
          static_cast<std::int32_t>(static_cast<std::uint32_t>(word >> 22) << 11) >> 11, word >> 63 != 0};
}
std::uint64_t pack_fields(const Barrier& b) {
  const auto field = [](std::uint32_t count) { return std::uint64_t{(kMostArrivals - count) & 0xfffff}; };
  return field(b.expected) << 1 | (std::uint64_t{static_cast<std::uint32_t>(b.transactions)} & 0x1fffff) << 22 |
         field(b.pending) << 43 | std::uint64_t{b.phase} << 63;
}

void complete_if_done(Barrier& b) {
  if (b.pending != 0 || b.transactions != 0) return;
  b.phase = !b.phase;
  b.pending = b.expected;
}

/// The change that an instruction makes to the word, for each lane.
struct Change {
  std::uint32_t arrivals = 0;
  std::int32_t transactions = 0;
  bool leave = false;  ///< the thread also leaves all later phases
};

/// Changes the word and returns its old value.
std::uint64_t apply(Context& c, const MicroOp& op, int lane, std::byte* at, const Change& change) {
  std::uint64_t before;
  std::memcpy(&before, at, sizeof before);
  const bool fields = c.grid.kernel->architecture().barrier_word == isa::BarrierWord::fields;
  Barrier b = fields ? unpack_fields(before) : unpack_halves(before);
  if (change.arrivals > b.pending || (change.leave && change.arrivals > b.expected))
    c.fault(FaultKind::trap, op, lane, static_cast<std::uint64_t>(at - c.block.shared.data()),
            "more threads arrived at a barrier in shared memory than it expects");
  b.pending -= change.arrivals;
  b.transactions += change.transactions;
  if (change.leave) b.expected -= change.arrivals;
  complete_if_done(b);
  const std::uint64_t after = fields ? pack_fields(b) : pack_halves(b);
  ++c.grid.changes;
  std::memcpy(at, &after, sizeof after);
  return before;
}

void barrier_addresses(Context& c, const MicroOp& op, std::uint32_t mask, Access& access) {
  Lanes64 addresses;
  lane_offsets(c, op.address, addresses);
  resolve(c, op, Space::shared, addresses, 8, mask, access);
  ask(c, op, addresses, mask);
}

/// Adds one value per lane to the trace step, beside the address.
template <class Value>
void record_lanes(Context& c, trace::DetailKind kind, std::uint32_t mask, Value value) {
  if (c.step == nullptr) return;
  trace::Detail::Lanes& all = c.step->detail.set_lanes(kind);
  for_lanes(mask, [&](int lane) { all[static_cast<std::size_t>(lane)] = value(lane); });
}

void set_shared(MicroOp& op) {
  op.space = static_cast<std::uint8_t>(Space::shared);
  op.memory = true;
  op.size = 8;
}

// ATOMS.ARRIVE and ARRIVES.

void exec_atoms_arrive(Context& c, const MicroOp& op, std::uint32_t mask) {
  Access access;
  Lanes64 before{};
  barrier_addresses(c, op, mask, access);
  for_lanes(mask, [&](int lane) { before.v[lane] = apply(c, op, lane, access.at[lane], {.arrivals = 1}); });
  c.write64(op.dst, before, mask);
}

/// Begins an operation on barriers that takes place when the timing model says so.
GlobalAccess& defer(Context& c, const MicroOp& op, const Access& access, std::uint32_t mask,
                    void (*finish)(GlobalAccess&)) {
  GlobalAccess& a = c.deferred->take(trace::LiveAccess::Kind::barrier, c, op, Lanes64{}, mask);
  for_lanes(mask, [&](int lane) { a.at[static_cast<std::size_t>(lane)] = access.at[lane]; });
  a.finish = finish;
  return a;
}
Context context_of(const GlobalAccess& a) {
  return {.grid = *a.warp->block->grid, .block = *a.warp->block, .warp = *a.warp};
}

/// TRANSCNT ends a transaction instead.
template <class Places>
void arrive_for_copies(Context& c, const MicroOp& op, const Places& at, std::uint32_t mask) {
  const Change change = op.flags != 0 ? Change{.transactions = -1} : Change{.arrivals = 1};
  for_lanes(mask, [&](int lane) { apply(c, op, lane, at[static_cast<std::size_t>(lane)], change); });
}
void finish_arrives(GlobalAccess& a) {
  Context c = context_of(a);
  arrive_for_copies(c, *a.op, a.at, a.mask);
}

/// The arrival happens when the thread's copies are finished. Without time this is now.
void exec_arrives(Context& c, const MicroOp& op, std::uint32_t mask) {
  Access access;
  barrier_addresses(c, op, mask, access);
  if (c.deferred != nullptr)
    defer(c, op, access, mask, finish_arrives);
  else
    arrive_for_copies(c, op, access.at, mask);
}
void decode_arrives(Decoder& d) {
  if (!d.take("LDGSTSBAR") || !d.take("64")) throw Unsupported{"only ARRIVES.LDGSTSBAR.64 is supported"};
  d.op.flags = d.take("TRANSCNT") ? 1 : 0;
  d.ignore({"ARVCNT"});
  set_shared(d.op);
  d.op.waits = true;
  d.op.address = d.address();
  d.op.execute = exec_arrives;
}

// SYNCS.

enum Flag : std::uint32_t {
  kCountInRegister = 1,
  kBeginTransaction = 2,
  kLeave = 4,
  kThreadMask = 8,
  kTries = 16,
  kExpectsBytes = 32,    ///< the register holds bytes that the phase waits for
  kCompletesBytes = 64,  ///< the register holds bytes that it need no longer wait for
  kNoArrival = 128
};

/// What a lane's arrival does, with the register's value.
Change change_of(std::uint32_t flags, std::uint32_t value) {
  Change change{.arrivals = (flags & kCountInRegister) != 0 ? value
                            : (flags & kNoArrival) != 0     ? 0
                                                            : 1,
                .leave = (flags & kLeave) != 0};
  if ((flags & kBeginTransaction) != 0) change.transactions = 1;
  if ((flags & kExpectsBytes) != 0) change.transactions = static_cast<std::int32_t>(value);
  if ((flags & kCompletesBytes) != 0) change.transactions = -static_cast<std::int32_t>(value);
  return change;
}

/// Turns that TRYWAIT leaves to others before it returns that the phase is not over.
constexpr std::uint32_t kMostTries = 64;

void exec_exchange(Context& c, const MicroOp& op, std::uint32_t mask) {
  Access access;
  Lanes64 scratch;
  const int lane = first_lane(mask);
  barrier_addresses(c, op, mask, access);
  const std::uint64_t value = fetch64(c, op.src[0], scratch, false)[lane];
  ++c.grid.changes;
  std::memcpy(access.at[lane], &value, sizeof value);
  record_lanes(c, trace::DetailKind::barrier_init, mask,
               [&](int) { return static_cast<std::uint32_t>(unpack_fields(value).expected); });
}

/// The result is the high word of the old state. TMASK: all threads at one barrier arrive together and get the same
/// state; its low word has the mask of these threads.
void exec_arrive(Context& c, const MicroOp& op, std::uint32_t mask) {
  Access access;
  Lanes scratch, state, together;
  barrier_addresses(c, op, mask, access);
  const std::uint32_t* count = fetch_raw(c, op.src[0], scratch);
  if ((op.flags & kCountInRegister) != 0)
    record_lanes(c, trace::DetailKind::barrier_arrivals, mask, [&](int lane) { return count[lane]; });
  if ((op.flags & (kExpectsBytes | kCompletesBytes)) != 0)
    record_lanes(c, trace::DetailKind::barrier_bytes, mask, [&](int lane) { return count[lane]; });
  for_lanes(mask, [&](int lane) {
    std::uint64_t word;
    std::memcpy(&word, access.at[lane], sizeof word);
    state.v[lane] = static_cast<std::uint32_t>(word >> 32);
    together.v[lane] = mask & gather_bits([&](int i) { return access.at[i] == access.at[lane]; });
  });
  for_lanes(mask, [&](int lane) {
    const std::uint64_t before = apply(c, op, lane, access.at[lane], change_of(op.flags, count[lane]));
    if ((op.flags & kThreadMask) == 0) state.v[lane] = static_cast<std::uint32_t>(before >> 32);
  });
  if (op.dst == isa::kRZ) return;
  if ((op.flags & kThreadMask) != 0) c.write(op.dst, together, mask);
  c.write(static_cast<std::uint8_t>(op.dst + 1), state, mask);
}

/// Lanes whose token has, in bit 31, a phase that is over.
template <class Places, class Tokens>
std::uint32_t phases_over(const Places& at, const Tokens& token, std::uint32_t mask) {
  std::uint32_t over = 0;
  for_lanes(mask, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::uint32_t high;
    std::memcpy(&high, at[i] + 4, sizeof high);
    over |= static_cast<std::uint32_t>((high ^ token[i]) >> 31) << lane;
  });
  return over;
}

/// The wait has ended: the phase is over, or it was too long.
void finish_try(GlobalAccess& a) {
  Context c = context_of(a);
  c.write_predicate(a.op->pdst, phases_over(a.at, a.compare, a.mask), a.mask);
}

void exec_phase_check(Context& c, const MicroOp& op, std::uint32_t mask) {
  Access access;
  Lanes scratch;
  barrier_addresses(c, op, mask, access);
  const std::uint32_t* token = fetch_raw(c, op.src[0], scratch);
  const std::uint32_t over = phases_over(access.at, token, mask);
  const bool tries = (op.flags & kTries) != 0 && over != mask;
  // A warp that tries to wait lets others run.
  if (tries && c.deferred == nullptr && c.warp.tries++ < kMostTries) {
    c.outcome = Outcome::again;
    return;
  }
  c.warp.tries = 0;
  if (tries && c.deferred != nullptr) {
    GlobalAccess& a = defer(c, op, access, mask, finish_try);
    for_lanes(mask, [&](int lane) { a.compare[static_cast<std::size_t>(lane)] = token[lane]; });
  }
  record_lanes(c, trace::DetailKind::phase_test, mask, [&](int lane) {
    return trace::Detail::phase_bits({.phase = token[lane] >> 31 != 0, .over = (over >> lane & 1) != 0});
  });
  c.write_predicate(op.pdst, over, mask);
}

void exec_invalidate(Context& c, const MicroOp& op, std::uint32_t mask) {
  Access access;
  barrier_addresses(c, op, mask, access);
}

void decode_arrive(Decoder& d) {
  d.op.flags = (d.take("OPTOUT") ? kLeave : 0u) | (d.take("TMASK") ? kThreadMask : 0u);
  d.ignore({"RED"});
  // In the form without a name a thread arrives and expects as many bytes as the register says.
  constexpr std::uint32_t kForms[] = {0,
                                      kCountInRegister,
                                      kNoArrival | kBeginTransaction,
                                      kNoArrival | kExpectsBytes,
                                      kNoArrival | kCompletesBytes,
                                      kExpectsBytes};
  if (!d.take("TRANS64")) throw Unsupported{"this form of an arrival"};
  d.op.flags |= kForms[d.take_one_of({"A1T0", "ART0", "A0T1", "A0TR", "A0TX"}, 5)];
  d.op.dst = d.destination();
  d.op.address = d.address();
  d.op.src[0] = d.source();
  d.op.execute = exec_arrive;
}

void decode_syncs(Decoder& d) {
  set_shared(d.op);
  if (d.take("ARRIVE")) return decode_arrive(d);
  if (d.take("PHASECHK")) {
    d.ignore({"TRANS64"});
    d.op.flags = d.take("TRYWAIT") ? kTries : 0u;
    d.op.waits = true;
    d.op.pdst = d.predicate_destination();
    d.op.address = d.address();
    d.op.src[0] = d.source();
    d.op.execute = exec_phase_check;
  } else if (d.take("EXCH") && d.take("64")) {
    if (d.destination() != isa::kRZ) throw Unsupported{"an exchange with a result"};
    d.op.address = d.address();
    d.op.src[0] = d.source();
    d.op.execute = exec_exchange;
  } else if (d.take("CCTL") && d.take("IV")) {
    d.op.address = d.address();
    d.op.execute = exec_invalidate;
  } else {
    throw Unsupported{"this operation on a barrier"};
  }
}

constexpr Semantics kRows[] = {
    {"ARRIVES", decode_arrives, Exactness::exact, "", 80},
    {"SYNCS", decode_syncs, Exactness::exact, "", 90},
};

}  // namespace

void complete_transactions(Context& c, const MicroOp& op, std::byte* barrier, std::uint32_t bytes) {
  apply(c, op, 0, barrier, {.transactions = -static_cast<std::int32_t>(bytes)});
}

void decode_atoms_arrive(Decoder& d) {
  if (!d.take("64")) throw Unsupported{"only barriers of 64 bits are supported"};
  d.op.waits = true;
  set_shared(d.op);
  d.op.dst = d.destination();
  d.op.address = d.address();
  d.op.execute = exec_atoms_arrive;
}

std::span<const Semantics> shared_barrier_semantics() { return kRows; }

}  // namespace sassim::emu
