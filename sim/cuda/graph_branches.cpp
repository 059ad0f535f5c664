// SPDX-License-Identifier: Apache-2.0
// Divides the steps of a CUDA graph into branches, and orders the branches of a launch by events.
#include "sim/cuda/graph_branches.h"

#include <algorithm>

#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

/// Whether `step` depends on `before`, directly or not.
bool depends(const std::vector<std::vector<std::size_t>>& after, std::size_t step, std::size_t before) {
  std::vector<bool> seen(step + 1);
  std::vector<std::size_t> open = {step};
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    if (next == before) return true;
    if (next < before || seen[next]) continue;  // steps depend on earlier ones only
    seen[next] = true;
    open.insert(open.end(), after[next].begin(), after[next].end());
  }
  return false;
}

}  // namespace

std::vector<std::size_t> branches_of(const std::vector<std::vector<std::size_t>>& after) {
  std::vector<std::size_t> result(after.size()), last;  // last: the last step of each branch
  for (std::size_t step = 0; step < after.size(); ++step) {
    const auto is_last = [&](std::size_t before) { return last[result[before]] == before; };
    const auto direct = std::find_if(after[step].begin(), after[step].end(), is_last);
    std::size_t branch = 0;
    if (direct != after[step].end())
      branch = result[*direct];
    else
      while (branch < last.size() && !depends(after, step, last[branch])) ++branch;
    if (branch == last.size()) last.push_back(step);
    last[branch] = step;
    result[step] = branch;
  }
  return result;
}

GraphBranches::GraphBranches(Session& session, Stream origin, const std::vector<GraphExec::Step>& steps)
    : session_(session), steps_(steps), streams_{origin}, begun_{true}, ended_(steps.size()), awaited_(steps.size()) {
  std::size_t count = 1;
  for (const GraphExec::Step& step : steps) count = std::max(count, step.branch + 1);
  if (count == 1 || !timeline().overlaps()) return;
  std::vector<Stream>& added = session.graphs().branches[origin];
  const int priority = timeline().find(origin)->priority;
  while (added.size() + 1 < count) added.push_back(timeline().create_stream(false, priority));
  for (std::size_t i = 0; i + 1 < count; ++i) {
    timeline().find(added[i])->priority = priority;
    streams_.push_back(added[i]);
  }
  begun_.resize(count);
  for (const GraphExec::Step& step : steps)
    for (const std::size_t before : step.after)
      if (steps[before].branch != step.branch) awaited_[before] = true;
  timeline().mark(start_, origin);
}

Timeline& GraphBranches::timeline() const { return session_.timeline(); }

Stream GraphBranches::begin(std::size_t step) {
  if (streams_.size() == 1) return streams_.front();
  const std::size_t branch = steps_[step].branch;
  const Stream stream = streams_[branch];
  if (!begun_[branch]) timeline().wait(stream, start_);
  begun_[branch] = true;
  for (const std::size_t before : steps_[step].after)
    if (steps_[before].branch != branch) timeline().wait(stream, ended_[before]);
  return stream;
}

void GraphBranches::end(std::size_t step) {
  if (streams_.size() != 1 && awaited_[step]) timeline().mark(ended_[step], streams_[steps_[step].branch]);
}

void GraphBranches::join() {
  for (std::size_t i = 1; i < streams_.size(); ++i) {
    EventState end;
    timeline().mark(end, streams_[i]);
    timeline().wait(streams_.front(), end);
  }
}

}  // namespace sassim::cuda
