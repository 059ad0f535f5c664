// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/full_memory.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/registry.h"

namespace sassim::arch {

namespace {

const Registered<MemorySystem, FullMemory, const config::GpuConfig&> full_memory_registered("full");

void check(const config::GpuConfig& config) {
  const config::CrossbarConfig& x = config.memory.crossbar;
  if (x.request_latency == 0 || x.reply_latency == 0)
    throw InputError("memory.crossbar: request_latency and reply_latency must be at least 1 cycle");
  if (config.memory.l2.partitions > 1 && x.far_latency == 0)
    throw InputError("memory.halves.latency must be at least 1 cycle between the halves");
  if (x.request_bytes_per_cycle == 0 || x.reply_bytes_per_cycle == 0 || x.slice_request_bytes_per_cycle == 0 ||
      x.slice_reply_bytes_per_cycle == 0 || x.flit == 0 || x.credits == 0)
    throw InputError("memory.crossbar: widths, flit and credits must not be 0");
  if (config.sm.count >= kSliceSender)
    throw InputError("sm.count is {}; expected below {}", config.sm.count, kSliceSender);
  if (config.clock.sm == 0 || config.clock.l2 == 0 || config.clock.dram == 0)
    throw InputError("clock: no clock may be 0 Hz");
}

}  // namespace

FullMemory::FullMemory(const config::GpuConfig& config)
    : config_((check(config), config)),
      shape_(config.memory),
      map_(config.memory.l2),
      topology_(config),
      distance_(config, topology_),
      first_hop_(config.memory.crossbar.merge_window == 0 ? config.memory.crossbar.request_latency
                                                           : config.memory.crossbar.request_latency / 2),
      translator_(config.memory) {
  for (std::uint32_t i = 0; i < config.sm.count; ++i)
    ports_.emplace_back(SmId(static_cast<std::uint16_t>(i)), config.memory.crossbar);
  for (std::uint32_t i = 0; i < shape_.count; ++i)
    partitions_.push_back(std::make_unique<Partition>(config_, map_, topology_, i));
  if (config.memory.crossbar.merge_window == 0) return;
  for (std::uint32_t i = 0; i < topology_.gpcs(); ++i)
    mergers_.push_back(std::make_unique<LoadMerger>(config.memory.crossbar, first_hop_));
}

std::vector<Component*> FullMemory::components() {
  std::vector<Component*> all{&translator_};
  for (auto& partition : partitions_) all.push_back(partition.get());
  for (auto& merger : mergers_) all.push_back(merger.get());
  return all;
}

Cycle FullMemory::lookahead() const {
  const config::CrossbarConfig& x = config_.memory.crossbar;
  const std::uint32_t path = std::min({first_hop_, x.request_latency - (mergers_.empty() ? 0 : first_hop_), x.reply_latency});
  return Cycle{config_.memory.l2.partitions > 1 ? std::min(path, x.far_latency) : path};
}

/// From an SM or the walker to the slice, or the TLB. What is for a line at home in the other half goes to the near
/// half's slice of the same number: a read looks for a copy there, and whatever changes the line is passed on.
void FullMemory::route(MemRequest request) {
  if (request.kind == RequestKind::translation) return translator_.deliver(request);
  std::uint32_t slice = map_.place(request.address).slice;
  if (config_.memory.l2.partitions > 1) {
    const bool upper = request.sm != kWalker && topology_.upper_half(request.sm);
    if (upper != upper_half(slice)) {
      if (changes_line(request.kind) || config_.memory.l2.near_copies)
        slice = (slice + map_.slices() / 2) % map_.slices();
      else
        request.time += Cycle{config_.memory.crossbar.far_latency};
    }
  }
  if (request.sm != kWalker) request.time += distance_.of(request.sm, slice);
  partitions_[partition_of(slice)]->deliver(request);
}

void FullMemory::route(MemReply reply, Cycle now) {
  if (reply.merger != 0) return mergers_[topology_.gpc(reply.sm)]->deliver(reply, now);
  if (reply.sm == kWalker)
    translator_.deliver(reply);
  else if (is_from_slice(reply.sm))
    partitions_[partition_of(reply.sm.value & ~kSliceSender)]->deliver(reply);
  else {
    if (reply.source < map_.slices()) reply.time += distance_.of(reply.sm, reply.source);
    ports_[reply.sm.value].deliver(reply);
  }
}

void FullMemory::exchange(Cycle now) {
  for (SmPort& port : ports_) {
    for (MemRequest& request : port.sent()) {
      const bool merges = !mergers_.empty() && request.kind != RequestKind::translation;
      request.time += Cycle{merges ? first_hop_ : config_.memory.crossbar.request_latency};
      if (merges)
        mergers_[topology_.gpc(request.sm)]->deliver(request);
      else
        route(request);
    }
    port.sent().clear();
  }
  for (const MemRequest& request : translator_.sent()) route(request);
  translator_.sent().clear();
  const auto collect = [this, now](auto& part) {
    for (const MemReply& reply : part.replies()) route(reply, now);
    part.replies().clear();
    for (const Partition::Credit& credit : part.credits())
      ports_[credit.sm.value].return_credit({credit.time, credit.write_sectors});
    part.credits().clear();
  };
  collect(translator_);
  for (auto& partition : partitions_) {
    collect(*partition);
    for (const MemRequest& request : partition->sent()) {
      // Between the halves: a wanted line goes to its home, word of a write to where its copy is.
      const std::uint32_t home = map_.place(request.address).slice;
      const bool to_copy = request.kind == RequestKind::invalidate;
      partitions_[partition_of(to_copy ? (home + map_.slices() / 2) % map_.slices() : home)]->deliver(request);
    }
    partition->sent().clear();
  }
  for (auto& merger : mergers_) {
    for (MemRequest& request : merger->sent()) route(request);
    merger->sent().clear();
    collect(*merger);
    merger->settle(now);
  }
  translator_.settle(now);
  for (SmPort& port : ports_) port.settle(now);
  for (auto& partition : partitions_) partition->settle(now);
}

void FullMemory::start_kernel(bool keep_caches) {
  for (SmPort& port : ports_) port.start_kernel();
  for (auto& partition : partitions_) partition->start_kernel(keep_caches);
  for (auto& merger : mergers_) merger->start_kernel();
  translator_.start_kernel(keep_caches);
  if (!keep_caches) uploads_.clear();
}

void FullMemory::written(std::uint64_t address, std::uint64_t bytes, bool from_host) {
  const std::uint64_t line = config_.memory.l2.line;
  const config::L2Config& l2 = config_.memory.l2;
  // Where pages begin at any set, some sets get half as many lines as others: twice the cache passes through all.
  const std::uint64_t kept = from_host ? l2.upload : l2.size * (l2.page == 0 ? 1 : 2);
  // Whole lines only: of a line that is written in part the rest would have to come from DRAM.
  const std::uint64_t end = (address + bytes) / line * line;
  std::uint64_t at = (address + line - 1) / line * line;
  if (end > at && end - at > kept) at = end - kept / line * line;
  if (from_host && at < end) displace_uploads({at, end}, kept / line * line);
  for (; at < end; at += line) {
    const SliceMap::Place place = map_.place(at);
    if (config_.memory.l2.partitions > 1) {
      const std::uint32_t other = (place.slice + map_.slices() / 2) % map_.slices();
      partitions_[partition_of(other)]->forget_copy(other, place.line);
    }
    partitions_[partition_of(place.slice)]->hold(place.slice, place.line, !from_host);
  }
}

/// Copies from the host share one part of the L2: what came first makes room.
void FullMemory::displace_uploads(const Span& fresh, std::uint64_t room) {
  uploads_.push_back(fresh);
  std::uint64_t held = 0;
  for (const Span& span : uploads_) held += span.end - span.begin;
  const std::uint64_t line = config_.memory.l2.line;
  for (; held > room; held -= line) {
    Span& oldest = uploads_.front();
    const std::uint64_t at = oldest.begin;
    oldest.begin += line;
    if (oldest.begin == oldest.end) uploads_.pop_front();
    const auto holds = [at](const Span& span) { return span.begin <= at && at < span.end; };
    if (std::any_of(uploads_.begin(), uploads_.end(), holds)) continue;  // it came again since
    const SliceMap::Place place = map_.place(at);
    partitions_[partition_of(place.slice)]->forget(place.slice, place.line);
  }
}

void FullMemory::read_by_launch(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t line = config_.memory.l2.line;
  for (std::uint64_t at = address / line * line; at < address + bytes; at += line) {
    const SliceMap::Place place = map_.place(at);
    partitions_[partition_of(place.slice)]->bring(place.slice, place.line);
  }
}

bool FullMemory::idle() const {
  return translator_.idle() &&
         std::all_of(mergers_.begin(), mergers_.end(), [](const auto& merger) { return merger->idle(); }) &&
         std::all_of(ports_.begin(), ports_.end(), [](const SmPort& port) { return port.idle(); }) &&
         std::all_of(partitions_.begin(), partitions_.end(), [](const auto& partition) { return partition->idle(); });
}

void FullMemory::check_conservation() const {
  for (const SmPort& port : ports_) port.check_conservation();
  for (const auto& partition : partitions_) partition->check_conservation();
  translator_.check_conservation();
}

void FullMemory::report(stats::MetricSet& metrics) const {
  for (const SmPort& port : ports_) port.report(metrics);
  for (const auto& partition : partitions_) partition->report(metrics);
  for (const auto& merger : mergers_) merger->report(metrics);
  translator_.report(metrics);
}

std::string FullMemory::waiting() const {
  std::string text;
  for (const auto& port : ports_) text += port.waiting();
  text += translator_.waiting();
  for (const auto& partition : partitions_) text += partition->waiting();
  return text;
}

}  // namespace sassim::arch
