// SPDX-License-Identifier: Apache-2.0
// Collects the files that make up a configuration: the file of a chip, its base (another chip that it changes), the
// base's base and so on, and their layers: files of a generation, a kind of DRAM, a host or a sample that they name.
// The chip's own files override the layers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/source_file.h"
#include "sim/config/yaml_tree.h"

namespace sassim::config {

/// A kind of layer: the key that names it and its folder below configs/.
struct LayerKind {
  std::string_view key;     ///< `generation: volta`
  std::string_view folder;  ///< configs/generations/volta.yaml
  std::string_view what;    ///< for messages
};

/// From the weakest to the strongest layer; values in the chip's own files override all of them.
inline constexpr std::array<LayerKind, 4> kLayerKinds{{
    {"generation", "generations", "an architecture"},
    {"dram", "dram", "a kind of memory"},
    {"host", "hosts", "a host"},
    {"sample", "samples", "one die's floor plan"},
}};

/// The number of SMs that a sample was made for.
struct SampleShape {
  std::uint64_t sms = 0;
  std::string place;  ///< the place of this number in the sample's file
  std::string named;  ///< the sample's name in the chip's file
};

/// The key of a chip's clock profiles: the values of clock: by the name that --clocks chooses.
inline constexpr std::string_view kClockProfiles = "clocks";
/// Whether an override KEY=VALUE chooses a clock profile: "clocks=ncu".
inline bool is_clock_choice(std::string_view text) {
  return text.starts_with(kClockProfiles) && text.substr(kClockProfiles.size()).starts_with('=');
}

struct ClockProfiles {
  SourceFile source;
  YamlNode by_name;
};

struct Layers {
  std::vector<SourceFile> files;   ///< in the order of application: later files override earlier ones
  std::vector<std::string> chain;  ///< the chip's own files: the file, its base, the base's base ...
  std::string generation;          ///< the name that the chip gives; empty: none
  std::optional<SampleShape> sample;
  std::optional<ClockProfiles> clocks;
  std::vector<std::string> problems;
};

/// Reads `text` and all files that it uses. Throws InputError for a file that is not plain YAML.
Layers collect_layers(const std::string& path, const std::string& text);

/// Top-level keys that name files or describe a layer; they are not values of the GPU.
bool is_layer_key(std::string_view key);

}  // namespace sassim::config
