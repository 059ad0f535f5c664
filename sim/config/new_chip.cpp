// SPDX-License-Identifier: Apache-2.0
// Writes the YAML file of a GPU that sassim does not have, from deviceQuery, nvidia-smi or stated facts.
#include "sim/config/new_chip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/config/find.h"
#include "sim/config/loader.h"
#include "sim/config/source_file.h"
#include "sim/config/units.h"
#include "sim/isa/architecture.h"

namespace sassim::config {

namespace {

constexpr std::uint64_t kMega = 1'000'000;

constexpr std::array<NeededFact, 7> kNeeded{{
    {"arch", "--arch", "compute capability, such as sm_86", "nvidia-smi --query-gpu=compute_cap, or deviceQuery"},
    {"clock.sm", "--clock", "clock of the SMs, such as 1710MHz", "the data sheet's boost clock, or nvidia-smi -q"},
    {"sm.count", "--sms", "number of SMs", "deviceQuery (multiprocessors), or the data sheet's cores"},
    {"memory.size", "--memory", "device memory, such as 10GiB", "the data sheet, or nvidia-smi -q"},
    {"memory.bandwidth", "--bandwidth", "bandwidth of the memory's pins, such as 760GB/s",
     "the data sheet, or deviceQuery (clock and bus); a measurement: dram_bandwidth (dram.read), which is less"},
    {"bus", "--bus", "bits of the memory's bus", "the data sheet, or deviceQuery"},
    {"memory.l2.size", "--l2", "size of the L2, such as 5MiB",
     "deviceQuery; a measurement: random_chase, where its latency rises"},
}};

/// The first group of the first match.
std::optional<std::string> find_in(std::string_view text, const char* pattern) {
  std::string found;
  if (re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern, &found)) return found;
  return std::nullopt;
}

std::uint64_t whole(const std::string& digits) { return std::strtoull(digits.c_str(), nullptr, 10); }

ChipFacts of_device_query(std::string_view text) {
  ChipFacts facts;
  const auto add = [&](const char* key, const std::string& value, const char* line) {
    facts[key] = {value, fmt::format("documented: deviceQuery: {}", line)};
  };
  if (const auto name = find_in(text, R"re(Device \d+: "([^"]+)")re")) add("device", *name, "the device's name");
  if (const auto sm = find_in(text, R"(Capability[^:]*:\s*(\d+\.\d))"))
    add("arch", fmt::format("sm_{}{}", sm->front(), sm->back()), "CUDA Capability");
  if (const auto bytes = find_in(text, R"(global memory:[^(]*\((\d+) bytes)"))
    add("memory.size", fmt::format("{}MiB", whole(*bytes) >> 20), "total amount of global memory");
  if (const auto sms = find_in(text, R"(\(\s*(\d+)\) Multiprocessors)"))
    add("sm.count", fmt::format("{}", whole(*sms)), "Multiprocessors");
  if (const auto clock = find_in(text, R"(GPU Max Clock rate:\s*(\d+) MHz)"))
    add("clock.sm", *clock + "MHz", "GPU Max Clock rate");
  if (const auto l2 = find_in(text, R"(L2 Cache Size:\s*(\d+) bytes)"))
    add("memory.l2.size", format_quantity(whole(*l2), Unit::bytes), "L2 Cache Size");
  const auto memory = find_in(text, R"((?i)Memory Clock rate:\s*(\d+) MHz)"),
             bus = find_in(text, R"(Memory Bus Width:\s*(\d+)-bit)");
  if (bus) add("bus", *bus, "Memory Bus Width");
  if (memory && bus)  // two transfers for each of these cycles
    add("memory.bandwidth", format_quantity(whole(*memory) * kMega * 2 * whole(*bus) / 8, Unit::rate),
        "Memory Clock rate and Bus Width");
  return facts;
}

ChipFacts of_driver(std::string_view text) {
  ChipFacts facts;
  const auto add = [&](const char* key, const std::string& value, const char* line) {
    facts[key] = {value, fmt::format("documented: nvidia-smi -q: {}", line)};
  };
  if (const auto name = find_in(text, R"(Product Name\s*:\s*([^\n]*\S))")) add("device", *name, "Product Name");
  if (const auto size = find_in(text, R"(FB Memory Usage\s*\n\s*Total\s*:\s*(\d+) MiB)"))
    add("memory.size", *size + "MiB", "FB Memory Usage, Total");
  if (const auto clock = find_in(text, R"((?s)Max Clocks\s*\n.*?\bSM\s*:\s*(\d+) MHz)"))
    add("clock.sm", *clock + "MHz", "Max Clocks, SM");
  return facts;
}

/// What another layer or chip gives.
struct Near {
  std::string name, generation, dram;
  bool own_l2_clock = false;  ///< set by the chip, not by its generation
  GpuConfig config;
};

std::string stem_of(const LoadedConfig& loaded, const char* key) {
  const auto found = loaded.provenance.find(key);
  if (found == loaded.provenance.end()) return "";
  return std::filesystem::path(found->second.place.substr(0, found->second.place.find(':'))).stem().string();
}

double distance(const GpuConfig& chip, std::uint64_t bandwidth) {
  return std::fabs(std::log(static_cast<double>(chip.memory.bandwidth) / static_cast<double>(bandwidth)));
}

Near nearest_chip(std::uint64_t sm, std::uint64_t bandwidth) {
  std::optional<Near> nearest;
  std::set<std::string> known;
  for (const ConfigFile& file : list_configs()) {
    LoadedConfig loaded = read_config(file.path);
    if (!loaded.problems.empty()) continue;
    known.insert(fmt::format("sm_{}", loaded.config.arch));
    if (static_cast<std::uint64_t>(loaded.config.arch) != sm) continue;
    if (nearest && distance(nearest->config, bandwidth) <= distance(loaded.config, bandwidth)) continue;
    const std::string generation = stem_of(loaded, "arch"), l2_clock = stem_of(loaded, "clock.l2");
    nearest = Near{file.name, generation, stem_of(loaded, "memory.dram.type"), l2_clock == file.name, loaded.config};
  }
  if (nearest) return *nearest;
  if (isa::find_architecture(static_cast<int>(sm)) == nullptr)
    throw NotSupported("{}", isa::unknown_architecture(static_cast<std::int64_t>(sm)));
  throw InputError("no chip in configs/ is of sm_{}, so nothing can be carried over; known: {}", sm,
                   fmt::join(known, ", "));
}

/// Bits of a channel, all pseudo channels together.
std::uint32_t channel_bits(const std::string& dram) {
  const std::vector<ConfigFile> known = list_layers("dram");
  std::vector<std::string> names;
  for (const ConfigFile& file : known) {
    names.push_back(file.name);
    if (file.name != dram) continue;
    const DramConfig layer = read_config_text(read_text(file.path), file.path, {{}, {}, true}).config.memory.dram;
    return layer.bus_bits * layer.pseudo_channels;
  }
  throw InputError("--dram: unknown kind of memory '{}'{}; known: {}", dram, did_you_mean(dram, names),
                   fmt::join(names, ", "));
}

std::uint64_t number_of(const ChipFacts& facts, const char* key, Unit unit) {
  const std::string& text = facts.find(key)->second.value;
  std::uint64_t value = 0;
  if (const std::string problem = parse_quantity(text, unit, value); !problem.empty() || value == 0)
    throw InputError("{}: '{}': {}", key, text, problem.empty() ? "expected more than 0" : problem);
  return value;
}

/// "sm.count" and so on as nested keys.
class Writer {
 public:
  void line(int depth, const std::string& text, const std::string& comment = "") {
    constexpr std::size_t kColumn = 33;
    std::string row(static_cast<std::size_t>(2 * depth), ' ');
    row += text;
    if (!comment.empty()) {
      row += row.size() + 2 > kColumn ? "  " : std::string(kColumn - row.size(), ' ');
      row += "# " + comment;
    }
    text_ += row + "\n";
  }
  void keys(const ChipFacts& facts) {
    std::vector<std::string> open;
    for (const auto& [path, fact] : facts) {
      std::vector<std::string> parts;
      for (std::size_t from = 0; from <= path.size();) {
        const std::size_t to = std::min(path.find('.', from), path.size());
        parts.push_back(path.substr(from, to - from));
        from = to + 1;
      }
      std::size_t same = 0;
      while (same < open.size() && same + 1 < parts.size() && open[same] == parts[same]) ++same;
      for (std::size_t i = same; i + 1 < parts.size(); ++i) line(static_cast<int>(i), parts[i] + ":");
      line(static_cast<int>(parts.size()) - 1, fmt::format("{}: {}", parts.back(), fact.value), fact.comment);
      open.assign(parts.begin(), parts.end() - 1);
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = "# SPDX-License-Identifier: Apache-2.0\n";
};

}  // namespace

ChipFacts facts_in_output(std::string_view text, const std::string& file) {
  ChipFacts facts = text.find("CUDA Capability") != std::string_view::npos ? of_device_query(text) : of_driver(text);
  if (facts.empty())
    throw InputError("{}: expected the output of NVIDIA's sample deviceQuery or of 'nvidia-smi -q'", file);
  return facts;
}

std::vector<NeededFact> missing_facts(const ChipFacts& facts) {
  std::vector<NeededFact> missing;
  for (const NeededFact& needed : kNeeded)
    if (!facts.contains(needed.key)) missing.push_back(needed);
  return missing;
}

NewChip new_chip(const std::string& name, const ChipFacts& facts, const ChipFacts& measured) {
  const std::uint64_t bandwidth = number_of(facts, "memory.bandwidth", Unit::rate);
  const Near near = nearest_chip(number_of(facts, "arch", Unit::arch), bandwidth);
  const std::string dram = facts.contains("dram") ? facts.find("dram")->second.value : near.dram;
  const std::uint64_t bits = number_of(facts, "bus", Unit::count);
  const std::uint32_t each = channel_bits(dram);
  if (bits % each != 0)
    throw InputError("bus: {} bits are no whole number of channels of {} bits, which {} has", bits, each, dram);
  ChipFacts keys = measured;
  for (const char* key : {"clock.sm", "sm.count", "memory.size", "memory.bandwidth", "memory.l2.size"})
    keys[key] = facts.find(key)->second;
  if (near.own_l2_clock) keys["clock.l2"] = {"sm", "assumed: as the SMs, until it is measured"};
  keys["memory.dram.channels"] = {fmt::format("{}", bits / each),
                                  fmt::format("{}, in channels of {} bits", facts.find("bus")->second.comment, each)};
  keys["memory.l2.slices"] = {
      fmt::format("{}", bits / each * near.config.memory.l2.slices / near.config.memory.dram.channels),
      fmt::format("carried over: as many for each channel as on {}", near.name)};
  Writer writer;
  const auto device = facts.find("device");
  writer.line(0,
              fmt::format("# {}, written by 'sassim config new'. What is not here is carried over from its generation.",
                          device == facts.end() ? name : device->second.value));
  writer.line(0, "");
  writer.line(0, "generation: " + near.generation, "documented: its compute capability");
  writer.line(0, "dram: " + dram, facts.contains("dram") ? "documented: data sheet" : "carried over: as " + near.name);
  writer.line(0, "name: " + name);
  writer.line(0, fmt::format("description: \"{}\"", device == facts.end() ? name : device->second.value));
  writer.line(0, "");
  writer.keys(keys);
  return {writer.text(), near.name, near.generation, dram};
}

}  // namespace sassim::config
