// SPDX-License-Identifier: Apache-2.0
// The throughput bound of a kernel: how long one warp occupies each resource of an SM, as the worksheet of section 3.6
// of Volkov's dissertation adds it up. A test compares it with the dissertation; no command uses it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sassim::model {

class Worksheet {
 public:
  struct Use {
    std::string what;
    double cpi = 0;           ///< cycles per instruction in which no other instruction can use the resource
    double instructions = 0;  ///< per warp
    double cycles() const { return cpi * instructions; }
  };
  struct Resource {
    std::string name;
    std::vector<Use> uses;
    double cycles() const;  ///< per warp
  };

  /// Resources keep the order in which they are added.
  void add(std::string_view resource, std::string what, double cpi, double instructions);

  const std::vector<Resource>& resources() const { return resources_; }
  /// nullptr if the warp does not use the resource.
  const Resource* find(std::string_view resource) const;
  /// The resource that limits throughput. Throws std::logic_error if there are no resources.
  const Resource& tightest() const;
  /// Warps per cycle and SM.
  double warp_throughput() const { return 1 / tightest().cycles(); }

 private:
  std::vector<Resource> resources_;
};

/// The capacity of one SM, as in the dissertation's Table 3.3.
struct ThroughputLimits {
  double cores = 128;  ///< lanes for adds
  double sfus = 32;
  double shared_banks = 32;
  double memory_bytes_per_cycle = 10.4;
  double issues_per_cycle = 4;
};

/// Instructions per warp, as in its Table 3.2.
struct InstructionCounts {
  double core = 0, sfu = 0;
  double shared = 0, shared_two_way = 0;     ///< no conflict, 2-way conflict
  double memory = 0, memory_stride_two = 0;  ///< 32-bit loads that miss, coalesced and with stride 2
  double dual_issues = 0;                    ///< pairs that use one issue slot
  double total() const { return core + sfu + shared + shared_two_way + memory + memory_stride_two; }
};

/// The worksheet of the dissertation's Table 3.4. Accesses with conflicts, and uncoalesced accesses, issue twice.
Worksheet throughput_worksheet(const ThroughputLimits& sm, const InstructionCounts& warp);

}  // namespace sassim::model
