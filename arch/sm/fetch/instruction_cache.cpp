// SPDX-License-Identifier: Apache-2.0
// An SM's cache of code and constants: answers the L0s and constant caches, and requests missing lines from the L2.
#include "arch/sm/fetch/instruction_cache.h"

#include <algorithm>

namespace sassim::arch {

namespace {

/// Lookups in the caches for code and constants of an SM.
const struct CodeCacheCounters {
  stats::Count code_hits{"sassim__icache_l1_hits.sum", "request",
                         "requests of L0s and stream buffers that hit the SM's instruction cache"};
  stats::Count code_misses{"sassim__icache_l1_misses.sum", "request",
                           "requests of L0s and stream buffers that missed the SM's instruction cache"};
  stats::Count constant_hits{"sassim__const_l15_hits.sum", "request",
                             "requests of first-level constant caches that hit the L1.5"};
  stats::Count constant_misses{"sassim__const_l15_misses.sum", "request",
                               "requests of first-level constant caches that missed the L1.5"};
} kCodeCache;
constexpr std::uint64_t kL2Line = 128;
}  // namespace

InstructionCache::InstructionCache(const config::FrontEnd& config, MemoryPort& port, SmId sm)
    : tags_(config.l1),
      l0_(config.l0),
      sm_(sm),
      port_(port),
      most_in_flight_(std::max(1u, config.l1_pending_requests)),
      lookup_(config.l1_lookup),
      constants_{.interval = config.gpc_constants.interval, .delay = config.constant_delay} {}

InstructionCache::Pieces InstructionCache::pieces_of(std::uint64_t line, std::uint64_t address,
                                                     std::uint64_t bytes) const {
  const std::uint64_t begin = line * tags_.line_bytes() / kL2Line;
  const std::uint64_t end = ((line + 1) * tags_.line_bytes() - 1) / kL2Line;
  const std::uint64_t first = std::max(address / kL2Line, begin);
  const std::uint64_t last = std::min((address + std::max<std::uint64_t>(bytes, 1) - 1) / kL2Line, end);
  return {static_cast<std::uint32_t>(first - begin), static_cast<std::uint32_t>(last - first + 1)};
}

/// Requests all pieces of a line, starting with those that a client waits for.
void InstructionCache::ask(std::uint64_t line, const Pieces& wanted, bool constant) {
  const std::uint64_t begin = line * tags_.line_bytes() / kL2Line;
  const std::uint32_t pieces = static_cast<std::uint32_t>(std::max<std::uint64_t>(tags_.line_bytes() / kL2Line, 1));
  for (std::uint32_t i = 0; i < pieces; ++i) {
    MemRequest request;
    request.address = (begin + (wanted.first + i) % pieces) * kL2Line;
    request.kind = constant ? RequestKind::constant : RequestKind::instruction;
    request.sectors = 0xf;
    out_.push_back(request);
  }
  pending_.push_back({line, Pieces{0, pieces}.mask(), {}});
}

void InstructionCache::request(std::uint64_t address, std::uint32_t bytes, std::uint32_t latency, const Client& client,
                               Cycle now) {
  const std::uint64_t line = tags_.line_of(address);
  const bool turns = client.constant() && constants_.interval > 1;
  const Cycle from = client.constant() ? std::max(now, arrival_of_constants(now)) : now;
  const Cycle free = std::max(now, lookup_free_), lookup = turns ? turn_lookup(from) : std::max(from, free);
  if (!turns) lookup_free_ = free + 1;
  const RequestKind kind = client.constant() ? RequestKind::constant : RequestKind::instruction;
  if (tags_.access(line, {kind, 0, sm_, now.value})) {
    ++hits_[client.constant()];
    answers_.add((client.constant() ? lookup : std::max(lookup, code_arrives_)) + std::max(1u, latency), client);
    return;
  }
  ++misses_[client.constant()];
  const Pieces wanted = pieces_of(line, address, bytes);
  auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.line == line; });
  if (found == pending_.end()) {
    ask(line, wanted, client.constant());
    found = pending_.end() - 1;
    send_at_ = std::min(send_at_, std::max(lookup + 1, place_free()));
  }
  const Waiting waiting{client, latency + (client.constant() ? constants_.delay : 0), wanted.mask() & found->missing};
  if (waiting.pieces == 0)
    answers_.add(lookup + std::max(1u, latency), client);
  else
    found->waiting.push_back(waiting);
}

Cycle InstructionCache::arrival_of_constants(Cycle now) {
  if (constants_.wait == 0) return Cycle{};
  if (constants_.arrive == kNever) constants_.arrive = now + constants_.wait;
  return constants_.arrive;
}

Cycle InstructionCache::turn_lookup(Cycle now) {
  if (constants_.turn.to_come || now >= constants_.turn.end || constants_.turn.lines == kConstantTurn) {
    if (!constants_.turn.to_come)
      for (std::uint32_t line = 0; line < kConstantTurn; ++line) constants_.pace[line] = line * constants_.interval / 2;
    const Cycle begin = constants_.turn.to_come ? now : std::max(now, constants_.turn.end);
    constants_.turn = {begin, begin + constants_.pace[0] + std::uint64_t{kConstantTurn} * constants_.interval};
  }
  return std::max(now, constants_.turn.begin + constants_.pace[constants_.turn.lines++]);
}

/// A fill takes as long to its client as a hit does, without the lookup.
void InstructionCache::answer(const Waiting& waiting, Cycle now) {
  answers_.add(now + (waiting.latency > lookup_ ? waiting.latency - lookup_ : 1), waiting.client);
}

void InstructionCache::reply(const MemReply& reply, Cycle now) {
  --in_flight_;
  if (!out_.empty()) send_at_ = std::min(send_at_, now);
  const std::uint64_t bytes = tags_.line_bytes();
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    Pending& pending = pending_[i];
    const std::uint64_t begin = pending.line * bytes / kL2Line, piece = reply.address / kL2Line;
    if (piece < begin || piece - begin >= 64 || (pending.missing >> (piece - begin) & 1) == 0) continue;
    const std::uint64_t here = 1ull << (piece - begin);
    pending.missing &= ~here;
    std::erase_if(pending.waiting, [&](Waiting& waiting) {
      const bool whole = waiting.pieces == here;
      waiting.pieces &= ~here;
      if (whole) answer(waiting, now);
      return whole;
    });
    if (pending.missing == 0) {
      tags_.insert(pending.line, {reply.kind, 0, sm_, now.value});
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
      --i;
    }
    if (bytes >= kL2Line) return;
  }
}

void InstructionCache::send(Cycle now) {
  while (!out_.empty() && in_flight_ < most_in_flight_ && port_.can_send(now, 0)) {
    ++in_flight_;
    MemRequest request = out_.front();
    request.time = now;
    out_.pop_front();
    port_.send(request, now);
  }
  if (out_.empty() || in_flight_ == most_in_flight_) {
    send_at_ = kNever;  // a reply wakes the waiting requests
    starved_ = false;
  } else {
    starved_ = true;
    send_at_ = now + 1;
  }
}

Cycle InstructionCache::next_event() const {
  return std::min(starved_ ? port_.ready_at(send_at_, 0) : send_at_, answers_.next());
}

void InstructionCache::report(stats::CounterValues& values) const {
  values.sum(kCodeCache.code_hits, hits_[0]);
  values.sum(kCodeCache.code_misses, misses_[0]);
  values.sum(kCodeCache.constant_hits, hits_[1]);
  values.sum(kCodeCache.constant_misses, misses_[1]);
}

}  // namespace sassim::arch
