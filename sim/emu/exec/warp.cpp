// SPDX-License-Identifier: Apache-2.0
// Executes exchanges between the lanes of a warp: shuffles, votes, matches, sums.
#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {
namespace {

enum Shuffle : std::uint8_t { shuffle_index, shuffle_up, shuffle_down, shuffle_butterfly };

/// The clamp operand has the segment's mask in bits 8 to 12 and the last lane in bits 0 to 4 (PTX ISA, shfl.sync). On
/// an H100 a lane that does not execute the instruction gives 0, and reductions over the first lanes of a warp rely on
/// it.
SASSIM_LANE_LOOP void exec_shfl(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, out;
  const std::uint32_t* value = fetch_raw(c, op.src[0], s0);
  const std::uint32_t* which = fetch_raw(c, op.src[1], s1);
  const std::uint32_t* clamp = fetch_raw(c, op.src[2], s2);
  std::uint32_t from[32];
  std::uint8_t valid[32];
  // A lane whose source lies beyond its segment keeps its own value.
  using U = std::uint32_t;
  const auto choose = [&](auto source_of, auto in_range) {
    for (U lane = 0; lane < 32; ++lane) {
      const U segment = clamp[lane] >> 8 & 31, first = lane & segment, last = first | (clamp[lane] & 31 & ~segment);
      const U source = source_of(lane, which[lane] & 31, first, segment);
      const bool inside = in_range(source, last);
      from[lane] = inside ? source : lane;
      valid[lane] = inside ? 1 : 0;
    }
  };
  const auto at_most = [](U source, U last) { return source <= last; };
  if (op.mode == shuffle_up)
    choose([](U lane, U b, U, U) { return lane - b; },
           [](U source, U last) { return static_cast<std::int32_t>(source) >= static_cast<std::int32_t>(last); });
  else if (op.mode == shuffle_down)
    choose([](U lane, U b, U, U) { return lane + b; }, at_most);
  else if (op.mode == shuffle_butterfly)
    choose([](U lane, U b, U, U) { return lane ^ b; }, at_most);
  else
    choose([](U, U b, U first, U segment) { return first | (b & ~segment); }, at_most);
  Lanes given;
  select_lanes(mask, value, kZeroLanes.v, given);
  for (int lane = 0; lane < 32; ++lane) out.v[lane] = given.v[from[lane] & 31];
  c.write(op.dst, out, mask);
  c.write_predicate(op.pdst, pack_truth(valid), mask);
}
void decode_shfl(Decoder& d) {
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"IDX", "UP", "DOWN", "BFLY"}, 0));
  d.op.pdst = d.optional_predicate_destination();
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_shfl;
}

enum Vote : std::uint8_t { vote_any, vote_all, vote_equal };

std::uint32_t vote_truth(std::uint8_t mode, std::uint32_t votes, std::uint32_t mask) {
  const bool any = votes != 0, all = votes == mask;
  const bool truth = mode == vote_all ? all : mode == vote_equal ? all || !any : any;
  return truth ? kAllLanes : 0u;
}

void exec_vote(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t votes = c.predicate(op.psrc[0]) & mask;
  Lanes out;
  for (std::uint32_t& v : out.v) v = votes;
  c.write(op.dst, out, mask);
  c.write_predicate(op.pdst, vote_truth(op.mode, votes, mask), mask);
}
/// VOTE.ANY R0, PT, P1 / VOTE.ANY P0, P1
void decode_vote(Decoder& d) {
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"ANY", "ALL", "EQ"}, 0));
  if (d.next_is(isa::OperandKind::reg)) d.op.dst = d.destination();
  d.op.pdst = d.predicate_destination();
  d.op.psrc[0] = d.predicate();
  d.op.execute = exec_vote;
}

void exec_voteu(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t votes = c.predicate(op.psrc[0]) & mask;
  if (op.dst != isa::kRZ) c.fragment->ur[op.dst] = votes;
  if (op.pdst != isa::kPT) {
    const bool truth = vote_truth(op.mode, votes, mask) != 0;
    c.fragment->up = static_cast<std::uint8_t>((c.fragment->up & ~(1u << op.pdst)) | (truth ? 1u : 0u) << op.pdst);
  }
}
void decode_voteu(Decoder& d) {
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"ANY", "ALL", "EQ"}, 0));
  if (d.next_is(isa::OperandKind::ureg)) d.op.dst = d.destination();
  d.op.pdst = d.predicate_destination();
  d.op.psrc[0] = d.predicate();
  d.op.execute = exec_voteu;
}

void exec_match(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes out;
  Lanes64 s;
  const std::uint64_t* value;
  if (op.size == 8) {
    value = fetch64(c, op.src[0], s, false);
  } else {
    Lanes narrow;
    const std::uint32_t* x = fetch_raw(c, op.src[0], narrow);
    for (int i = 0; i < 32; ++i) s.v[i] = x[i];
    value = s.v;
  }
  std::uint32_t values = 0;
  for_lanes(mask, [&](int lane) {
    std::uint32_t same = 0;
    for_lanes(mask, [&](int other) { same |= (value[other] == value[lane] ? 1u : 0u) << other; });
    out.v[lane] = op.mode != 0 && same != mask ? 0 : same;
    values += first_lane(same) == lane ? 1 : 0;
  });
  if (op.memory) c.record(trace::DetailKind::match_values, values);
  const bool all = (out.v[first_lane(mask)] & mask) == mask;
  c.write(op.dst, out, mask);
  c.write_predicate(op.pdst, all ? kAllLanes : 0u, mask);
}
void decode_match(Decoder& d) {
  d.op.mode = d.take("ALL") ? 1 : 0;
  d.ignore({"ANY"});
  d.op.memory = d.op.mode == 0;  // the trace records how many different values there are
  d.op.size = d.take("U64") ? 8 : 4;
  d.op.pdst = d.optional_predicate_destination();
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.execute = exec_match;
}

enum Reduction : std::uint8_t { red_and, red_or, red_xor, red_sum, red_min, red_max };

void exec_redux(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s;
  const std::uint32_t* x = fetch_raw(c, op.src[0], s);
  const bool is_signed = op.flags != 0;
  std::uint32_t result = x[first_lane(mask)];
  for_lanes(mask & (mask - 1), [&](int lane) {
    const std::uint32_t y = x[lane];
    const bool less = is_signed ? static_cast<std::int32_t>(y) < static_cast<std::int32_t>(result) : y < result;
    switch (op.mode) {
      case red_and:
        result &= y;
        break;
      case red_or:
        result |= y;
        break;
      case red_xor:
        result ^= y;
        break;
      case red_sum:
        result += y;
        break;
      case red_min:
        result = less ? y : result;
        break;
      default:
        result = less ? result : y;
        break;
    }
  });
  if (op.dst != isa::kRZ) c.fragment->ur[op.dst] = result;
}
/// The result is a uniform register.
void decode_redux(Decoder& d) {
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"AND", "OR", "XOR", "SUM", "MIN", "MAX"}, red_and));
  d.op.flags = d.take("S32") ? 1 : 0;
  d.ignore({"U32"});
  if (!d.next_is(isa::OperandKind::ureg)) throw Unsupported{"a destination that is not a uniform register"};
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.execute = exec_redux;
}

constexpr Semantics kRows[] = {
    {"SHFL", decode_shfl},
    {"VOTE", decode_vote},
    {"VOTEU", decode_voteu, Exactness::exact, "", 75},
    {"MATCH", decode_match},
    {"REDUX", decode_redux, Exactness::exact, "", 80},
};

}  // namespace

std::span<const Semantics> warp_semantics() { return kRows; }

}  // namespace sassim::emu
