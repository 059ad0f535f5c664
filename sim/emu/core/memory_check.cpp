// SPDX-License-Identifier: Apache-2.0
// The memory checker of `sassim exec`: which bytes were written, freed, or raced for, and the findings.
#include "sim/emu/core/memory_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "sim/emu/core/source_place.h"
#include "sim/isa/architecture.h"

namespace sassim::emu {
namespace {

using isa::Space;

constexpr const char *kUninitialised = "uninitialised read", *kUseAfterFree = "use after free",
                     *kRace = "race in shared memory";

/// What an instruction does in a space; nothing for hints to caches.
std::optional<Touch> touch_of(std::string_view opcode, std::string_view text, Space space) {
  if (opcode == "LDGSTS") return space == Space::shared ? Touch::writes : Touch::reads;
  if (opcode == "SYNCS" || opcode == "ARRIVES" || text.find("ATOMS.ARRIVE") != std::string_view::npos)
    return Touch::synchronises;
  if (opcode.starts_with("ATOM") || opcode.starts_with("RED")) return Touch::atomic;
  if (opcode.starts_with("LD")) return Touch::reads;
  if (opcode.starts_with("ST")) return Touch::writes;
  return std::nullopt;
}

/// A read whose value a compare-and-swap expects soon after is a part of that atomic operation: the compiler adds
/// floats in shared memory so (ATOMS.CAST.SPIN), and programs write such loops.
bool begins_atomic_loop(const Kernel& kernel, std::uint32_t index) {
  constexpr std::uint32_t kWithin = 4;  // instructions between them, as the compiler of CUDA 11.8 places them
  const isa::Instruction& read = kernel.code[index];
  if (read.opcode != "LDS" || read.operands.empty()) return false;
  for (std::uint32_t i = index + 1; i < std::min<std::size_t>(index + kWithin + 1, kernel.code.size()); ++i) {
    const isa::Instruction& swap = kernel.code[i];
    constexpr std::size_t kExpected = 2;  // after the destination and the address
    if (swap.opcode == "ATOMS" && (swap.has("CAS") || swap.has("CAST")) && swap.operands.size() > kExpected)
      return swap.operands[kExpected].index == read.operands.front().index;
  }
  return false;
}

/// Copies that units of the SM make write shared memory without an instruction of a warp.
bool copies_without_warps(const Kernel& kernel) {
  return std::any_of(kernel.code.begin(), kernel.code.end(), [](const isa::Instruction& one) {
    return one.opcode.starts_with("UBLKCP") || one.opcode.starts_with("UTMA");
  });
}

std::string thread_text(Dim3 size, std::uint32_t thread) {
  return fmt::format("({},{},{})", thread % size.x, thread / size.x % size.y, thread / size.x / size.y);
}

std::string place_text(const Kernel& kernel, std::uint32_t index) {
  const std::string source = source_place(kernel, index);
  return fmt::format("{}{}PC {:#x} ('{}')", source, source.empty() ? "" : ", ", kernel.layout().pc(index),
                     kernel.code[index].text());
}

}  // namespace

void MemoryCheck::begin() {
  static MemoryCheck check;
  active_ = &check;
}

bool MemoryCheck::has_freed(std::uint64_t address) const {
  const auto found = pieces_.find(address);
  return found != pieces_.end() && found->second.freed;
}

void MemoryCheck::allocated(std::uint64_t address, std::uint64_t bytes) {
  pieces_[address] = {address, bytes, ++allocations_};
  pieces_[address].written.resize(bytes);
  last_ = nullptr;
}

bool MemoryCheck::freed(std::uint64_t address) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end() || found->second.freed) return false;
  found->second.freed = true;
  found->second.written = {};
  kept_ += found->second.bytes;
  oldest_.push_back(address);
  return true;
}

std::vector<std::uint64_t> MemoryCheck::release(std::uint64_t most) {
  std::size_t count = 0;
  for (; kept_ > most; ++count) {
    kept_ -= pieces_.at(oldest_[count]).bytes;
    pieces_.erase(oldest_[count]);
  }
  const auto end = oldest_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<std::uint64_t> gone(oldest_.begin(), end);
  oldest_.erase(oldest_.begin(), end);
  last_ = nullptr;
  return gone;
}

void MemoryCheck::written(std::uint64_t address, std::uint64_t bytes) {
  Piece* piece = find(address);
  if (!piece || piece->freed) return;
  const std::uint64_t first = address - piece->address, end = std::min(piece->bytes, first + bytes);
  std::fill(piece->written.begin() + static_cast<std::ptrdiff_t>(first),
            piece->written.begin() + static_cast<std::ptrdiff_t>(end), true);
}

void MemoryCheck::reset() {
  pieces_.clear();
  oldest_.clear();
  blocks_.clear();
  last_ = nullptr;
  kept_ = 0;
}

MemoryCheck::Piece* MemoryCheck::find(std::uint64_t address) {
  if (last_ && address - last_->address < last_->bytes) return last_;
  auto after = pieces_.upper_bound(address);
  if (after == pieces_.begin()) return nullptr;
  Piece& piece = std::prev(after)->second;
  if (address - piece.address >= piece.bytes) return nullptr;
  return last_ = &piece;
}

