// SPDX-License-Identifier: Apache-2.0
// Answers TLB misses of the SMs from the second-level TLB, and walks the page table for those that miss it.
#include "arch/memory/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/common/wait_names.h"
#include "sim/base/error.h"
#include "sim/config/groups/memory.h"

namespace sassim::arch {

namespace {

/// What the second-level TLB and its walker count.
const struct TranslatorCounters {
  stats::Count lookups{"sassim__l2_tlb_lookups.sum", "request", "translations that first-level TLBs requested"};
  stats::Count hits{"sassim__l2_tlb_hits.sum", "request", "translations that the L2 TLB held"};
  stats::Count misses{"sassim__l2_tlb_misses.sum", "request", "translations that the L2 TLB did not hold"};
  stats::Count merged{"sassim__l2_tlb_merged.sum", "request", "misses that joined a page walk in flight"};
  stats::Count walks{"sassim__page_walks.sum", "walk", "walks of the page table"};
} kTranslator;

/// Page tables are above all addresses of a kernel.
constexpr std::uint64_t kTables = std::uint64_t{1} << 56;
constexpr std::uint32_t kEntryBytes = 8;

}  // namespace

Translator::Translator(const config::Memory& config, bool of_program, const EntrySlice& entry, NetworkPort& network)
    : config_(config.l2_tlb),
      of_program_(of_program),
      walk_latency_(config.page_walk_latency),
      walkers_(std::max(config.page_walkers, 1u)),
      entry_(entry),
      network_(network),
      tlb_(config.l2_tlb, "memory.l2_tlb"),
      lookups_(1) {
  if (!tlb_.enabled()) throw InputError("memory.l2_tlb.entries is 0: expected at least one");
}

Cycle Translator::next_event() const {
  const auto at = [](const auto& inbox) { return inbox.empty() ? kNever : inbox.front().time; };
  return std::min(at(network_.replies()), at(network_.requests()));
}

void Translator::advance(Cycle until) {
  for (Cycle now = next_event(); now < until; now = next_event()) {
    if (auto& loaded = network_.replies(); !loaded.empty() && loaded.front().time == now) {
      const MemReply reply = loaded.front();
      loaded.pop();
      step(reply);
    } else {
      const MemRequest request = network_.requests().front();
      network_.requests().pop();
      look_up(request, lookups_.occupy(now, 1));
    }
  }
}

void Translator::look_up(const MemRequest& request, Cycle now) {
  ++counts_.asked;
  network_.return_credit(request.from.sm(), write_sectors(request), now);
  const std::uint64_t page = request.address / config_.page;
  if (tlb_.lookup(request.address, {request.kind, request.pc, request.sm, now.value})) {
    ++counts_.hits;
    reply(request, now + config_.latency);
    return;
  }
  ++counts_.misses;
  const auto [found, fresh] = walks_.try_emplace(page);
  found->second.waiting.push_back(request);
  if (!fresh) {
    ++counts_.merged;
    return;
  }
  if (walking_ == walkers_) {
    waiting_for_walker_.push(page);
    return;
  }
  ++walking_;
  load(page, found->second, now + config_.latency);
}

void Translator::load(std::uint64_t page, Walk& walk, Cycle now) {
  const std::uint64_t address = kTables + page * kEntryBytes;
  if (free_loads_.empty()) {
    free_loads_.push_back(static_cast<std::uint32_t>(loads_.size()));
    loads_.push_back(0);
  }
  MemRequest request;
  request.tag = free_loads_.back();
  free_loads_.pop_back();
  loads_[request.tag] = page;
  request.address = address / 128 * 128;
  request.sectors = static_cast<std::uint8_t>(1u << (address % 128 / kSectorBytes));
  request.from = Endpoint::walker();
  request.sm = walk.waiting.front().sm;
  request.pc = walk.waiting.front().pc;
  request.sequence = request_sequence_++;
  network_.send(entry_.of(request.from, request.kind, request.address), request, now);
}

void Translator::step(const MemReply& loaded) {
  const std::uint64_t page = loads_[loaded.tag];
  free_loads_.push_back(loaded.tag);
  finish(page, loaded.time);
}

void Translator::finish(std::uint64_t page, Cycle now) {
  auto walk = walks_.extract(page);
  const MemRequest& first = walk.mapped().waiting.front();
  tlb_.insert(first.address, {first.kind, first.pc, first.sm, now.value});
  translated_.push_back(first.address);
  ++counts_.walks;
  for (const MemRequest& request : walk.mapped().waiting) reply(request, now + walk_latency_);
  if (waiting_for_walker_.empty()) {
    --walking_;
    return;
  }
  const std::uint64_t next = waiting_for_walker_.front();
  waiting_for_walker_.pop();
  load(next, walks_.at(next), now);
}

void Translator::reply(const MemRequest& request, Cycle time) {
  ++counts_.answered;
  MemReply message = answer(request, Cycle{});
  message.from = Endpoint::walker();
  message.sequence = reply_sequence_++;
  network_.send(request.from, message, time);
}

void Translator::start_kernel(bool keep_caches) {
  if (!keep_caches && !of_program_) {
    tlb_.clear();
    translated_.clear();
  }
  counts_.hits = counts_.misses = counts_.merged = counts_.walks = counts_.asked = counts_.answered = 0;
}

void Translator::check_conservation() const {
  if (counts_.asked != counts_.answered)
    throw std::logic_error(
        fmt::format("L2 TLB: {} translations requested, {} answered", counts_.asked, counts_.answered));
}

void Translator::report(stats::CounterValues& m) const {
  m.sum(kTranslator.lookups, counts_.asked);
  m.sum(kTranslator.hits, counts_.hits);
  m.sum(kTranslator.misses, counts_.misses);
  m.sum(kTranslator.merged, counts_.merged);
  m.sum(kTranslator.walks, counts_.walks);
}

void Translator::describe_waits(WaitGraph& graph) const {
  if (idle()) return;
  const WaitGraph::Node self = graph.node(kL2TlbName);
  graph.describe(self,
                 fmt::format("{} page walks in flight, {} wait for a walker", walking_, waiting_for_walker_.size()));
  if (walking_ != 0) graph.waits(self, graph.node(kNetworkName), "loads from page tables");
}

}  // namespace sassim::arch
