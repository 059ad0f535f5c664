// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sass_kernel.h"

#include <sstream>
#include <stdexcept>

#include "sim/isa/opcode.h"

namespace sassim::arch::test {

namespace {

std::map<std::string, std::uint32_t> find_labels(std::string_view text) {
  std::map<std::string, std::uint32_t> labels;
  std::istringstream in{std::string(text)};
  std::uint32_t line = 0;
  for (std::string row; std::getline(in, row);) {
    if (const auto comment = row.find("//"); comment != std::string::npos) row.resize(comment);
    const auto begin = row.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    const auto end = row.find_last_not_of(" \t");
    row = row.substr(begin, end - begin + 1);
    if (row.back() == ':')
      labels[row.substr(0, row.size() - 1)] = line;
    else
      ++line;
  }
  return labels;
}

}  // namespace

SassKernel::SassKernel(std::string_view text, int sm) : labels_(find_labels(text)) {
  kernel_.name = "test";
  kernel_.sm = sm;
  kernel_.registers = 32;
  kernel_.block = {32, 1, 1};
  kernel_.code_address = 0x7f0000000000;
  kernel_.constant_address = 0x7f1000000000;
  kernel_.code = isa::assemble(text, "sass", isa::architecture(sm));
  for (const isa::Instruction& instruction : kernel_.code) decoded_.push_back(isa::decode(instruction, sm));
}

SassKernel& SassKernel::warps(std::uint32_t count) { return kernel_.block = {32 * count, 1, 1}, *this; }
SassKernel& SassKernel::blocks(std::uint32_t count) { return kernel_.grid = {count, 1, 1}, *this; }
SassKernel& SassKernel::registers(std::uint32_t count) { return kernel_.registers = count, *this; }
SassKernel& SassKernel::shared(std::uint32_t bytes) { return kernel_.static_shared = bytes, *this; }
SassKernel& SassKernel::loop(const std::string& label, std::uint64_t trips) {
  return trips_[line_of(label)] = trips, *this;
}
SassKernel& SassKernel::entry(std::function<std::string(std::uint32_t)> enter) {
  return entry_ = std::move(enter), *this;
}
SassKernel& SassKernel::entry_by_block(std::function<std::string(std::uint64_t, std::uint32_t)> enter) {
  return block_entry_ = std::move(enter), *this;
}
SassKernel& SassKernel::addresses(Address address) { return address_ = std::move(address), *this; }
SassKernel& SassKernel::addresses_by_block(BlockAddress address) { return block_address_ = std::move(address), *this; }
SassKernel& SassKernel::active(std::function<LaneMask(std::uint32_t)> mask) { return active_ = std::move(mask), *this; }
SassKernel& SassKernel::details(std::function<trace::Detail(std::uint32_t, std::uint32_t)> detail) {
  return detail_ = std::move(detail), *this;
}

SassKernel& SassKernel::active_at(std::function<LaneMask(std::uint32_t)> mask) {
  return active_at_ = std::move(mask), *this;
}

SassKernel& SassKernel::path(std::vector<std::pair<std::uint32_t, LaneMask>> steps) {
  return path_ = std::move(steps), *this;
}

std::uint32_t SassKernel::line_of(const std::string& label) const {
  const auto found = labels_.find(label);
  if (found == labels_.end()) throw std::logic_error("no label '" + label + "' in the test's SASS");
  return found->second;
}

std::shared_ptr<const trace::WarpStream> SassKernel::stream(std::uint64_t block, std::uint32_t warp) const {
  auto builder = trace::WarpStreamBuilder::make(kernel_);
  for (const auto& [line, lanes] : path_) {
    trace::Step step;
    step.index = line;
    step.active = step.lanes = lanes;
    builder->append(step);
  }
  if (!path_.empty()) return builder->finish();
  std::vector<std::uint64_t> executions(kernel_.code.size()), taken(kernel_.code.size());
  const LaneMask mask = active_ ? active_(warp) : LaneMask::all();
  const std::string enter = block_entry_ ? block_entry_(block, warp) : entry_ ? entry_(warp) : "";
  for (std::uint32_t line = enter.empty() ? 0 : line_of(enter);;) {
    const isa::Instruction& instruction = kernel_.code.at(line);
    const isa::Decoded& decoded = decoded_[line];
    trace::Step step;
    step.index = line;
    step.active = step.lanes = active_at_ ? active_at_(line) : mask;
    const bool indexed_constant = decoded.op == isa::OpClass::load_const && (address_ || block_address_);
    if (detail_) step.detail = detail_(warp, line);
    if (indexed_constant || (decoded.space != isa::Space::none && decoded.space != isa::Space::constant)) {
      step.has_addresses = true;
      step.space = decoded.space == isa::Space::generic ? isa::Space::global : decoded.space;
      auto& list = step.addresses.list();
      const std::uint64_t base = step.space == isa::Space::global ? 0x10000000 : 0;
      for (int lane = 0; lane < kWarpSize; ++lane)
        list[static_cast<std::size_t>(lane)] = block_address_
                                                   ? block_address_(block, warp, line, executions[line], lane)
                                               : address_ ? address_(warp, line, executions[line], lane)
                                                          : base + 4 * static_cast<std::uint64_t>(lane);
    }
    builder->append(step);
    ++executions[line];
    if (instruction.opcode == "EXIT") break;
    std::uint32_t next = line + 1;
    for (const isa::Operand& operand : instruction.operands) {
      if (operand.kind != isa::OperandKind::label) continue;
      const auto target = static_cast<std::uint32_t>(kernel_.layout().index(static_cast<std::uint64_t>(operand.value)));
      if (target > line) {
        if (instruction.guard.always()) next = target;
        continue;
      }
      const auto trips = trips_.find(target);
      if (trips == trips_.end()) throw std::logic_error("a backward branch without a trip count");
      if (++taken[line] < trips->second)
        next = target;
      else
        taken[line] = 0;
    }
    line = next;
  }
  return builder->finish();
}

std::shared_ptr<const trace::BlockTrace> SassKernel::block(BlockId id) const {
  auto block = std::make_shared<trace::BlockTrace>();
  block->id = trace::block_position(kernel_.grid, id.value);
  for (std::uint32_t w = 0; w < kernel_.warps_per_block(); ++w) block->warps.push_back(stream(id.value, w));
  return block;
}

std::unique_ptr<trace::BlockSource> SassKernel::source() const {
  if (block_address_ || block_entry_)
    return std::make_unique<trace::GeneratedTrace>(kernel_, [this](BlockId id) { return block(id); });
  return std::make_unique<trace::GeneratedTrace>(kernel_, [first = block(BlockId(0)), grid = kernel_.grid](BlockId id) {
    auto block = std::make_shared<trace::BlockTrace>(*first);
    block->id = trace::block_position(grid, id.value);
    return std::shared_ptr<const trace::BlockTrace>(std::move(block));
  });
}

}  // namespace sassim::arch::test
