// SPDX-License-Identifier: Apache-2.0
// Writes and reads a thread block of a trace as bytes, in which warps with the same path share it; the trace's hash.
#include "sim/trace/block_codec.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "sim/trace/bytes.h"

namespace sassim::trace {
namespace {

/// The number of each warp's body among the block's distinct bodies; bodies with equal bytes are one body.
std::vector<std::size_t> number_bodies(const std::vector<std::shared_ptr<const WarpStream>>& warps,
                                       std::vector<const StreamBody*>& bodies) {
  std::vector<std::size_t> of_warp;
  for (const auto& warp : warps) {
    const StreamBody* body = warp->body().get();
    const auto known = std::ranges::find_if(
        bodies, [&](const StreamBody* b) { return b == body || std::ranges::equal(b->bytes(), body->bytes()); });
    of_warp.push_back(static_cast<std::size_t>(known - bodies.begin()));
    if (known == bodies.end()) bodies.push_back(body);
  }
  return of_warp;
}

}  // namespace

std::vector<std::uint8_t> encode_block(const BlockTrace& block) {
  ByteWriter out;
  out.varint(block.id.x);
  out.varint(block.id.y);
  out.varint(block.id.z);
  std::vector<std::shared_ptr<const WarpStream>> warps;
  for (const auto& warp : block.warps) warps.push_back(rewritten(warp));
  std::vector<const StreamBody*> bodies;
  const auto body_of = number_bodies(warps, bodies);
  out.varint(bodies.size());
  for (const StreamBody* body : bodies) out.blob(body->bytes());
  out.varint(warps.size());
  std::vector<std::vector<std::uint64_t>> last(bodies.size());
  for (std::size_t w = 0; w < warps.size(); ++w) {
    const auto origins = warps[w]->origins();
    auto& before = last[body_of[w]];
    out.varint(body_of[w]);
    for (std::size_t i = 0; i < origins.size(); ++i)
      out.delta(origins[i] - (before.empty() ? (i ? origins[i - 1] : 0) : before[i]));
    before.assign(origins.begin(), origins.end());
  }
  return out.take();
}

std::shared_ptr<const BlockTrace> decode_block(std::span<const std::uint8_t> bytes, const KernelInfo& kernel,
                                               std::string_view place, BodyPool* pool,
                                               const std::vector<DetailKind>* version_1) {
  ByteReader in(bytes, place);
  auto block = std::make_shared<BlockTrace>();
  const Dim3& grid = kernel.grid;
  block->id.x = static_cast<std::uint32_t>(in.varint(grid.x - 1, "the block's x"));
  block->id.y = static_cast<std::uint32_t>(in.varint(grid.y - 1, "the block's y"));
  block->id.z = static_cast<std::uint32_t>(in.varint(grid.z - 1, "the block's z"));
  std::vector<std::shared_ptr<const StreamBody>> bodies(in.count("the number of bodies"));
  for (auto& body : bodies) {
    const auto encoded = in.blob();
    std::vector<std::uint8_t> own(encoded.begin(), encoded.end());
    body = version_1 ? StreamBody::parse_version_1(std::move(own), *version_1, place)
                     : StreamBody::parse(std::move(own), kernel.code.size(), place);
    if (pool) body = pool->intern(std::move(body));
  }
  if (in.varint() != kernel.warps_per_block()) in.fail("a block's number of warps differs from the launch");
  if (kernel.warps_per_block() > in.left()) in.fail("a block is too short for its warps");
  std::vector<std::vector<std::uint64_t>> last(bodies.size());
  for (std::uint32_t w = 0; w < kernel.warps_per_block(); ++w) {
    const auto id = in.varint();
    if (id >= bodies.size()) in.fail("a warp names a body that does not exist");
    const auto slots = bodies[id]->slots().size();
    if (slots > in.left()) in.fail("a warp's address origins are cut off");
    auto& before = last[id];
    std::vector<std::uint64_t> origins(slots);
    for (std::size_t i = 0; i < slots; ++i)
      origins[i] = in.delta() + (before.empty() ? (i ? origins[i - 1] : 0) : before[i]);
    before = origins;
    block->warps.push_back(std::make_shared<const WarpStream>(bodies[id], std::move(origins)));
  }
  in.expect_end();
  return block;
}

std::uint64_t TraceHash::of(std::span<const std::uint8_t> bytes) { return XXH64(bytes.data(), bytes.size(), 0); }

void TraceHash::add(std::uint64_t part) {
  ByteWriter both;
  both.u64(state_);
  both.u64(part);
  state_ = of(both.view());
}

std::string TraceHash::text() const { return fmt::format("{:016x}", state_); }

}  // namespace sassim::trace
