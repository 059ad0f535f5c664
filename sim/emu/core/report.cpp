// SPDX-License-Identifier: Apache-2.0
// Names places of instructions and warps in errors of the emulator, and what the warps of a hung launch wait for.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sim/emu/core/address_text.h"
#include "sim/emu/core/cluster.h"
#include "sim/emu/core/machine.h"
#include "sim/emu/core/source_place.h"
#include "sim/emu/memory/address_space.h"

namespace sassim::emu {
namespace {

std::string where(const Grid& grid, std::uint32_t index) {
  const auto& code = grid.kernel->code;
  return index < code.size() ? fmt::format("PC {:#x} '{}'", code[index].pc, code[index].text()) : "beyond the code";
}

std::string name_of(const Block& block) {
  return fmt::format("block ({},{},{})", block.ctaid.x, block.ctaid.y, block.ctaid.z);
}

/// The graph's nodes for what the warps of a block wait for.
class BlockWaits {
 public:
  BlockWaits(WaitGraph& graph, std::span<const Block* const> blocks, const Block& block)
      : graph_(graph), blocks_(blocks), block_(block) {
    for (const Warp& warp : block.warps)
      for (const Fragment& fragment : warp.fragments)
        if (warp.alive != 0) add(warp, fragment);
  }

 private:
  WaitGraph::Node node(const Warp& warp, std::uint32_t lanes) {
    return graph_.node(fmt::format("{} warp {} lanes {:#010x}", name_of(*warp.block), warp.index, lanes));
  }
  WaitGraph::Node node(const Warp& warp, const Fragment& fragment) { return node(warp, fragment.mask); }

  /// The threads of a warp with a stack of divergence that do not run.
  static std::uint32_t on_stack(const Warp& warp, const Fragment& fragment) {
    return warp.stack.empty() ? 0 : warp.alive & ~fragment.mask;
  }

  void add(const Warp& warp, const Fragment& fragment) {
    const WaitGraph::Node from = node(warp, fragment);
    graph_.describe(from, fmt::format("{}, {} instructions", where(*block_.grid, fragment.pc), warp.executed));
    graph_.set_age(from, 0);
    if (const std::uint32_t lanes = on_stack(warp, fragment); lanes != 0)
      graph_.waits(node(warp, lanes), from, "waits on the stack of its warp for");
    switch (fragment.state) {
      case FragmentState::ready:
        return add_question(warp, from);
      case FragmentState::at_barrier:
        return graph_.waits(from, barrier(fragment.barrier), "waits at");
      case FragmentState::at_sync:
        return add_others(warp, from, warp.convergence[fragment.barrier],
                          fmt::format("waits at convergence barrier B{} for", fragment.barrier));
      case FragmentState::at_warp_sync:
        return add_others(warp, from, fragment.sync_mask, "waits (WARPSYNC) for");
    }
  }

  void add_others(const Warp& warp, WaitGraph::Node from, std::uint32_t lanes, const std::string& why) {
    for (const Fragment& other : warp.fragments)
      if ((other.mask & lanes) != 0 && node(warp, other) != from) graph_.waits(from, node(warp, other), why);
  }

  /// The word that the warp polls. A warp that has not accessed memory for long computes.
  void add_question(const Warp& warp, WaitGraph::Node from) {
    constexpr std::uint64_t kLong = 4096;
    const MemoryQuestion& asked = warp.asked;
    if (asked.bytes == 0 || warp.executed - asked.executed > kLong)
      return graph_.describe(from, "runs without accessing memory");
    graph_.waits(from, word(asked), fmt::format("{} polls", where(*block_.grid, asked.index)));
  }

  WaitGraph::Node word(const MemoryQuestion& asked) {
    const Windows windows = block_.grid->windows;
    const bool window = asked.space == isa::Space::generic && asked.address - windows.shared < windows.bytes;
    const bool shared = asked.space == isa::Space::shared || window;
    const std::uint64_t address = window ? asked.address - windows.shared : asked.address;
    const std::string name = shared ? fmt::format("{} shared memory {:#x}", name_of(block_), address)
                                    : fmt::format("memory {}", address_name(*block_.grid->memory, address));
    const bool known = graph_.contains(name);
    const WaitGraph::Node node = graph_.node(name);
    const bool inside = address <= block_.shared.size() && block_.shared.size() - address >= asked.bytes;
    const std::byte* at = !shared  ? block_.grid->memory->host(address, asked.bytes)
                          : inside ? block_.shared.data() + address
                                   : nullptr;
    if (known || at == nullptr) return node;
    std::uint64_t value = 0;
    std::memcpy(&value, at, std::min<std::size_t>(asked.bytes, sizeof value));
    graph_.describe(node, fmt::format("holds {:#x}", value));
    if (const WordTaker* taker = shared ? nullptr : block_.grid->takers->of(address, value)) add_taker(node, *taker);
    return node;
  }

