// SPDX-License-Identifier: Apache-2.0
// The construction of a TLB: turns the entries, ways and page size of the configuration into sets, and checks them.
#include "arch/cache/tlb.h"

#include "sim/base/error.h"
#include "sim/config/groups/tlb.h"

namespace sassim::arch {

namespace {

CacheShape shape_of_tlb(const config::TlbConfig& config, const char* key) {
  if (config.page == 0) throw InputError("{}.page is 0: expected the bytes of a page", key);
  if (config.entries == 0) return {.sets = 0};
  const std::uint32_t ways = config.ways == 0 ? config.entries : config.ways;
  if (config.entries % ways != 0)
    throw InputError("{} has {} entries in {} ways: expected a whole number of sets", key, config.entries, ways);
  return {.sets = config.entries / ways, .ways = ways};
}

}  // namespace

Tlb::Tlb(const config::TlbConfig& config, const char* key, const std::string& policy)
    : enabled_(config.entries != 0), pages_(config.page, shape_of_tlb(config, key), policy) {}

}  // namespace sassim::arch
