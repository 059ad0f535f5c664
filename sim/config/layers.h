// SPDX-License-Identifier: Apache-2.0
// The files that make up a configuration: a chip, what it is based on, and the layers that they name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/yaml_tree.h"

namespace sassim::config {

/// A kind of layer: the key that names one, and the folder below configs/ in which it lies.
struct LayerKind {
  std::string_view key;     ///< `generation: volta`
  std::string_view folder;  ///< configs/generations/volta.yaml
  std::string_view what;    ///< for messages
};

/// From the weakest to the strongest; what the chip's own files say wins over all of them.
inline constexpr std::array<LayerKind, 4> kLayerKinds{{
    {"generation", "generations", "an architecture"},
    {"dram", "dram", "a kind of memory"},
    {"host", "hosts", "a host"},
    {"sample", "samples", "one die's floor plan"},
}};

/// One file, read.
struct SourceFile {
  std::string file;  ///< as messages name it
  std::string via;   ///< " (base of chips/t4.yaml:3:7)", or nothing
  std::vector<std::string> comments;
  YamlNode root;
  bool chip = false;  ///< of the chip's own files: not a layer

  std::string place(Mark mark) const;
  /// What a comment says of the line.
  std::string comment(Mark mark) const;
};

/// The SMs that a sample was made for.
struct SampleShape {
  std::uint64_t sms = 0;
  std::string place;  ///< where the sample says so
  std::string named;  ///< the sample's name, as the chip gives it
};

struct Layers {
  std::vector<SourceFile> files;   ///< in the order in which they are applied: what comes later wins
  std::vector<std::string> chain;  ///< the chip's own files: the file, its base, the base's base ...
  bool has_generation = false;
  std::optional<SampleShape> sample;
  std::vector<std::string> problems;
};

/// Reads `text` and every file that it builds on. Throws InputError for a file that is not plain YAML.
Layers collect_layers(const std::string& path, const std::string& text);

/// The content of a configuration file ("-": standard input). Throws InputError.
std::string read_text(const std::string& path);

/// Keys of the top level that name files or shape a layer; they are not values of the GPU.
bool is_layer_key(std::string_view key);

}  // namespace sassim::config
