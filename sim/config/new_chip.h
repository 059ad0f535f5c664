// SPDX-License-Identifier: Apache-2.0
// Writes the configuration of a GPU that sassim does not have yet, for `sassim config new`: from its data sheet and
// from what tools print about the GPU.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::config {

/// A value as a configuration has it ("1710MHz"), and how sure it is ("documented: data sheet").
struct Fact {
  std::string value, comment;
};

/// By key, such as sm.count. Three are no keys of a configuration: "device" (the name that NVIDIA gives it), "bus"
/// (bits of the memory's bus) and "dram" (a layer).
using ChipFacts = std::map<std::string, Fact, std::less<>>;

/// Facts in the output of deviceQuery or of `nvidia-smi -q`. Throws InputError if it is neither.
ChipFacts facts_in_output(std::string_view text, const std::string& file);

/// A fact that a chip needs: its key, the option that states it, what it is, and what tells it.
struct NeededFact {
  const char* key;
  const char* option;
  const char* meaning;
  const char* source;
};
/// Those that are not among the facts.
std::vector<NeededFact> missing_facts(const ChipFacts& facts);

struct NewChip {
  std::string text;        ///< the file
  std::string like;        ///< the chip of the same architecture that is nearest by bandwidth
  std::string generation;  ///< layers that it names
  std::string dram;
};

/// The file of the chip `name`. What the facts do not say is carried over from the nearest chip of the architecture.
/// `measured` are further keys. Throws InputError if a fact is missing, or if no chip has the architecture.
NewChip new_chip(const std::string& name, const ChipFacts& facts, const ChipFacts& measured);

}  // namespace sassim::config
