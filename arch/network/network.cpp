// SPDX-License-Identifier: Apache-2.0
// Carries requests and replies between SMs, L2 slices and the page walker, and exchanges them between epochs.
#include "arch/network/network.h"

#include <algorithm>

#include "arch/common/wait_names.h"
#include "sim/base/error.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {

void check(const config::GpuConfig& config) {
  const config::CrossbarConfig& x = config.memory.crossbar;
  if (x.request_bytes_per_cycle == 0 || x.reply_bytes_per_cycle == 0 || x.slice_request_bytes_per_cycle == 0 ||
      x.slice_reply_bytes_per_cycle == 0 || x.flit == 0 || x.credits == 0)
    throw InputError("memory.crossbar: widths, flit and credits must not be 0");
  if (config.sm.count > Endpoint::kMost)
    throw InputError("sm.count is {}; expected at most {}", config.sm.count, Endpoint::kMost);
  if (config.memory.l2.slices > Endpoint::kMost)
    throw InputError("memory.l2.slices is {}; expected at most {}", config.memory.l2.slices, Endpoint::kMost);
}

}  // namespace

Network::Network(const config::GpuConfig& config)
    : topology_((check(config), config)),
      paths_(config, topology_),
      copies_(config.memory.halves.near_copies),
      slices_(config.memory.l2.slices) {
  for (std::uint32_t i = 0; i < config.sm.count; ++i)
    sm_ports_.emplace_back(SmId(static_cast<std::uint16_t>(i)), config.memory.crossbar);
  if (config.memory.crossbar.merge.window == 0) return;
  for (std::uint32_t i = 0; i < topology_.gpcs(); ++i)
    mergers_.push_back(std::make_unique<LoadMerger>(config.memory.crossbar, paths_.lookahead()));
}

NetworkPort& Network::attach(Endpoint first, std::uint32_t count) {
  NetworkPort& port = doors_.emplace_back(paths_, first, doors_.size());
  if (first.is_walker())
    walker_ = &port;
  else
    std::fill_n(slices_.begin() + first.slice().value, count, &port);
  return port;
}

std::vector<Component*> Network::components() {
  std::vector<Component*> all;
  for (auto& merger : mergers_) all.push_back(merger.get());
  return all;
}

void Network::send(Endpoint to, MemRequest request, Cycle now, Share share) {
  request.to = to;
  if (merges(request)) {
    const std::uint32_t gpc = topology_.gpc(request.from.sm());
    if (!share.has(gpc)) return;
    request.time = now + paths_.request_to_gpc();
    mergers_[gpc]->deliver(request);
  } else {
    request.time = now + paths_.request(request.from, to, request.kind);
    pass(request, share);
  }
}

Cycle Network::effect(Endpoint to, Endpoint home, const MemRequest& request) const {
  if (!mergers_.empty() && mergers_.front()->may_merge(request)) return request.time + paths_.request_to_gpc();
  const Cycle enters = request.time + paths_.request(request.from, to, request.kind);
  const bool in_copy = copies_ && request.kind == RequestKind::store;
  return home == to || in_copy || !changes_line(request.kind) ? enters
                                                              : enters + paths_.request(to, home, request.kind);
}

void Network::pass(const MemRequest& request, Share share) {
  NetworkPort& port = port_of(request.to);
  if (share.has(port.number())) port.deliver(request);
}

/// Replies to merged loads go to the LoadMerger of the GPC first.
void Network::pass(MemReply reply, Cycle now, Share share) {
  if (!reply.to.is_sm()) {
    NetworkPort& port = port_of(reply.to);
    if (share.has(port.number())) port.deliver(reply);
  } else if (reply.merger != 0) {
    const std::uint32_t gpc = topology_.gpc(reply.to.sm());
    if (share.has(gpc)) mergers_[gpc]->deliver(reply, now);
  } else if (share.has(reply.to.sm().value)) {
    reply.time += paths_.reply_from_gpc(reply.from, reply.to.sm());
    sm_ports_[reply.to.sm().value].deliver(reply);
  }
}

void Network::pass(const Credit& credit, Share share) {
  if (share.has(credit.to.value)) sm_ports_[credit.to.value].return_credit(credit);
}

void Network::exchange(Cycle now) {
  deliver({}, now);
  settle({}, now);
  clear();
}

void Network::deliver(Share share, Cycle now) {
  for (const NetworkPort& from : doors_) {
    for (const MemRequest& request : from.sent_) pass(request, share);
    for (const MemReply& reply : from.replies_) pass(reply, now, share);
    for (const Credit& credit : from.credits_) pass(credit, share);
  }
}

/// What mergers give out now, too: replies that arrived in this exchange may be among it.
void Network::settle(Share share, Cycle now) {
  for (auto& merger : mergers_) {
    for (MemRequest request : merger->sent()) {
      request.time += Cycle{(paths_.request(request.from, request.to, request.kind) - paths_.request_to_gpc()).value};
      pass(request, share);
    }
    for (const MemReply& reply : merger->replies()) pass(reply, now, share);
    for (Credit credit : merger->credits()) {
      credit.time += paths_.credit();
      pass(credit, share);
    }
  }
  for (std::size_t i = 0; i < mergers_.size(); ++i)
    if (share.has(i)) mergers_[i]->settle(now);
  for (SmPort& port : sm_ports_)
    if (share.has(port.sm().value)) port.settle(now);
}

void Network::clear() {
  for (NetworkPort& from : doors_) {
    from.sent_.clear();
    from.replies_.clear();
    from.credits_.clear();
  }
  for (auto& merger : mergers_) merger->clear_sent();
}

std::size_t Network::messages() const {
  std::size_t count = 0;
  for (const SmPort& port : sm_ports_) count += port.sent().size();
  for (const NetworkPort& from : doors_) count += from.unsent();
  return count;
}

void Network::start_kernel() {
  for (SmPort& port : sm_ports_) port.start_kernel();
  for (auto& merger : mergers_) merger->start_kernel();
}

bool Network::idle() const {
  return std::all_of(mergers_.begin(), mergers_.end(), [](const auto& merger) { return merger->idle(); }) &&
         std::all_of(sm_ports_.begin(), sm_ports_.end(), [](const SmPort& port) { return port.idle(); });
}

void Network::check_conservation() const {
  for (const SmPort& port : sm_ports_) port.check_conservation();
}

void Network::report(stats::CounterValues& values) const {
  for (const SmPort& port : sm_ports_) port.report(values);
  for (const auto& merger : mergers_) merger->report(values);
}

void Network::describe_waits(WaitGraph& graph) const {
  for (const SmPort& port : sm_ports_) port.describe_waits(graph, kNetworkName);
  const auto held = std::count_if(mergers_.begin(), mergers_.end(), [](const auto& merger) { return !merger->idle(); });
  if (held != 0) graph.describe(graph.node(kNetworkName), fmt::format("the load mergers of {} GPCs hold loads", held));
}

}  // namespace sassim::arch
