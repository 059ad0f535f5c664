// SPDX-License-Identifier: Apache-2.0
// Finds races in shared memory for the memory checker, by vector clocks of the warps of a block.
#include "sim/emu/core/shared_history.h"

#include <algorithm>

namespace sassim::emu {

SharedHistory::SharedHistory(std::size_t warps, std::size_t bytes, std::uint32_t written_below)
    : clocks_(warps, Clocks(warps, 0)), words_((bytes + 3) / 4) {
  for (std::size_t warp = 0; warp < warps; ++warp) clocks_[warp][warp] = 1;
  for (std::size_t word = 0; word < std::min<std::size_t>(words_.size(), written_below / 4); ++word)
    words_[word].written = 0xf;
}

void SharedHistory::join(Clocks& to, const Clocks& from) {
  if (to.empty()) to.assign(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

std::optional<Toucher> SharedHistory::touch(std::uint32_t index_of_word, std::uint8_t bytes, std::uint16_t thread,
                                            std::uint32_t index, Touch touch, bool changes) {
  Word& word = words_[index_of_word];
  const std::uint32_t warp = thread / 32u;
  const bool atomic = touch == Touch::atomic;
  const auto races = [&](const Toucher& earlier) {
    return (earlier.bytes & bytes) != 0 && !(atomic && earlier.atomic) && !before(earlier, warp);
  };
  std::optional<Toucher> other;
  const bool writes = touch != Touch::reads;
  if ((!writes || changes) && races(word.write)) other = word.write;
  if (writes)
    for (const Toucher& read : word.reads)
      if (races(read)) other = read;
  const Toucher now{index, clocks_[warp][warp], thread, bytes, atomic};
  if (writes) {
    word.write = now;
    word.written |= bytes;
    word.reads = {};
  } else {
    word.reads[word.reads[0].clock != 0 && word.reads[0].warp() != warp ? 1 : 0] = now;
  }
  return other;
}

void SharedHistory::synchronise(std::uint32_t warp, std::uint64_t address) {
  Clocks& known = addresses_[address];
  join(known, clocks_[warp]);
  join(clocks_[warp], known);
  ++clocks_[warp][warp];
}

void SharedHistory::arrives(std::uint32_t warp, std::uint8_t barrier, bool waits) {
  Barrier& at = barriers_[barrier];
  join(at.known, clocks_[warp]);
  ++clocks_[warp][warp];
  if (waits) at.waiting.push_back(warp);
}

void SharedHistory::complete(std::uint8_t barrier) {
  Barrier& at = barriers_[barrier];
  for (const std::uint32_t warp : at.waiting) join(clocks_[warp], at.known);
  at = {};
}

void SharedHistory::all_written() {
  for (Word& word : words_) word.written = 0xf;
}

}  // namespace sassim::emu
