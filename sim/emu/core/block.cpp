// SPDX-License-Identifier: Apache-2.0
// Sets up a launch for the emulator: checks its shape, fills constant bank 0, and makes each block's memory and warps.
#include "sim/emu/core/block.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/emu/core/cluster.h"
#include "sim/emu/core/launch_values.h"
#include "sim/emu/memory/address_space.h"

namespace sassim::emu {
namespace {

constexpr std::uint8_t kUserBank = 3;  // __constant__ variables

template <class T>
void put(std::vector<std::uint8_t>& bytes, std::size_t offset, T value) {
  if (bytes.size() < offset + sizeof value) bytes.resize(offset + sizeof value);
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Allocates device memory that finish_launch() frees.
std::uint64_t allocate(Grid& grid, std::uint64_t bytes) {
  const std::uint64_t address = grid.memory->allocate(bytes);
  if (address == 0) throw UsageError("kernel {}: no device memory left to launch it", grid.kernel->name);
  return address;
}

void lay_out_bank0(Grid& grid) {
  const LaunchConfig& launch = *grid.launch;
  const isa::Architecture& architecture = grid.kernel->architecture();
  const isa::LaunchBank& layout = architecture.bank;
  std::vector<std::uint8_t>& bank = grid.constants[0];
  bank.assign(layout.parameters + std::max<std::size_t>(launch.params.size(), grid.kernel->param_bytes), 0);
  const std::uint32_t sizes[] = {launch.block.x, launch.block.y, launch.block.z,
                                 launch.grid.x,  launch.grid.y,  launch.grid.z};
  for (std::size_t i = 0; i < 6; ++i) put(bank, layout.sizes + 4 * i, sizes[i]);
  put(bank, layout.shared_window, static_cast<std::uint32_t>(grid.windows.shared));
  put(bank, layout.shared_high, static_cast<std::uint32_t>(grid.windows.shared >> 32));
  put(bank, layout.local_window, static_cast<std::uint32_t>(grid.windows.local));
  put(bank, layout.local_high, static_cast<std::uint32_t>(grid.windows.local >> 32));
  put(bank, layout.stack, grid.stack_bytes);
  put(bank, layout.dynamic_shared, launch.dynamic_shared);
  put(bank, layout.grid_id, launch.grid_id);
  put(bank, kSmCount, launch.sm_count);
  if (architecture.system_shared != 0) put(bank, kSystemShared, architecture.system_shared);
  if (architecture.clusters) lay_out_cluster(launch, bank);
  std::copy(launch.params.begin(), launch.params.end(), bank.begin() + layout.parameters);
  for (const auto& [offset, object] : launch.texture_words) {
    bank.resize(std::max<std::size_t>(bank.size(), offset + sizeof object));
    put(bank, offset, object);
  }
  if (const auto user = grid.kernel->device_constants.find(kUserBank); user != grid.kernel->device_constants.end())
    put(bank, layout.user_constants, user->second.address);
  if (grid.program->points_to_parameters) {
    const std::uint32_t begin = layout.copy_begins;
    grid.parameters = allocate(grid, bank.size() - begin);
    put(bank, layout.copy, grid.parameters);
    grid.memory->write(grid.parameters, bank.data() + begin, bank.size() - begin);
  }
  if (launch.cooperative) {
    grid.workspace = allocate(grid, kGridWorkspaceBytes);
    put(bank, layout.workspace_low, static_cast<std::uint32_t>(grid.workspace));
    put(bank, layout.workspace_high, static_cast<std::uint32_t>(grid.workspace >> 32));
  }
}

void check(const Grid& grid) {
  const LaunchConfig& launch = *grid.launch;
  if (launch.grid.count() == 0 || launch.block.count() == 0 || launch.block.count() > 1024)
    throw UsageError(
        "kernel {}: a launch of {}x{}x{} blocks of {}x{}x{} threads is impossible (1 to 1024 threads a block)",
        grid.kernel->name, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z);
  const Dim3 cluster = launch.cluster;
  if (cluster.count() != 0 && (!grid.kernel->architecture().clusters || launch.grid.x % cluster.x != 0 ||
                               launch.grid.y % cluster.y != 0 || launch.grid.z % cluster.z != 0))
    throw UsageError("kernel {}: a grid of {}x{}x{} blocks does not consist of clusters of {}x{}x{} (sm_{})",
                     grid.kernel->name, launch.grid.x, launch.grid.y, launch.grid.z, cluster.x, cluster.y, cluster.z,
                     grid.kernel->sm);
  if (launch.params.size() < grid.kernel->param_bytes)
    throw UsageError("kernel {} takes {} bytes of parameters, the launch has {}", grid.kernel->name,
                     grid.kernel->param_bytes, launch.params.size());
}

}  // namespace

void prepare_launch(Grid& grid) {
  check(grid);
  grid.stack_bytes = (std::max(grid.launch->stack_bytes, grid.kernel->local_bytes) + 15) & ~15u;
  grid.shared_bytes =
      grid.kernel->architecture().system_shared + grid.kernel->static_shared + grid.launch->dynamic_shared;
  grid.windows = grid.kernel->architecture().low_windows ? kLowWindows : kWindows;
  lay_out_bank0(grid);
  for (const auto& [bank, bytes] : grid.kernel->constants)
    if (bank != 0 && bank < grid.constants.size()) grid.constants[bank] = bytes;
  for (const auto& [bank, range] : grid.kernel->device_constants)
    if (bank < grid.constants.size()) {
      grid.constants[bank].resize(range.bytes);
      grid.memory->read(range.address, grid.constants[bank].data(), range.bytes);
    }
}

void finish_launch(Grid& grid) {
  for (const std::uint64_t address : {grid.workspace, grid.parameters})
    if (address != 0) grid.memory->free(address);
}

std::unique_ptr<Block> make_block(Grid& grid, BlockId id) {
  auto block = std::make_unique<Block>();
  const Dim3 size = grid.launch->grid;
  block->grid = &grid;
  block->id = id;
  block->ctaid = {static_cast<std::uint32_t>(id.value % size.x), static_cast<std::uint32_t>(id.value / size.x % size.y),
                  static_cast<std::uint32_t>(id.value / size.x / size.y)};
  // Shared memory is a multiple of 128 bytes, the smallest allocation unit of any architecture: compiled code reads
  // vectors that run past the last variable.
  block->shared.resize((grid.shared_bytes + 127) / 128 * 128);
  const auto threads = static_cast<std::uint32_t>(grid.launch->block.count());
  const std::uint32_t warps = (threads + 31) / 32, rows = grid.program->registers;
  block->register_rows.resize(std::size_t{warps} * rows);
  block->warps.resize(warps);
  block->alive_warps = warps;
  for (std::uint32_t i = 0; i < warps; ++i) {
    Warp& warp = block->warps[i];
    warp.block = block.get();
    warp.index = i;
    const std::uint32_t live = std::min(32u, threads - 32 * i);
    warp.alive = live == 32 ? kAllLanes : (1u << live) - 1;
    warp.registers = block->register_rows.data() + std::size_t{i} * rows;
    warp.predicates[isa::kPT] = kAllLanes;
    warp.fragments.reserve(4);
    warp.fragments.push_back(Fragment{.mask = warp.alive});
  }
  return block;
}

trace::KernelInfo kernel_info(const Kernel& kernel, const LaunchConfig& launch) {
  trace::KernelInfo info;
  info.name = kernel.name;
  info.sm = kernel.sm;
  info.registers = kernel.registers;
  info.static_shared = kernel.static_shared;
  info.dynamic_shared = launch.dynamic_shared;
  info.local_bytes = kernel.local_bytes;
  info.barriers = kernel.barriers;
  info.grid = launch.grid;
  info.block = launch.block;
  info.code_address = kernel.code_address;
  info.constant_address = kConstantBase;
  info.code = kernel.code;
  for (const auto& [bank, bytes] : kernel.constants) info.constants.push_back({bank, bytes});
  return info;
}

}  // namespace sassim::emu
