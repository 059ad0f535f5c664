// SPDX-License-Identifier: Apache-2.0
// How a launch of a CUDA graph lets its branches overlap, like streams, where they do not depend on each other. Each
// branch runs in a stream: the first in the stream of the launch, the others in streams that the launch adds. A branch
// begins after the earlier work of that stream, a step waits for the steps of other branches that it depends on, and
// the stream's later work waits for all.
#pragma once

#include <vector>

#include "sim/cuda/graph.h"

namespace sassim::cuda {

/// The branch of each step, from 0. A step continues the branch of a step that it depends on, unless another step has.
/// It may also continue a branch that ends before it. `after`: for each step the earlier steps that it depends on.
std::vector<std::size_t> branches_of(const std::vector<std::vector<std::size_t>>& after);

/// One launch of a graph. Calls must come in the order of the steps.
class GraphBranches {
 public:
  /// `steps` must outlive this object. Where kernels never overlap, all steps run in one stream.
  GraphBranches(Session&, Stream origin, const std::vector<GraphExec::Step>& steps);
  /// The stream of a step, which then waits for what the step depends on.
  Stream begin(std::size_t step);
  void end(std::size_t step);
  /// Later work of the stream of the launch waits for all branches.
  void join();

 private:
  Timeline& timeline() const;

  Session& session_;
  const std::vector<GraphExec::Step>& steps_;
  std::vector<Stream> streams_;    ///< of the branches
  std::vector<bool> begun_;        ///< by branch
  std::vector<EventState> ended_;  ///< by step, of those that other branches wait for
  std::vector<bool> awaited_;      ///< by step: another branch waits for it
  EventState start_;
};

}  // namespace sassim::cuda
