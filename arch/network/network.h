// SPDX-License-Identifier: Apache-2.0
// The crossbar: SMs on one side, L2 slices and the walker of page tables on the other. Wires and credits of an SM are
// in SmPort, wires of a slice in SlicePort, latencies in Paths, who is where in Topology; here messages pass from one
// to the other. Times are SM cycles.
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

namespace sassim::arch {

class Network {
 public:
  /// Throws InputError for a network that cannot be built.
  explicit Network(const config::GpuConfig& config);

  const Topology& topology() const { return topology_; }
  std::vector<SmPort>& sm_ports() { return sm_ports_; }
  SmPort& port(SmId sm) { return sm_ports_.at(sm.value); }
  /// The door for whoever is `first`, or for so many slices from that on.
  NetworkPort& attach(Endpoint first, std::uint32_t count = 1);
  /// Parts that the engine advances.
  std::vector<Component*> components();
  Cycle lookahead() const { return paths_.lookahead(); }

  // between epochs
  /// A request of an SM, which left it at `now`, is on its way. Loads may join one of a neighbouring SM.
  void send(Endpoint to, MemRequest request, Cycle now);
  /// When a request that leaves its SM at its time is at its receiver; of loads that may join another, where they may.
  Cycle arrival(Endpoint to, const MemRequest& request) const;
  /// Everything before `now` has happened everywhere: what was sent goes to its receivers. Receivers settle their
  /// doors.
  void exchange(Cycle now);

  void start_kernel();
  bool idle() const;
  void check_conservation() const;
  void report(stats::MetricSet& metrics) const;
  void describe_waits(WaitGraph& graph) const;
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, sm_ports_, mergers_, doors_);
  }

 private:
  bool merges(const MemRequest& request) const { return !mergers_.empty() && request.kind != RequestKind::translation; }
  void deliver(const MemRequest& request);
  void deliver(MemReply reply, Cycle now);
  NetworkPort& door(Endpoint of) { return *(of.is_walker() ? walker_ : slices_[of.slice()]); }

  Topology topology_;
  Paths paths_;
  std::vector<SmPort> sm_ports_;
  std::vector<std::unique_ptr<LoadMerger>> mergers_;  ///< one for each GPC, or none
  std::deque<NetworkPort> doors_;
  std::vector<NetworkPort*> slices_;  ///< by slice
  NetworkPort* walker_ = nullptr;
};

}  // namespace sassim::arch
