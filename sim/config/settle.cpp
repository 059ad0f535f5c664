// SPDX-License-Identifier: Apache-2.0
// Turns times and `sm` in a configuration into cycles and clocks, and DRAM bandwidth into its clock or back.
#include "sim/config/settle.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/config/units.h"

namespace sassim::config {

namespace {

constexpr const char* kBandwidth = "memory.bandwidth";
constexpr const char* kClock = "clock.dram";
constexpr double kTolerance = 0.01;     // data sheets round their values
constexpr double kPicoseconds = 1e12;   // picoseconds in a second
constexpr double kHairOfACycle = 1e-6;  // allows for rounding errors

bool read_whole(std::string_view text, std::uint64_t& value) {
  return parse_quantity(text, Unit::count, value).empty();
}

/// Converts "14.4" and "ns" (or "us") to picoseconds.
bool read_time(std::string_view text, std::uint64_t& picoseconds) {
  const std::uint64_t unit = text.ends_with("us") ? 1'000'000 : 1'000;
  std::string_view digits = text.substr(0, text.size() - 2);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  const auto dot = digits.find('.');
  std::uint64_t whole = 0, fraction = 0;
  if (digits.size() > 12 || !read_whole(digits.substr(0, dot), whole)) return false;
  picoseconds = whole * unit;
  if (dot == std::string_view::npos) return true;
  std::uint64_t digit_value = unit;
  for (const char c : digits.substr(dot + 1)) {
    digit_value /= 10;
    if (c < '0' || c > '9' || digit_value == 0) return false;
    fraction += static_cast<std::uint64_t>(c - '0') * digit_value;
  }
  picoseconds += fraction;
  return dot + 1 < digits.size();
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::uint64_t clock_of(const GpuConfig& config, Domain domain) {
  switch (domain) {
    case Domain::sm:
      return config.clock.sm;
    case Domain::l2:
      return config.clock.l2;
    default:
      return config.clock.dram;
  }
}

/// Bits that all channels transfer in a cycle of the command clock.
std::uint64_t bits_per_cycle(const DramConfig& dram) {
  return std::uint64_t{dram.channels} * dram.pseudo_channels * dram.bus_bits * dram.beats_per_clock;
}

std::string place_of(const LoadedConfig& loaded, const char* key) {
  const auto found = loaded.provenance.find(key);
  return found == loaded.provenance.end() ? "default" : found->second.place;
}

int level_of(const LoadedConfig& loaded, const char* key) {
  const auto found = loaded.provenance.find(key);
  return found == loaded.provenance.end() ? -1 : found->second.level;
}

std::string made_of(const DramConfig& dram) {
  return fmt::format(
      "{} channels x {} pseudo channels x {} bits x {} beats per clock (memory.dram.channels, "
      "pseudo_channels, bus_bits, beats_per_clock)",
      dram.channels, dram.pseudo_channels, dram.bus_bits, dram.beats_per_clock);
}

}  // namespace

std::optional<CyclesAndTime> parse_time(std::string_view text, std::string& problem) {
  text = trimmed(text);
  if (!text.ends_with("ns") && !text.ends_with("us")) return std::nullopt;
  CyclesAndTime value;
  const auto plus = text.find('+');
  const bool sum = plus != std::string_view::npos;
  if ((sum && !read_whole(trimmed(text.substr(0, plus)), value.cycles)) ||
      !read_time(trimmed(sum ? text.substr(plus + 1) : text), value.picoseconds))
    problem = fmt::format("'{}' is not a time; write 14.4ns, 3.5us or, with cycles, 83+57ns", text);
  return value;
}

void settle_bandwidth(LoadedConfig& loaded, int level) {
  GpuConfig& config = loaded.config;
  const std::uint64_t bits = bits_per_cycle(config.memory.dram);
  const bool stated = level_of(loaded, kBandwidth) == level, clocked = level_of(loaded, kClock) == level;
  if (bits == 0) return;
  if (stated && !clocked) {
    const double hertz = std::round(static_cast<double>(config.memory.bandwidth) * 8 / static_cast<double>(bits));
    if (hertz < 1e6 || hertz > 1e10) {
      loaded.problems.push_back(
          fmt::format("{}: {}: {} cannot be reached by {} at any clock.dram from 1MHz to 10GHz; "
                      "nearest: {}",
                      place_of(loaded, kBandwidth), kBandwidth, format_quantity(config.memory.bandwidth, Unit::rate),
                      made_of(config.memory.dram),
                      format_quantity(bits / 8 * (hertz < 1e6 ? 1'000'000 : 10'000'000'000), Unit::rate)));
      return;
    }
    config.clock.dram = static_cast<std::uint64_t>(hertz);
    Provenance follows = loaded.provenance.find(kBandwidth)->second;
    follows.written = "from memory.bandwidth";
    loaded.provenance[kClock] = follows;
  }
  const auto made = static_cast<std::uint64_t>(static_cast<long double>(bits) * config.clock.dram / 8);
  if (stated && clocked) {
    const double ratio = static_cast<double>(config.memory.bandwidth) / static_cast<double>(made);
    if (std::abs(ratio - 1) > kTolerance)
      loaded.problems.push_back(
          fmt::format("{}: {}: {}, but {} at clock.dram = {} give {}; write this value, or leave out clock.dram, which "
                      "then follows",
                      place_of(loaded, kBandwidth), kBandwidth, format_quantity(config.memory.bandwidth, Unit::rate),
                      made_of(config.memory.dram), format_quantity(config.clock.dram, Unit::hertz),
                      format_quantity(made, Unit::rate)));
  }
  const auto clock = loaded.provenance.find(kClock);
  const bool changed = made != config.memory.bandwidth || !loaded.provenance.contains(kBandwidth);
  if (!stated && changed && clock != loaded.provenance.end())
    loaded.provenance[kBandwidth] = {0, clock->second.place, clock->second.comment, "from the channels and clock.dram"};
  config.memory.bandwidth = made;
}

void settle_clocks(LoadedConfig& loaded, const FieldList& list, const Unsettled& unsettled) {
  if (unsettled.l2_as_sm) loaded.config.clock.l2 = loaded.config.clock.sm;
  for (const auto& [path, time] : unsettled.times) {
    const Field& field = *list.find(path);
    const double cycles = static_cast<double>(time.picoseconds) *
                          static_cast<double>(clock_of(loaded.config, field.spec.domain)) / kPicoseconds;
    const std::uint64_t value = time.cycles + static_cast<std::uint64_t>(std::ceil(cycles - kHairOfACycle));
    const std::string wrong = field.parse(std::to_string(value));
    if (!wrong.empty())
      loaded.problems.push_back(fmt::format("{}: {}: {}", place_of(loaded, path.c_str()), path, wrong));
  }
}

}  // namespace sassim::config
