// SPDX-License-Identifier: Apache-2.0
// Streams of warps that are equal share one copy in memory.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "sim/trace/stream_builder.h"

namespace sassim::trace {

std::shared_ptr<const StreamBody> BodyPool::intern(std::shared_ptr<const StreamBody> body) {
  const auto bytes = body->bytes();
  const std::uint64_t hash = XXH64(bytes.data(), bytes.size(), 0);
  std::scoped_lock lock(mutex_);
  const auto [begin, end] = bodies_.equal_range(hash);
  auto free = end;
  for (auto found = begin; found != end; ++found) {
    const auto known = found->second.lock();
    if (known && std::ranges::equal(known->bytes(), bytes)) return known;
    if (!known) free = found;
  }
  if (free != end) {  // equal bodies that come and go need one entry, not one each
    free->second = body;
    return body;
  }
  if (bodies_.size() >= purge_at_) {
    std::erase_if(bodies_, [](const auto& entry) { return entry.second.expired(); });
    purge_at_ = std::max<std::size_t>(1024, 2 * bodies_.size());
  }
  bodies_.emplace(hash, body);
  return body;
}

}  // namespace sassim::trace
