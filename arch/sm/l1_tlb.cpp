// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/l1_tlb.h"

#include <algorithm>

#include "sim/base/error.h"

namespace sassim::arch {

L1Tlb::L1Tlb(const config::TlbConfig& config) : entries_(config.entries), page_(config.page) {
  if (page_ == 0) throw InputError("sm.tlb.page is 0: expected the bytes of a page");
  if (config.entries == 0) return;
  ways_ = config.ways == 0 ? config.entries : config.ways;
  if (config.entries % ways_ != 0)
    throw InputError("sm.tlb has {} entries in {} ways: expected a whole number of sets", config.entries, ways_);
  sets_ = config.entries / ways_;
}

bool L1Tlb::lookup(std::uint64_t address) {
  if (!enabled()) return true;
  const std::uint64_t page = address / page_;
  Entry* const set = &entries_[page % sets_ * ways_];
  for (Entry* entry = set; entry != set + ways_; ++entry) {
    if (entry->page != page + 1) continue;
    entry->used = ++clock_;
    return true;
  }
  return false;
}

void L1Tlb::insert(std::uint64_t address) {
  if (lookup(address)) return;
  const std::uint64_t page = address / page_;
  const auto set = entries_.begin() + static_cast<std::ptrdiff_t>(page % sets_ * ways_);
  *std::min_element(set, set + ways_, [](const Entry& a, const Entry& b) { return a.used < b.used; }) = {page + 1,
                                                                                                         ++clock_};
}

void L1Tlb::clear() { std::fill(entries_.begin(), entries_.end(), Entry{}); }

}  // namespace sassim::arch