  /// The thread that gave the word its value by a swap: if the word is a lock, the thread holds it.
  void add_taker(WaitGraph::Node word, const WordTaker& taker) {
    for (const Block* block : blocks_) {
      if (block->ctaid != taker.ctaid) continue;
      const Warp& warp = block->warps[taker.warp];
      for (const Fragment& fragment : warp.fragments)
        for (const std::uint32_t lanes : {fragment.mask, on_stack(warp, fragment)})
          if (warp.alive != 0 && (lanes >> taker.lane & 1) != 0)
            return graph_.waits(word, node(warp, lanes), "was last swapped by");
    }
    graph_.describe(word, fmt::format("was last swapped by block ({},{},{}) warp {} lane {}, which has ended",
                                      taker.ctaid.x, taker.ctaid.y, taker.ctaid.z, taker.warp, taker.lane));
  }

  /// Threads that have not arrived at the barrier of their cluster.
  void add_absent(WaitGraph::Node to, const Block& block) {
    for (const Warp& warp : block.warps)
      for (const Fragment& fragment : warp.fragments)
        if (warp.alive != 0 && (fragment.mask & ~warp.cluster_arrived) != 0)
          graph_.waits(to, node(warp, fragment), "has not been reached by");
  }

  WaitGraph::Node barrier(std::uint8_t index) {
    const bool of_cluster = index == kClusterBarrier;
    const std::string name = of_cluster ? fmt::format("the barrier of the cluster of {}", name_of(block_))
                                        : fmt::format("{} barrier {}", name_of(block_), index);
    const bool known = graph_.contains(name);
    const WaitGraph::Node to = graph_.node(name);
    if (known) return to;
    if (of_cluster) {
      for (const Block* block : block_.cluster->blocks)
        if (block) add_absent(to, *block);
      return to;
    }
    const BlockBarrier& state = block_.barriers[index];
    std::uint32_t here = 0, gone = 0;
    for (const Warp& warp : block_.warps) {
      here += static_cast<std::uint32_t>(std::popcount(state.arrived[warp.index]));
      if (warp.alive == 0) ++gone;
    }
    graph_.describe(to, fmt::format("{} threads have arrived", here));
    if (state.expected != 0) graph_.describe(to, fmt::format("{} are expected", state.expected));
    if (gone != 0) graph_.describe(to, fmt::format("{} warps of the block have ended", gone));
    for (const Warp& warp : block_.warps)
      for (const Fragment& fragment : warp.fragments)
        if (warp.alive != 0 && (fragment.mask & ~state.arrived[warp.index]) != 0)
          graph_.waits(to, node(warp, fragment), "has not been reached by");
    return to;
  }

  WaitGraph& graph_;
  std::span<const Block* const> blocks_;
  const Block& block_;
};

}  // namespace

std::string place(const Kernel& kernel, std::uint32_t index) {
  const isa::Instruction& instruction = kernel.code[index];
  return fmt::format("opcode {} in kernel {} at PC {:#x} ('{}', sm_{})", instruction.opcode, kernel.name,
                     instruction.pc, instruction.text(), kernel.sm);
}

FaultSite Context::site(const MicroOp& op, int lane, std::uint64_t address) const {
  FaultSite site;
  site.kernel = grid.kernel->name;
  site.pc = static_cast<std::uint32_t>(grid.kernel->layout().pc(op.index));
  if (op.index < grid.kernel->code.size()) site.line = grid.kernel->code[op.index].text();
  site.block = block.ctaid;
  const Dim3 size = grid.launch->block;
  const std::uint32_t thread = 32 * warp.index + static_cast<std::uint32_t>(lane);
  site.thread = {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
  site.address = address;
  if (const std::string name = address_name(*grid.memory, address); !name.starts_with("0x")) site.place = name;
  return site;
}

void Context::fault(FaultKind kind, const MicroOp& op, int lane, std::uint64_t address,
                    const std::string& detail) const {
  const std::string source = source_place(*grid.kernel, op.index);
  throw DeviceFault(kind, site(op, lane, address), source.empty() ? detail : fmt::format("{} ({})", detail, source));
}

WaitGraph waits_of(std::span<const Block* const> blocks) {
  WaitGraph graph;
  for (const Block* block : blocks) BlockWaits(graph, blocks, *block);
  return graph;
}

Stuck stuck(const Kernel& kernel, const std::string& why, std::span<const Block* const> blocks) {
  constexpr std::size_t kLines = 40;
  WaitGraph graph = waits_of(blocks);
  const std::string text = graph.text(kLines);
  return {fmt::format("kernel {} {}; its warps are at:\n{}", kernel.name, why, text), std::move(graph)};
}

}  // namespace sassim::emu
