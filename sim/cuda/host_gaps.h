// SPDX-License-Identifier: Apache-2.0
// Which bytes of host memory that the program has registered can be read and written now.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "sim/base/host_maps.h"
#include "sim/emu/memory/host_pieces.h"

namespace sassim::cuda {

/// The parts of [begin, begin + bytes) that cannot be read, or not be written, in whole pages of the host. `maps`: what
/// host_maps() says.
std::vector<emu::HostGap> host_gaps(const HostMaps& maps, const void* begin, std::size_t bytes);

/// Marks the pages of [begin, begin + bytes), or no longer; false where the system cannot. Marked pages have other
/// properties than pages that are mapped in their place later.
bool mark_pages(void* begin, std::size_t bytes, bool marked);
/// Of pieces of memory whose pages were marked: those that are certainly no longer the same. Pieces may share pages.
std::vector<const void*> replaced(const HostMaps& maps, const std::map<const void*, std::size_t>& pieces);

}  // namespace sassim::cuda
