// SPDX-License-Identifier: Apache-2.0
// The crossbar between SMs on one side and L2 slices and the walker on the other. It passes messages from senders to
// receivers. SmPort holds the links and credits of an SM, SlicePort the links of a slice, NetworkPort what the slices
// of a partition have sent and what has arrived for them, Paths the latencies, and Topology the places of endpoints.
// Times are SM cycles.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "arch/common/state_parts.h"
#include "arch/network/load_merger.h"
#include "arch/network/network_port.h"
#include "arch/network/paths.h"
#include "arch/network/sm_port.h"
#include "arch/network/topology.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class Network {
 public:
  /// Throws InputError for an impossible network.
  explicit Network(const config::GpuConfig& config);

  const Topology& topology() const { return topology_; }
  std::vector<SmPort>& sm_ports() { return sm_ports_; }
  SmPort& port(SmId sm) { return sm_ports_.at(sm.value); }
  /// The port for the endpoint `first`, or for `count` slices from that one on.
  NetworkPort& attach(Endpoint first, std::uint32_t count = 1);
  /// The components that the engine advances.
  std::vector<Component*> components();
  Cycle lookahead() const { return paths_.lookahead(); }

  // between epochs
  /// Takes a request that left its SM at `now`, if its next receiver is in the share. Loads may merge with one of a
  /// neighbouring SM.
  void send(Endpoint to, MemRequest request, Cycle now, Share share = {});
  /// When the access of a live warp takes effect. `to` is where the request enters the L2, `home` the slice of its
  /// line. Atomics take effect at the home. Loads do where they enter, as a copy there answers them, and so do stores
  /// if there are copies, which keep what stores bring. A load that may merge takes effect at the LoadMerger.
  Cycle effect(Endpoint to, Endpoint home, const MemRequest& request) const;
  /// Delivers what the components sent, when all of them have simulated everything before `now`. Receivers then call
  /// settle() of their ports, which sorts what has arrived.
  void exchange(Cycle now);
  /// The same, shared by threads: deliver() by all, then settle() by all, then clear() by one.
  void deliver(Share share, Cycle now);
  void settle(Share share, Cycle now);
  void clear();
  /// Messages that wait for an exchange.
  std::size_t messages() const;

  void start_kernel();
  bool idle() const;
  void check_conservation() const;
  void report(stats::CounterValues& values) const;
  void describe_waits(WaitGraph& graph) const;
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, sm_ports_, mergers_, doors_);
  }

 private:
  bool merges(const MemRequest& request) const { return !mergers_.empty() && request.kind != RequestKind::translation; }
  void pass(const MemRequest& request, Share share);
  void pass(MemReply reply, Cycle now, Share share);
  void pass(const Credit& credit, Share share);
  NetworkPort& port_of(Endpoint of) { return *(of.is_walker() ? walker_ : slices_[of.slice().value]); }

  Topology topology_;
  Paths paths_;
  bool copies_;  ///< halves keep copies of each other's lines
  std::vector<SmPort> sm_ports_;
  std::vector<std::unique_ptr<LoadMerger>> mergers_;  ///< one for each GPC, or none
  std::deque<NetworkPort> doors_;
  std::vector<NetworkPort*> slices_;  ///< by slice
  NetworkPort* walker_ = nullptr;
};

}  // namespace sassim::arch
