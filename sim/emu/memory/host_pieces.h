// SPDX-License-Identifier: Apache-2.0
// Host memory that kernels may access under the host's addresses. Where the host's system places memory differs from
// run to run, so the simulated GPU knows such memory by an address of its own: caches, traces and messages see only
// that one. Kernels use the host's address, which is translated when an instruction accesses memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace sassim::emu {

/// A part of a piece of host memory that kernels may not access, or only read.
struct HostGap {
  std::uint64_t begin = 0, end = 0;  ///< bytes of the piece
  bool readable = false;
};

/// What of a host address is the same in every run, and so decides which bytes share a sector.
enum class HostPlace : std::uint8_t {
  fixed,    ///< all of it: the simulated GPU knows the memory by it
  in_page,  ///< the offset in its page: the system moves whole pages
  in_heap,  ///< the offset from what malloc() aligns to: the simulator allocates from the program's heap too
};

class HostPieces {
 public:
  struct Piece {
    std::uint64_t host = 0;  ///< the address that the program has
    std::uint64_t bytes = 0;
    std::uint64_t address = 0;  ///< the address that the simulated GPU has
    std::uint64_t number = 0;   ///< from 1, in the order of add(); 0: it has the address of other memory
    std::vector<HostGap> gaps = {};
  };

  /// Adds a piece of host memory, which gets a free address of the simulated GPU.
  const Piece& add(std::uint64_t host, std::uint64_t bytes, HostPlace place);
  /// Adds a second host address of memory that the simulated GPU knows by `address`.
  void add_alias(std::uint64_t host, std::uint64_t bytes, std::uint64_t address);
  /// Removes the piece that begins at this address of the host. Returns the simulated GPU's address of it; nullopt:
  /// there is no such piece.
  std::optional<std::uint64_t> remove(std::uint64_t host);
  void remove_aliases() {
    std::erase_if(by_host_, [](const auto& entry) { return entry.second.number == 0; });
  }
  void clear();

  bool empty() const { return by_host_.empty(); }
  /// The simulated GPU's address for any address that a program uses.
  std::uint64_t translate(std::uint64_t address) const {
    const Piece* piece = at_host(address);
    return piece ? piece->address + (address - piece->host) : address;
  }
  /// Addresses of a program, all of which are as far from the simulated GPU's.
  struct Span {
    std::uint64_t begin = 0, bytes = 0, shift = 0;  ///< the GPU's address is the program's plus `shift`
    bool holds(std::uint64_t address) const { return address - begin < bytes; }
  };
  /// The largest one that has this address: a piece, or what lies between two pieces.
  Span span_at(std::uint64_t address) const;
  /// The piece that has this address of the host; nullptr: none.
  const Piece* at_host(std::uint64_t address) const;
  /// The numbered piece that ends or begins within `distance` bytes of this address of the host or of the simulated
  /// GPU; nullptr: none.
  const Piece* near(std::uint64_t address, std::uint64_t distance) const;
  void set_gaps(std::uint64_t host, std::vector<HostGap> gaps) { by_host_.at(host).gaps = std::move(gaps); }
  const std::map<std::uint64_t, Piece>& all() const { return by_host_; }

 private:
  std::map<std::uint64_t, Piece> by_host_;
  std::uint64_t next_ = 0, made_ = 0;  ///< bytes of the address range that are taken; pieces so far
};

}  // namespace sassim::emu
