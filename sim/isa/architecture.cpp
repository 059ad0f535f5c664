// SPDX-License-Identifier: Apache-2.0
// The rows of the table of architectures. Layouts, places in constant bank 0, descriptors, relocations, barrier words
// and control bits are read off the code that CUDA 11.8 compiles; tensor cores: sim/emu/exec/tensor_math.h.
#include "sim/isa/architecture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "sim/base/error.h"
#include "sim/isa/code_rules.h"

namespace sassim::isa {
namespace {

constexpr LaunchBank kKeplerBank{
    .parameters = 0x140,
    .sizes = 0x28,
    .shared_window = 0x20,
    .shared_high = 0x100,
    .local_window = 0x24,
    .local_high = 0x104,
    .stack = 0x44,
    .dynamic_shared = 0x114,
    .grid_id = 0xdc,
    .workspace_low = 0x8,
    .workspace_high = 0xc,
    .user_constants = 0xf0,
    .copy = 0,
    .copy_begins = 0,
    .global_descriptor = 0,
};

constexpr LaunchBank kMaxwellBank{
    .parameters = 0x140,
    .sizes = 0x8,
    .shared_window = 0,
    .shared_high = 0x100,
    .local_window = 0x4,
    .local_high = 0x104,
    .stack = 0x20,
    .dynamic_shared = 0xfc,
    .grid_id = 0x28,
    .workspace_low = 0x38,
    .workspace_high = 0x34,
    .user_constants = 0xd0,
    .copy = 0,
    .copy_begins = 0,
    .global_descriptor = 0,
};

constexpr Architecture kMaxwell{
    .set = InstructionSet::sass64,
    .code = CodeLayout(8, 3),
    .branch_target = BranchTarget::near,
    .call = RelocationType::call_near,
    .counts_fp64_and_matrices = true,
    .counts_r2ur = true,
    .descriptors = false,
    .global_address = GlobalAddress::extended,
    .bank = kMaxwellBank,
    .low_windows = true,
    .system_shared = 0,
    .clusters = false,
    .barrier_word = BarrierWord::none,
    .tensor = {.group = 4, .extra_bits = 0},
    .tall_texel_pairs = false,
    .surface_descriptors = false,
};

constexpr Architecture kKepler = [] {
  Architecture row = kMaxwell;
  row.code = CodeLayout(8, 7);
  row.call = kShiftedCall;
  row.bank = kKeplerBank;
  row.tall_texel_pairs = true;  // the places that SUBFM gives (sim/emu/exec/sass64_surface.cpp)
  row.surface_descriptors = true;
  return row;
}();

constexpr Architecture kPascal = [] {
  Architecture row = kMaxwell;
  row.low_windows = false;
  return row;
}();

constexpr LaunchBank kVoltaBank{
    .parameters = 0x160,
    .sizes = 0,
    .shared_window = 0x18,
    .shared_high = 0x1c,
    .local_window = 0x20,
    .local_high = 0x24,
    .stack = 0x28,
    .dynamic_shared = 0x2c,
    .grid_id = 0x30,
    .workspace_low = 0x90,
    .workspace_high = 0x8c,
    .user_constants = 0x50,
    .copy = 0x40,
    .copy_begins = 0,
    .global_descriptor = 0,
};

constexpr Architecture kVolta{
    .set = InstructionSet::sass128,
    .code = CodeLayout(16),
    .branch_target = BranchTarget::bytes,
    .call = RelocationType::call,
    .counts_fp64_and_matrices = true,
    .counts_r2ur = true,
    .descriptors = false,
    .global_address = GlobalAddress::extended,
    .bank = kVoltaBank,
    .low_windows = false,
    .system_shared = 0,
    .clusters = false,
    .barrier_word = BarrierWord::none,
    .tensor = {.group = 4, .extra_bits = 0},
    .tall_texel_pairs = false,
    .surface_descriptors = false,
};

constexpr Architecture kTuring = [] {
  Architecture row = kVolta;
  row.tall_texel_pairs = true;
  return row;
}();

constexpr Architecture kAmpere = [] {
  Architecture row = kTuring;
  row.descriptors = true;
  row.global_address = GlobalAddress::wide;
  row.bank.global_descriptor = 0x118;
  row.barrier_word = BarrierWord::halves;
  row.tensor = {.group = 8, .extra_bits = 1};
  return row;
}();

constexpr Architecture kAda = kAmpere;

constexpr Architecture kHopper{
    .set = InstructionSet::sass128,
    .code = CodeLayout(16),
    .branch_target = BranchTarget::words,
    .call = RelocationType::call_far,
    .counts_fp64_and_matrices = false,
    .counts_r2ur = false,
    .descriptors = true,
    .global_address = GlobalAddress::described,
    .bank = {.parameters = 0x210,
             .sizes = 0,
             .shared_window = 0x18,
             .shared_high = 0x1c,
             .local_window = 0x20,
             .local_high = 0x24,
             .stack = 0x28,
             .dynamic_shared = 0x2c,
             .grid_id = 0x30,
             .workspace_low = 0x48,
             .workspace_high = 0x44,
             .user_constants = 0xd0,
             .copy = 0x198,
             .copy_begins = 0x210,
             .global_descriptor = 0x208},
    .low_windows = false,
    .system_shared = 1024,
    .clusters = true,
    .barrier_word = BarrierWord::fields,
    .tensor = {.group = 16, .extra_bits = 2},
    .tall_texel_pairs = true,
    .surface_descriptors = false,
};

constexpr Architecture row(int sm, Architecture generation, int single_to_double) {
  generation.sm = sm;
  generation.single_to_double = single_to_double;
  return generation;
}

constexpr std::array kRows{
    row(35, kKepler, 3),   row(37, kKepler, 3),  row(50, kMaxwell, 32), row(52, kMaxwell, 32),
    row(53, kMaxwell, 32), row(60, kPascal, 2),  row(61, kPascal, 32),  row(62, kPascal, 32),
    row(70, kVolta, 2),    row(72, kVolta, 32),  row(75, kTuring, 32),  row(80, kAmpere, 2),
    row(86, kAmpere, 32),  row(87, kAmpere, 32), row(89, kAda, 32),     row(90, kHopper, 2),
};

constexpr int kLargestSm = 255;

/// For each number the row in the table plus one; 0: none. The emulator looks up an architecture for each instruction.
constexpr auto kRowOf = [] {
  std::array<std::uint8_t, kLargestSm + 1> rows{};
  for (std::size_t i = 0; i < kRows.size(); ++i)
    rows[static_cast<std::size_t>(kRows[i].sm)] = static_cast<std::uint8_t>(i + 1);
  return rows;
}();

}  // namespace

std::span<const Architecture> architectures() { return kRows; }

const Architecture* find_architecture(int sm) {
  if (sm < 0 || sm > kLargestSm || kRowOf[static_cast<std::size_t>(sm)] == 0) return nullptr;
  return &kRows[kRowOf[static_cast<std::size_t>(sm)] - 1u];
}

const Architecture& architecture(int sm, std::string_view place) {
  if (const Architecture* found = find_architecture(sm)) return *found;
  throw NotSupported("{}{}{}", place, place.empty() ? "" : ": ", unknown_architecture(sm));
}

const CodeRules& code_rules(const Architecture& row) {
  static constexpr CodeRules kCommon, kOfKepler{23, 59, false, true, true};
  return row.code == kKepler.code ? kOfKepler : kCommon;
}

const Architecture& assumed_architecture() { return *find_architecture(75); }

std::string known_architectures() {
  std::vector<std::string> names;
  for (const Architecture& known : kRows) names.push_back(fmt::format("sm_{}", known.sm));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string unknown_architecture(std::int64_t sm) {
  const auto distance = [&](const Architecture& known) { return std::abs(sm - known.sm); };
  const Architecture& nearest = *std::ranges::min_element(kRows, {}, distance);
  return fmt::format("architecture sm_{} is not supported; the nearest is sm_{} (known: {})", sm, nearest.sm,
                     known_architectures());
}

}  // namespace sassim::isa
