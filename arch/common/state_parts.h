// SPDX-License-Identifier: Apache-2.0
// Helpers that put into checkpoints, and read from them, parts behind an interface, and containers whose sizes the
// configuration gives.
#pragma once

namespace sassim::arch {

/// A part behind an interface with save() and load().
template <class Archive, class Part>
void state_of_part(Archive& archive, Part& part) {
  if constexpr (Archive::kLoading)
    part.load(archive);
  else
    part.save(archive);
}

/// Containers that never change their sizes: other sizes are those of another configuration.
template <class Archive, class... T>
void state_of_fixed(Archive& archive, T&... all) {
  const auto one = [&archive](auto& items) {
    const auto built = items.size();
    archive(items);
    if constexpr (Archive::kLoading)
      if (items.size() != built) archive.damaged("a size is not that of this configuration");
  };
  (one(all), ...);
}

}  // namespace sassim::arch
