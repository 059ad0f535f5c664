// SPDX-License-Identifier: Apache-2.0
// Computes which SM gets each of the first thread blocks of a kernel (launch.sm_order, launch.group_sms).
#include "arch/gpu/block_order.h"

#include <algorithm>
#include <numeric>

#include "sim/base/error.h"
#include "sim/config/groups/launch.h"

namespace sassim::arch {

namespace {

constexpr std::size_t kTpcSms = 2;  ///< a TPC has two SMs in every architecture from Volta on

std::size_t tpcs(const std::vector<std::size_t>& group) { return (group.size() + kTpcSms - 1) / kTpcSms; }

/// The SMs that `first` names, which may include SMs that do not exist; then the others.
std::vector<std::size_t> launch_order(std::size_t sms, const std::vector<std::uint64_t>& first) {
  std::vector<std::size_t> order;
  std::vector<bool> named(sms);
  const auto add = [&](std::size_t sm) {
    if (sm >= sms) return;
    if (named[sm]) throw InputError("launch.sm_order names SM {} twice", sm);
    named[sm] = true;
    order.push_back(sm);
  };
  for (std::uint64_t sm : first) add(sm);
  for (std::size_t sm = 0; sm < sms; ++sm)
    if (!named[sm]) add(sm);
  return order;
}

}  // namespace

BlockOrder::BlockOrder(std::size_t sms, const config::Launch& launch)
    : order_(launch_order(sms, launch.sm_order)), first_group_turns_(launch.first_group_turns) {
  const auto& sizes = launch.group_sms;
  if (sizes.empty()) return;
  const std::uint64_t named = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (named != launch.sm_order.size())
    throw InputError("launch.group_sms adds up to {} SMs: launch.sm_order names {}", named, launch.sm_order.size());
  auto next = launch.sm_order.begin();
  for (const std::uint64_t size : sizes) {
    Group group;
    for (std::uint64_t i = 0; i < size; ++i, ++next)
      if (*next < sms) group.push_back(*next);  // a part of a chip has fewer SMs
    if (!group.empty()) groups_.push_back(std::move(group));
  }
  if (named < sms) groups_.emplace_back(order_.end() - static_cast<std::ptrdiff_t>(sms - named), order_.end());
}

std::vector<std::size_t> BlockOrder::first(std::uint64_t blocks, std::uint32_t per_sm) const {
  std::vector<std::size_t> result;
  const std::uint64_t rounds = std::min<std::uint64_t>(blocks / order_.size(), per_sm);
  const std::uint64_t rest = rounds < per_sm ? blocks - rounds * order_.size() : 0;
  result.reserve(rounds * order_.size() + rest);
  if (groups_.empty()) {
    for (std::uint64_t round = 0; round < rounds; ++round) result.insert(result.end(), order_.begin(), order_.end());
    result.insert(result.end(), order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(rest));
  } else {
    add_turns(rounds, result);
    add_rest(rest, result);
  }
  return result;
}

/// Whole rounds: every group has the same number of turns.
void BlockOrder::add_turns(std::uint64_t rounds, std::vector<std::size_t>& result) const {
  const std::uint64_t others = groups_.size() - 1;
  std::uint64_t first = 0, other = 0;
  for (std::uint64_t turn = 0; turn < rounds * groups_.size(); ++turn) {
    const bool due = first_group_turns_ == 0 ? turn % groups_.size() == 0
                                             : turn == 0 || turn % (first_group_turns_ + 1) == first_group_turns_;
    const bool takes = first < rounds && (due || other == rounds * others);
    const Group& group = groups_[takes ? 0 : 1 + other % others];
    ++(takes ? first : other);
    result.insert(result.end(), group.begin(), group.end());
  }
}

/// Distributes the blocks of each group evenly over its TPCs; the first TPCs get one more if they do not divide evenly.
void BlockOrder::add_rest(std::uint64_t blocks, std::vector<std::size_t>& result) const {
  const std::vector<std::size_t> parts = deal(blocks);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    const std::size_t several = parts[i] / tpcs(group), more = parts[i] % tpcs(group);
    for (std::size_t tpc = 0; tpc < tpcs(group); ++tpc)
      for (std::size_t sm = 0; sm < several + (tpc < more ? 1 : 0) && tpc * kTpcSms + sm < group.size(); ++sm)
        result.push_back(group[tpc * kTpcSms + sm]);
  }
}

/// The first group gets one block for each of its SMs. The other groups get the rest one by one, first for TPCs without
/// a block, then for second SMs.
std::vector<std::size_t> BlockOrder::deal(std::uint64_t blocks) const {
  std::vector<std::size_t> parts(groups_.size());
  parts[0] = std::min<std::uint64_t>(blocks, groups_[0].size());
  blocks -= parts[0];
  for (std::size_t level = 1; blocks > 0; ++level)
    for (bool gave = true; gave && blocks > 0;) {
      gave = false;
      for (std::size_t i = 1; i < groups_.size() && blocks > 0; ++i) {
        if (parts[i] >= std::min(tpcs(groups_[i]) * level, groups_[i].size())) continue;
        ++parts[i];
        --blocks;
        gave = true;
      }
    }
  return parts;
}

}  // namespace sassim::arch