SharedHistory& MemoryCheck::history(const Context& c) {
  const auto found = blocks_.find(&c.block);
  if (found != blocks_.end()) return found->second;
  SharedHistory& made = blocks_
                            .try_emplace(&c.block, c.block.warps.size(), c.block.shared.size(),
                                         c.grid.kernel->architecture().system_shared)
                            .first->second;
  if (copies_without_warps(*c.grid.kernel)) made.all_written();
  return made;
}

void MemoryCheck::tell(const char* kind, const Context& c, const MicroOp& op, int lane, std::uint64_t address,
                       std::uint32_t other, const std::string& detail) {
  if (!told_.insert({kind, c.grid.kernel->name, op.index, other}).second) return;
  const FaultSite site = c.site(op, lane, address);
  const std::string source = source_place(*c.grid.kernel, op.index);
  found_.push_back({kind, site,
                    fmt::format("{}: kernel {}, {}{}{}: {}", kind, site.kernel, source, source.empty() ? "" : ", ",
                                to_string(site), detail)});
}

void MemoryCheck::access(Context& c, const MicroOp& op, Space space, const Lanes64& addresses, unsigned bytes,
                         std::uint32_t mask, std::byte* const* at) {
  if (space != Space::global && space != Space::shared) return;
  const isa::Instruction& instruction = c.grid.kernel->code[op.index];
  std::optional<Touch> touch = touch_of(instruction.opcode, instruction.text(), space);
  if (!touch) return;
  if (begins_atomic_loop(*c.grid.kernel, op.index)) touch = Touch::atomic;
  if (space == Space::shared)
    shared(c, op, addresses, bytes, mask, *touch, at);
  else
    global(c, op, addresses, bytes, mask, *touch != Touch::writes, *touch != Touch::reads);
}

void MemoryCheck::global(Context& c, const MicroOp& op, const Lanes64& addresses, unsigned bytes, std::uint32_t mask,
                         bool reads, bool writes) {
  for_lanes(mask, [&](int lane) {
    const std::uint64_t address = addresses.v[lane];
    Piece* piece = find(address);
    if (!piece) return;
    const std::uint64_t first = address - piece->address;
    if (piece->freed) {
      tell(kUseAfterFree, c, op, lane, address, 0,
           fmt::format("byte {} of allocation {}, which had {} bytes and has been freed", first, piece->number,
                       piece->bytes));
      return;
    }
    for (std::uint64_t i = first; i < std::min(first + bytes, piece->bytes); ++i) {
      if (reads && !piece->written[i])
        tell(kUninitialised, c, op, lane, address, 0,
             fmt::format("byte {} of allocation {}, {} bytes, has not been written", i, piece->number, piece->bytes));
      if (writes) piece->written[i] = true;
    }
  });
}

void MemoryCheck::shared(Context& c, const MicroOp& op, const Lanes64& addresses, unsigned bytes, std::uint32_t mask,
                         Touch touch, std::byte* const* at) {
  SharedHistory& past = history(c);
  const bool plain_store = touch == Touch::writes && op.src[0].kind == SourceKind::reg && op.src[0].plain();
  for_lanes(mask, [&](int lane) {
    if (touch == Touch::synchronises || touch == Touch::atomic) past.synchronise(c.warp.index, addresses.v[lane]);
    const auto thread = static_cast<std::uint16_t>(32 * c.warp.index + static_cast<std::uint32_t>(lane));
    for (std::uint64_t byte = addresses.v[lane]; byte < addresses.v[lane] + bytes;) {
      const auto word = static_cast<std::uint32_t>(byte / 4);
      const std::uint64_t end = std::min<std::uint64_t>(byte / 4 * 4 + 4, addresses.v[lane] + bytes);
      const auto which = static_cast<std::uint8_t>(((1u << (end - byte)) - 1) << (byte % 4));
      if (!past.holds(word)) return;
      if ((touch == Touch::reads || touch == Touch::atomic) && past.unwritten(word, which) != 0)
        tell(kUninitialised, c, op, lane, byte, 0, "this word of shared memory has not been written by the block");
      bool changes = true;
      if (plain_store && bytes >= 4) {  // a store of what is there already hides nothing
        const auto row = static_cast<std::uint8_t>(op.src[0].index + (byte - addresses.v[lane]) / 4);
        const std::uint32_t value = c.read_row(op.src[0].index == isa::kRZ ? isa::kRZ : row)[lane];
        changes = std::memcmp(at[lane] + (byte - addresses.v[lane]), &value, 4) != 0;
      }
      if (touch != Touch::synchronises) {
        if (const auto other = past.touch(word, which, thread, op.index, touch, changes))
          tell(kRace, c, op, lane, byte, other->index + 1,
               fmt::format("thread {} accesses the same word at {}, and no barrier puts the two in order",
                           thread_text(c.grid.launch->block, other->thread), place_text(*c.grid.kernel, other->index)));
      } else {
        past.touch(word, which, thread, op.index, Touch::atomic, true);
      }
      byte = end;
    }
  });
}

void MemoryCheck::arrives(const Block& block, std::uint32_t warp, std::uint8_t barrier, bool waits) {
  const auto found = blocks_.find(&block);
  if (found != blocks_.end()) found->second.arrives(warp, barrier, waits);
}
void MemoryCheck::complete(const Block& block, std::uint8_t barrier) {
  const auto found = blocks_.find(&block);
  if (found != blocks_.end()) found->second.complete(barrier);
}
void MemoryCheck::finished(const Block& block) { blocks_.erase(&block); }

std::vector<Finding> MemoryCheck::take() { return std::exchange(found_, {}); }

}  // namespace sassim::emu
