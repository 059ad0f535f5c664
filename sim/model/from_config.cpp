// SPDX-License-Identifier: Apache-2.0
// Derives the parameters of the analytic models (hardware.h) from the configuration of a GPU, without a simulation.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "arch/memory/dram/dram.h"
#include "arch/memory/dram/refresh.h"
#include "sim/base/error.h"
#include "sim/base/types.h"
#include "sim/config/dump.h"
#include "sim/config/gpu_config.h"
#include "sim/model/hardware.h"

namespace sassim::model {

namespace {

using config::GpuConfig;

const config::PipeConfig& pipe(const config::Pipes& pipes, std::string_view name) {
  if (name == "fma") return pipes.fma;
  if (name == "alu") return pipes.alu;
  if (name == "fp16") return pipes.fp16;
  if (name == "xu") return pipes.xu;
  throw InputError("the analytic models need FADD and MUFU on one of the pipes fma, alu, fp16, xu, not on '{}'", name);
}

Instructions on_pipe(const GpuConfig& gpu, isa::OpClass op) {
  const config::OpConfig& row = gpu.sm.pipes.ops[static_cast<std::size_t>(op)];
  const config::PipeConfig& unit = pipe(gpu.sm.pipes, row.pipe);
  const double units = unit.shared_by_sm ? 1 : gpu.sm.processing_blocks;
  const double interval = row.interval ? row.interval : std::max(1.0, 32.0 / unit.lanes);
  return {static_cast<double>(row.latency), units / interval};
}

Instructions shared_memory(const GpuConfig& gpu) {
  const config::MemoryIo& io = gpu.sm.memory_io;
  const double addresses = static_cast<double>(gpu.sm.processing_blocks) / io.address_interval;
  const double data = gpu.sm.shared.bytes_per_cycle / 128.0;
  return {static_cast<double>(gpu.sm.shared.latency), std::min({addresses, 1.0 / io.accept_interval, data})};
}

double pin_gbs(const GpuConfig& gpu) {
  const config::DramConfig& dram = gpu.memory.dram;
  return dram.channels * dram.pseudo_channels * (dram.bus_bits / 8.0) * dram.beats_per_clock *
         static_cast<double>(gpu.clock.dram) * 1e-9;
}

/// The share of time in which the channel can work: a refresh of all banks stops it, other ones leave it other banks.
double share_between_refreshes(const arch::Dram& model, const config::DramConfig& dram) {
  const arch::DramRefresh* refresh = model.refresh();
  if (refresh == nullptr || refresh->interval() == 0) return 1;
  const bool stops = refresh->at_a_time() == std::size_t{dram.bank_groups} * dram.banks_per_group;
  return stops ? 1 - static_cast<double>(refresh->duration()) / static_cast<double>(refresh->interval()) : 1;
}

double cycles_on_wire(double payload, double bytes_per_cycle, const config::CrossbarConfig& crossbar) {
  return std::ceil(std::ceil((crossbar.header + payload) / crossbar.flit) * crossbar.flit / bytes_per_cycle);
}

/// The latency of a load of one sector that misses both caches, with an idle memory system, TLB hits and a closed row.
/// On a chip with two halves, half of the lines belong to the other half.
double miss_latency(const GpuConfig& gpu, const arch::Dram& model) {
  const config::Sm& sm = gpu.sm;
  const double to_l1 = sm.memory_io.pipeline + sm.memory_io.vector_address + 1;  // plus the tag stage
  if (gpu.memory.model == "fixed") return to_l1 + sm.l1.miss_latency + gpu.memory.fixed_latency + sm.l1.fill_latency;
  const config::DramConfig& dram = gpu.memory.dram;
  const double sm_per_l2 = static_cast<double>(gpu.clock.sm) / static_cast<double>(gpu.clock.l2);
  const double sm_per_dram = static_cast<double>(gpu.clock.sm) / static_cast<double>(gpu.clock.dram);
  const config::CrossbarConfig& crossbar = gpu.memory.crossbar;
  const double sector = kSectorBytes;
  const double bursts = std::ceil(gpu.memory.l2.fetch / (dram.bus_bits / 8.0 * dram.burst));
  const auto array = static_cast<double>(model.idle_read(static_cast<std::uint32_t>(bursts)));
  const double slice = gpu.memory.l2.latency + cycles_on_wire(0, crossbar.slice_request_bytes_per_cycle, crossbar) +
                       cycles_on_wire(sector, crossbar.slice_reply_bytes_per_cycle, crossbar);
  const double far = gpu.memory.halves.parts > 1 ? (2 * gpu.memory.halves.latency + slice * sm_per_l2) / 2 : 0;
  return to_l1 + sm.l1.miss_latency + crossbar.request_latency + crossbar.reply_latency + crossbar.spread +
         cycles_on_wire(0, crossbar.request_bytes_per_cycle, crossbar) +
         cycles_on_wire(sector, crossbar.reply_bytes_per_cycle, crossbar) + (slice + dram.latency) * sm_per_l2 + far +
         array * sm_per_dram + sm.l1.fill_latency;
}

}  // namespace

HardwareParameters from_config(const GpuConfig& config) {
  HardwareParameters gpu;
  gpu.name = config::shown_name(config);
  gpu.source = "configuration";
  gpu.sms = config.sm.count;
  gpu.clock_ghz = static_cast<double>(config.clock.sm) * 1e-9;
  gpu.max_warps = config.sm.occupancy.warps;
  gpu.schedulers = config.sm.processing_blocks;
  gpu.issue_rate = static_cast<double>(config.sm.processing_blocks) / std::max(1u, config.sm.issue.interval);
  gpu.pin_gbs = pin_gbs(config);
  gpu.alu = on_pipe(config, isa::OpClass::fp32);
  gpu.sfu = on_pipe(config, isa::OpClass::mufu);
  gpu.smem = shared_memory(config);
  const config::DramConfig& dram = config.memory.dram;
  const auto model = arch::Drams::instance().make(dram.model, dram, {});
  const double share = share_between_refreshes(*model, dram);
  gpu.mem = {miss_latency(config, *model), gpu.pin_gbs * share / gpu.gbs_per_ipc()};
  return gpu;
}

}  // namespace sassim::model
