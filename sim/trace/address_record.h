// SPDX-License-Identifier: Apache-2.0
// The format of address records in a trace: the bits of a record's first byte. A slot is an instruction whose
// executions have lanes or addresses (StreamBody::Slot). A record describes one execution of a slot, and how many
// further executions follow it in the same way: the same lanes and shape, and a base that moves by the same difference
// each time.
#pragma once

#include <cstdint>

namespace sassim::trace::record {

inline constexpr std::uint8_t kKindMask = 3;
inline constexpr std::uint8_t kNone = 0;    ///< no addresses; lanes may differ from the active threads
inline constexpr std::uint8_t kAffine = 1;  ///< base: where lane 0 is or would be; then a stride per lane
inline constexpr std::uint8_t kList = 2;    ///< base: the address of the lowest lane; then offsets from it

inline constexpr std::uint8_t kLanes = 1 << 2;  ///< explicit lanes follow; otherwise the active threads
inline constexpr std::uint8_t kSpace = 1 << 3;  ///< the space follows; otherwise the slot's last one
inline constexpr std::uint8_t kShape = 1 << 4;  ///< stride or list follows; otherwise the slot's last one
inline constexpr std::uint8_t kDelta = 1 << 5;  ///< difference to the slot's last base follows; otherwise the last one
inline constexpr std::uint8_t kRepeats = 1 << 6;  ///< the number of further executions follows
inline constexpr std::uint8_t kDetail = 1 << 7;   ///< the detail follows; otherwise the slot's last one

// The first byte of a detail.
inline constexpr std::uint8_t kNoDetail = 0;
inline constexpr std::uint8_t kSameDetail = 1;   ///< one value for all lanes follows
inline constexpr std::uint8_t kLaneDetails = 2;  ///< one value for each lane follows

}  // namespace sassim::trace::record
