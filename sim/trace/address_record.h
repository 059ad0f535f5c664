// SPDX-License-Identifier: Apache-2.0
// The first byte of a record. A record describes one execution of a memory slot, and says how many of the
// following ones go on in the same way: same lanes, same shape, base moved by the same difference.
#pragma once

#include <cstdint>

namespace sassim::trace::record {

inline constexpr std::uint8_t kKindMask = 3;
inline constexpr std::uint8_t kNone = 0;    ///< no addresses; the lanes may differ from the active threads
inline constexpr std::uint8_t kAffine = 1;  ///< base is where lane 0 would be; stride per lane
inline constexpr std::uint8_t kList = 2;    ///< base is the lowest lane's address; offsets from there

inline constexpr std::uint8_t kLanes = 1 << 2;  ///< explicit lanes follow; else the active threads
inline constexpr std::uint8_t kSpace = 1 << 3;  ///< the space follows; else the slot's last one
inline constexpr std::uint8_t kShape = 1 << 4;  ///< stride or list follows; else the slot's last one
inline constexpr std::uint8_t kDelta =
    1 << 5;  ///< difference to the slot's last base follows; else the last difference
inline constexpr std::uint8_t kRepeats = 1 << 6;  ///< how many further executions this record covers follows
inline constexpr std::uint8_t kDetail = 1 << 7;   ///< the detail follows; else the slot's last one

// The first byte of a detail.
inline constexpr std::uint8_t kNoDetail = 0;
inline constexpr std::uint8_t kSameDetail = 1;   ///< one for all lanes follows
inline constexpr std::uint8_t kLaneDetails = 2;  ///< one for each lane follows

}  // namespace sassim::trace::record
