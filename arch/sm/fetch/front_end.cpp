// SPDX-License-Identifier: Apache-2.0
// The L0 instruction cache of a processing block and the stream buffer that prefetches into it: hit, miss, fill.
#include "arch/sm/fetch/front_end.h"

#include <algorithm>
#include <bit>

#include "arch/sm/fetch/instruction_cache.h"

namespace sassim::arch {

namespace {

/// Fetches of a processing block.
const struct FetchCounters {
  stats::Count fetches{"sassim__icache_l0_fetches.sum", "inst",
                       "instructions fetched from the L0 instruction caches and their stream buffers"};
  stats::Count l0_misses{"sassim__icache_l0_misses.sum", "request",
                         "fetches that found their line neither in the L0 nor in the stream buffer"};
  stats::Count stream_hits{"sassim__icache_stream_hits.sum", "request",
                           "fetches that found their line in the stream buffer, not in the L0"};
} kFetch;

}  // namespace

FrontEnd::FrontEnd(const config::FrontEnd& config, InstructionCache& l1, std::uint8_t block)
    : config_(config), l1_(l1), block_(block), own_(config.l0), l0_(config.l0_shared ? l1.l0() : own_) {}

void FrontEnd::start_kernel(const CodePlace& code, bool keep_caches) {
  code_address_ = code.address;
  layout_ = code.layout;
  last_code_line_ = own_last_code_line_ = last_line_of(code);
  further_.clear();
  wanted_ = 0;
  last_line_ = kNoLine;
  stream_.clear();
  fetches_ = l0_misses_ = stream_hits_ = 0;
  if (!keep_caches) l0_.clear();
}

void FrontEnd::add_launch(CodeLine first_line, const CodePlace& code) {
  further_.push_back({first_line, code.address, last_line_of(code), code.layout});
}

std::uint64_t FrontEnd::address_of(CodeLine line) {
  if (further_.empty()) return code_address_ + layout_.pc(line);
  auto code = further_.rbegin();
  while (code != further_.rend() && code->first_line > line) ++code;
  const bool own = code == further_.rend();
  last_code_line_ = own ? own_last_code_line_ : code->last_code_line;
  return own ? code_address_ + layout_.pc(line) : code->address + code->layout.pc(line - code->first_line);
}

FrontEnd::Fetched FrontEnd::fetch(const WarpScheduler& scheduler, const ScheduleView& view,
                                  const std::vector<InstructionBuffer>& buffers, Cycle now) {
  const WarpIndex warp = only(wanted_) ? WarpIndex(std::countr_zero(wanted_)) : scheduler.fetch(wanted_, view);
  const std::uint64_t address = address_of(buffers[warp].to_fetch()->index);
  if (address - last_line_ >= l0_.line_bytes() && !config_.perfect) {
    const std::uint64_t line = l0_.line_of(address);
    if (!l0_.access(line, use(line, now)) && !serve_from_stream(line, now)) {
      miss(line, warp, now);
      return {};
    }
    last_line_ = line * l0_.line_bytes();
  }
  // Another processing block may have fetched the line for which this warp still waits.
  for (Miss& miss : misses_) miss.warps &= ~(1u << warp);
  ++fetches_;
  return {warp, now + config_.l0_latency};
}

void FrontEnd::miss(std::uint64_t line, WarpIndex warp, Cycle now) {
  ++l0_misses_;
  wanted_ &= ~(1u << warp);
  for (Miss& miss : misses_)
    if (miss.line == line) {
      miss.warps |= 1u << warp;
      return;
    }
  misses_.push_back({line, 1u << warp});
  const auto ahead = std::find_if(stream_.begin(), stream_.end(), [&](const Prefetched& p) { return p.line == line; });
  if (ahead != stream_.end()) {  // in flight already
    stream_.erase(stream_.begin(), ahead + 1);
  } else {
    ask(line, now);
    stream_.clear();
    next_prefetch_ = line + 1;
  }
  extend_stream(now);
}

bool FrontEnd::serve_from_stream(std::uint64_t line, Cycle now) {
  const auto found = std::find_if(stream_.begin(), stream_.end(), [&](const Prefetched& p) { return p.line == line; });
  if (found == stream_.end() || !found->arrived) return false;
  ++stream_hits_;
  l0_.insert(line, use(line, now));
  stream_.erase(stream_.begin(), found + 1);
  extend_stream(now);
  return true;
}

void FrontEnd::extend_stream(Cycle now) {
  while (stream_.size() < config_.prefetch_entries && next_prefetch_ <= last_code_line_) {
    const std::uint64_t line = next_prefetch_++;
    if (l0_.probe(line)) continue;
    stream_.push_back({line, false});
    ask(line, now);
  }
}

void FrontEnd::ask(std::uint64_t line, Cycle now) {
  l1_.request(line * config_.l0.line, config_.l0.line, config_.l1_latency,
              {block_, InstructionCache::Client::Wants::code, line}, now);
}

void FrontEnd::arrived(std::uint64_t line, Cycle now) {
  const Cycle at = std::max(now, fill_free_);
  fill_free_ = at + std::max(1u, config_.fill_cycles * config_.l0.line / 128);
  fills_.push_back({at, line});
}

/// A use of an instruction line counts as a use by the line's first instruction.
LineUse FrontEnd::use(std::uint64_t line, Cycle now) const {
  const auto pc = static_cast<std::uint32_t>(std::max(line * l0_.line_bytes(), code_address_) - code_address_);
  return {RequestKind::instruction, pc, l1_.sm(), now.value};
}

void FrontEnd::fill(std::uint64_t line, Cycle now) {
  const auto found = std::find_if(misses_.begin(), misses_.end(), [&](const Miss& m) { return m.line == line; });
  if (found != misses_.end()) {
    l0_.insert(line, use(line, now));
    last_line_ = kNoLine;
    wanted_ |= found->warps;
    misses_.erase(found);
    return;
  }
  for (Prefetched& prefetched : stream_)
    if (prefetched.line == line) prefetched.arrived = true;
}

void FrontEnd::report(stats::CounterValues& values) const {
  values.sum(kFetch.fetches, fetches_);
  values.sum(kFetch.l0_misses, l0_misses_);
  values.sum(kFetch.stream_hits, stream_hits_);
}

}  // namespace sassim::arch
