// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/memory/memory_pipeline.h"

#include <algorithm>
#include <array>
#include <bit>

namespace sassim::arch {

namespace {

L1Mode mode_of(const isa::Decoded& decoded) {
  switch (decoded.op) {
    case isa::OpClass::store:
      return L1Mode::store;
    case isa::OpClass::atomic:
      return L1Mode::atomic;
    case isa::OpClass::reduction:
      return L1Mode::reduction;
    case isa::OpClass::async_copy:
      return L1Mode::async;
    default:
      return L1Mode::load;
  }
}

}  // namespace

MemoryPipeline::MemoryPipeline(const config::Sm& sm, MemoryPort& port, ConstantMissPort& constants, SmId id)
    : config_(sm.memory_io),
      line_(sm.l1.line),
      coalesced_(sm.l1.coalesced),
      port_(port),
      shared_(sm),
      l1_(sm, port, data_, events_, id),
      constants_(sm, constants, events_, id) {
  const auto from_accept = [&](std::uint32_t latency) {
    return latency > config_.pipeline ? latency - config_.pipeline : 1;
  };
  const auto latency_of = [&](isa::OpClass op) {
    return from_accept(sm.pipes.ops[static_cast<std::size_t>(op)].latency);
  };
  shuffle_latency_ = latency_of(isa::OpClass::shuffle);
  special_latency_ = latency_of(isa::OpClass::s2r);
  uniform_special_latency_ = latency_of(isa::OpClass::s2ur);
  thread_index_latency_ = from_accept(config_.thread_index_latency);
}

Cycle MemoryPipeline::accept_ready(Cycle now) const {
  if (!l1_.can_accept() || (config_.adu_entries == 0 && !constants_.can_accept())) return kNever;
  const Cycle backlog = now + config_.stage_queue;
  const Cycle data_ready = data_.free() > backlog ? now + (data_.free() - backlog).value : now;
  return std::max(next_accept_, data_ready);
}

void MemoryPipeline::accept(const LsuOp& op, Cycle now) {
  if (op.decoded->op == isa::OpClass::shuffle) return accept_shuffle(op, now);
  if (op.decoded->op == isa::OpClass::s2r) {
    next_accept_ = now + config_.thread_index_interval;
    return accept_special_register(op, now, thread_index_latency_);
  }
  next_accept_ = now + config_.accept_interval;
  switch (op.space) {
    case isa::Space::shared:
      return accept_shared(op, now);
    case isa::Space::constant:
      return constants_.accept(op, now);
    default:
      return accept_l1(op, now);
  }
}

void MemoryPipeline::accept_adu(const LsuOp& op, Cycle now) {
  if (op.decoded->op == isa::OpClass::s2r) return accept_special_register(op, now, special_latency_);
  if (op.decoded->op == isa::OpClass::s2ur) return accept_special_register(op, now, uniform_special_latency_);
  constants_.accept(op, now);
}

void MemoryPipeline::accept_special_register(const LsuOp& op, Cycle now, std::uint32_t latency) {
  events_.push(now, op.token, LsuEvent::Kind::sources_read);
  events_.push(now + latency, op.token, LsuEvent::Kind::written_back);
}

/// When the data of a store have left the registers: wider data occupy the path out of the register file for longer.
Cycle MemoryPipeline::store_release(const LsuOp& op, Cycle now) const {
  const std::uint32_t narrow = std::max(1u, kWarpSize * 4 / config_.store_bytes_per_cycle);
  const std::uint32_t needed = std::max(narrow, kWarpSize * op.decoded->access_bytes / config_.store_bytes_per_cycle);
  return now + config_.store_release + (op.uniform_address ? 0 : config_.store_vector_release) + (needed - narrow);
}

void MemoryPipeline::accept_shared(const LsuOp& op, Cycle now) {
  const SharedMemory::Result result = shared_.access(op, now, data_);
  count(op, 0, result.cost);
  const bool plain_load = !op.decoded->writes_memory;
  events_.push(plain_load ? now : store_release(op, now), op.token, LsuEvent::Kind::sources_read);
  const bool store = op.decoded->op == isa::OpClass::store_shared || op.decoded->op == isa::OpClass::store ||
                     op.decoded->op == isa::OpClass::reduction;
  events_.push(result.done, op.token, store ? LsuEvent::Kind::acknowledged : LsuEvent::Kind::written_back);
}

void MemoryPipeline::count(const LsuOp& op, std::uint64_t sectors, const BankPasses& passes) {
  if (lines_ == nullptr || op.lanes.none()) return;
  const std::uint64_t bytes = static_cast<std::uint64_t>(op.lanes.count()) * op.decoded->access_bytes;
  const std::uint64_t ideal = sectors == 0 ? 0 : std::min(sectors, (bytes + kSectorBytes - 1) / kSectorBytes);
  (*lines_)[op.pc / kInstructionBytes].traffic.add({1, sectors, ideal, passes.passes, passes.ideal});
}

/// A shuffle sends one register through the data stage in one pass.
void MemoryPipeline::accept_shuffle(const LsuOp& op, Cycle now) {
  next_accept_ = now + 1;
  ++shuffles_;
  events_.push(now, op.token, LsuEvent::Kind::sources_read);
  events_.push(data_.reserve(now, 1) + shuffle_latency_, op.token, LsuEvent::Kind::written_back);
}

namespace {

/// The same access with contiguous lanes, from the address of the first lane on.
LsuOp side_by_side(const LsuOp& op) {
  LsuOp packed = op;
  std::uint64_t next = op.addresses[static_cast<std::size_t>(std::countr_zero(op.lanes.bits))];
  next -= next % (std::uint64_t{kWarpSize} * op.decoded->access_bytes);
  for (std::uint32_t left = op.lanes.bits; left != 0; left &= left - 1, next += op.decoded->access_bytes)
    packed.addresses[static_cast<std::size_t>(std::countr_zero(left))] = next;
  return packed;
}

}  // namespace

void MemoryPipeline::accept_l1(const LsuOp& given, Cycle now) {
  const bool atomic = given.decoded->op == isa::OpClass::atomic || given.decoded->op == isa::OpClass::reduction;
  const bool packs = coalesced_ && !atomic && given.space == isa::Space::global && !given.lanes.none();
  const LsuOp& op = packs ? packed_ = side_by_side(given) : given;
  const L1Mode mode = mode_of(*op.decoded);
  Cycle read = now;
  if (mode == L1Mode::async) read = now + config_.async_release;
  if (mode != L1Mode::async && mode != L1Mode::load) read = store_release(op, now);
  events_.push(read, op.token, LsuEvent::Kind::sources_read);
  const LineAccesses& lines =
      l1_.accept(op, mode, now, mode == L1Mode::async ? shared_.cycles_without_conflicts(op.decoded->access_bytes) : 0);
  count(op, lines.sector_count, lines.data);
}

/// Cycles for which the texture unit converts coordinates to addresses before the L1: it handles some lanes at a time,
/// with one cycle for each of their lines.
std::uint32_t MemoryPipeline::texture_cycles(const LsuOp& op) const {
  const std::uint32_t group = op.decoded->narrow_texels ? config_.texture_narrow_lanes : config_.texture_lanes;
  std::uint32_t cycles = 0;
  for (std::uint32_t first = 0; first < kWarpSize; first += group) {
    std::array<std::uint64_t, kWarpSize> lines;
    auto end = lines.begin();
    for (std::uint32_t lane = first; lane < std::min<std::uint32_t>(first + group, kWarpSize); ++lane) {
      if (!op.lanes.test(static_cast<int>(lane))) continue;
      const std::uint64_t line = op.addresses[lane] / line_;
      if (std::find(lines.begin(), end, line) == end) *end++ = line;
    }
    const auto count = static_cast<std::uint32_t>(end - lines.begin());
    cycles += op.decoded->by_lines ? count : std::min(count, 1u);
  }
  return std::max(cycles, 1u);
}

/// The unit takes an instruction when it has found the addresses of the one before, and has a place for it until the L1
/// takes it.
Cycle MemoryPipeline::texture_ready(Cycle now) const {
  const Cycle place = textures_.size() < config_.texture_places ? now : std::max(now + 1, textures_.front().ready);
  return std::max({now, next_texture_, place});
}

void MemoryPipeline::accept_texture(const LsuOp& op, Cycle now) {
  const bool filters = !op.decoded->narrow_texels;
  next_texture_ = std::max(now, next_texture_) + texture_cycles(op);
  const std::uint32_t latency = config_.texture_latency + (filters ? config_.filter_latency : 0);
  const std::uint32_t pipeline = std::max(config_.pipeline, 1u) - 1;  // a cycle has passed since its issue
  textures_.push_back({op, next_texture_ + pipeline + latency});
}

/// Loads and stores go first: they need not wait behind many accesses of textures in the queue of the L1.
void MemoryPipeline::leave_textures(Cycle now) {
  if (textures_.empty() || textures_.front().ready > now || !l1_.queue_empty()) return;
  accept_l1(textures_.front().op, now);
  textures_.pop_front();
}

void MemoryPipeline::cycle(Cycle now) {
  leave_textures(now);
  while (const MemReply* reply = port_.front(now)) {
    l1_.reply(*reply, now);
    port_.pop();
  }
  l1_.cycle(now);
  if (constants_.next_event() <= now) constants_.cycle(now);
}

Cycle MemoryPipeline::next_event() const {
  const Cycle texture = textures_.empty() || !l1_.queue_empty() ? kNever : textures_.front().ready;
  return std::min(
      {events_.next(), l1_.next_event(), constants_.next_event(), texture, l1_.idle() ? kNever : port_.next_reply()});
}

void MemoryPipeline::start_kernel(std::uint64_t carveout_bytes, bool keep_caches) {
  l1_.configure(carveout_bytes, keep_caches);
  if (!keep_caches) constants_.clear();
  l1_.clear_counters();
  shared_.clear_counters();
  constants_.clear_counters();
  data_.clear_counters();
  shuffles_ = 0;
}

void MemoryPipeline::carve(std::uint64_t carveout_bytes) { l1_.configure(carveout_bytes, false); }

void MemoryPipeline::report(stats::MetricSet& metrics) const {
  l1_.report(metrics);
  const SharedMemory::Counters& s = shared_.counters();
  metrics.sum("smsp__inst_executed_op_shared_ld.sum", "inst", "warp instructions executed: shared loads",
              s.load_instructions);
  metrics.sum("smsp__inst_executed_op_shared_st.sum", "inst", "warp instructions executed: shared stores",
              s.store_instructions);
  metrics.sum("smsp__inst_executed_op_shared_atom.sum", "inst", "warp instructions executed: shared atomics",
              s.atomic_instructions);
  metrics.sum("smsp__inst_executed_op_ldsm.sum", "inst", "warp instructions executed: matrix loads (LDSM)",
              s.matrix_instructions);
  metrics.sum("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront", "data stage: passes of shared loads",
              s.load_wavefronts);
  metrics.sum("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront",
              "data stage: passes of shared stores", s.store_wavefronts);
  metrics.sum("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "wavefront",
              "data stage: passes of shared atomics", s.atomic_wavefronts);
  metrics.sum("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefront",
              "data stage: passes of shared memory and of shuffles that go through it",
              s.load_wavefronts + s.store_wavefronts + s.atomic_wavefronts + shuffles_);
  metrics.sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict",
              "passes that bank conflicts cost shared loads", s.load_conflicts);
  metrics.sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict",
              "passes that bank conflicts cost shared stores", s.store_conflicts);
  metrics.sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "conflict",
              "passes that bank conflicts cost shared atomics", s.atomic_conflicts);
  metrics.sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "conflict",
              "passes that bank conflicts cost shared memory",
              s.load_conflicts + s.store_conflicts + s.atomic_conflicts);
  metrics.sum("l1tex__data_pipe_lsu_wavefronts.sum", "wavefront",
              "data stage: passes of shared memory, shuffles and the L1",
              s.load_wavefronts + s.store_wavefronts + s.atomic_wavefronts + shuffles_ + l1_.counters().wavefronts());
  metrics.sum("sassim__l1_data_stage_busy_cycles.sum", "cycle",
              "cycles in which the data stage of L1 and shared memory was busy", data_.busy());
  const MissPath::Counters& m = l1_.miss_counters();
  metrics.sum("l1tex__m_l1tex2xbar_req_cycles_active.sum", "cycle", "cycles in which the L1 sent a request",
              m.requests);
  metrics.sum("l1tex__m_l1tex2xbar_write_sectors.sum", "sector",
              "sectors that the L1 wrote to the L2, those of atomics included", m.write_sectors);
  metrics.sum("sassim__l1_sectors_asked.sum", "sector", "sectors of loads that the L1 requested from the L2",
              m.read_sectors);
  metrics.sum("l1tex__m_l1tex2xbar_write_bytes.sum", "byte", "bytes that the L1 sent along with stores and atomics",
              m.write_bytes);
  metrics.sum("sassim__l1_tlb_lookups.sum", "request", "requests that looked up the first-level TLB", m.tlb_lookups);
  metrics.sum("sassim__l1_tlb_misses.sum", "request", "requests that missed the first-level TLB", m.tlb_misses);
  const VariableConstantCache::Counters& c = constants_.counters();
  metrics.sum("sassim__ldc_words.sum", "request", "distinct words that LDC instructions looked up", c.requests);
  metrics.sum("sassim__ldc_lines_missed.sum", "request", "lines that LDC did not find in its first-level cache",
              c.misses);
  metrics.sum("smsp__inst_executed_op_ldc.sum", "inst", "warp instructions executed: indexed constant loads",
              c.instructions);
}

}  // namespace sassim::arch
