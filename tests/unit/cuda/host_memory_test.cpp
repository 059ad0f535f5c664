// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "sim/emu/core/address_text.h"

namespace sassim::cuda {
namespace {

using Kind = HostMemory::Kind;
using testing::HasSubstr;

constexpr std::size_t kPage = 4096;

/// Pages of the program, with an unmapped one on each side.
class Pages {
 public:
  explicit Pages(std::size_t count) : bytes_(count * kPage) {
    all_ = static_cast<std::byte*>(mmap(nullptr, bytes_ + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    protect(0, count, PROT_READ | PROT_WRITE);
  }
  ~Pages() { munmap(all_, bytes_ + 2 * kPage); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* at(std::size_t page) const { return all_ + (page + 1) * kPage; }
  void protect(std::size_t page, std::size_t count, int rights) const { mprotect(at(page), count * kPage, rights); }
  void unmap(std::size_t page, std::size_t count) const { munmap(at(page), count * kPage); }
  /// Other memory in place of the pages.
  void replace(std::size_t page, std::size_t count) const {
    mmap(at(page), count * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  }

 private:
  std::size_t bytes_;
  std::byte* all_;
};

struct HostMemoryTest : testing::Test {
  emu::DeviceMemory device;
  HostMemory host{{&device}};

  std::uint64_t address(const void* pointer) const {
    return device.translate(reinterpret_cast<std::uintptr_t>(pointer));
  }
  /// What a kernel may do at a pointer: "rw", "r" or "".
  std::string rights(const void* pointer, std::size_t bytes = 4) const {
    if (device.host(address(pointer), bytes, true)) return "rw";
    return device.host(address(pointer), bytes) ? "r" : "";
  }
};

TEST_F(HostMemoryTest, PinnedAndManagedMemoryIsZeroedKnownToTheDeviceAndTyped) {
  for (const Kind kind : {Kind::pinned, Kind::managed}) {
    auto* bytes = static_cast<std::byte*>(host.allocate(100, kind));
    ASSERT_NE(bytes, nullptr);
    EXPECT_EQ(bytes[99], std::byte{0});
    EXPECT_EQ(host.find(bytes + 99)->kind, kind);
    EXPECT_EQ(host.find(bytes + 100), nullptr);
    EXPECT_EQ(device.host(address(bytes), 100), bytes);
    EXPECT_EQ(device.host(address(bytes), 101), nullptr) << "exact bounds";
    EXPECT_FALSE(host.free(bytes, kind == Kind::pinned ? Kind::managed : Kind::pinned));
    EXPECT_FALSE(host.free(bytes + 1, kind));
    EXPECT_TRUE(host.free(bytes, kind));
    EXPECT_FALSE(host.free(bytes, kind));
    EXPECT_EQ(host.find(bytes), nullptr);
  }
  EXPECT_EQ(host.allocate(std::size_t{1} << 45, Kind::pinned), nullptr);
  EXPECT_EQ(host.allocate(~std::size_t{0}, Kind::managed), nullptr);
}

// As on an H200 (h200/launches.md#runtime-limits).
TEST_F(HostMemoryTest, OnlyMappedMemoryThatIsNotKnownYetCanBeRegistered) {
  const Pages pages(6);
  const auto add = [&](std::size_t page, std::size_t count, unsigned flags = 0) {
    return host.add(pages.at(page), count * kPage, flags);
  };
  pages.unmap(5, 1);
  EXPECT_EQ(add(5, 1), kInvalidValue) << "unmapped";
  EXPECT_EQ(add(4, 2), kInvalidValue) << "in part";
  EXPECT_EQ(host.add(nullptr, 4, 0), kInvalidValue);
  EXPECT_EQ(host.add(pages.at(0), 0, 0), kInvalidValue);
  EXPECT_EQ(host.add(pages.at(0), ~std::size_t{0}, 0), kInvalidValue);
  EXPECT_EQ(add(0, 1, kHostIoMemory), kInvalidValue);
  EXPECT_EQ(add(0, 1, 0x100), kInvalidValue);
  EXPECT_EQ(add(1, 2), kSuccess);
  for (const auto& [page, count] : {std::pair{1u, 2u}, {0u, 2u}, {2u, 2u}, {0u, 4u}})
    EXPECT_EQ(add(page, count), kHostMemoryAlreadyRegistered) << page << ' ' << count;
  EXPECT_EQ(host.add(pages.at(1) + 100, 10, 0), kHostMemoryAlreadyRegistered);
  EXPECT_EQ(add(0, 1), kSuccess) << "adjacent";
  EXPECT_EQ(host.add(pages.at(3) + 64, 64, 0), kSuccess);
  EXPECT_EQ(host.add(pages.at(3) + 128, 64, 0), kSuccess) << "the same page";
  void* const pinned = host.allocate(kPage, Kind::pinned);
  EXPECT_EQ(host.add(pinned, kPage, 0), kInvalidValue);
  EXPECT_EQ(host.remove(pinned), kInvalidValue);
  EXPECT_EQ(host.remove(pages.at(1) + 8), kInvalidValue) << "inside";
  EXPECT_EQ(host.remove(pages.at(1)), kSuccess);
  EXPECT_EQ(host.remove(pages.at(1)), kHostMemoryNotRegistered);
  EXPECT_EQ(rights(pages.at(1)), "");
}

TEST_F(HostMemoryTest, ReadOnlyMemoryNeedsTheFlagAndKernelsOnlyReadIt) {
  const Pages pages(3);
  pages.protect(0, 1, PROT_READ);
  pages.protect(1, 1, PROT_NONE);
  EXPECT_EQ(host.add(pages.at(0), kPage, 0), kInvalidValue);
  EXPECT_EQ(host.add(pages.at(1), kPage, kHostReadOnly), kInvalidValue);
  EXPECT_EQ(host.add(pages.at(0), kPage, kHostReadOnly), kSuccess);
  EXPECT_EQ(host.add(pages.at(2), kPage, kHostReadOnly), kSuccess);
  EXPECT_EQ(rights(pages.at(0)), "r");
  EXPECT_EQ(rights(pages.at(2)), "r") << "the program could write it";
  host.look();
  EXPECT_EQ(rights(pages.at(2)), "r");
}

TEST_F(HostMemoryTest, WhatTheProgramUnmapsOrProtectsLaterCannotBeAccessed) {
  const Pages pages(6);
  ASSERT_EQ(host.add(pages.at(0), 4 * kPage, 0), kSuccess);
  pages.unmap(1, 1);
  pages.protect(2, 1, PROT_READ);
  host.look();
  EXPECT_EQ(rights(pages.at(0), kPage), "rw");
  EXPECT_EQ(rights(pages.at(1)), "");
  EXPECT_EQ(rights(pages.at(1) - 2), "") << "half of it";
  EXPECT_EQ(rights(pages.at(2)), "r");
  EXPECT_EQ(rights(pages.at(3), kPage), "rw");
  pages.protect(2, 1, PROT_READ | PROT_WRITE);
  host.look();
  EXPECT_EQ(rights(pages.at(2)), "rw");
}

// The memory may belong to anybody by now, as to the simulator.
TEST_F(HostMemoryTest, OtherMemoryInThePlaceOfRegisteredOneIsNotAccessed) {
  const Pages pages(8);
  ASSERT_EQ(host.add(pages.at(2), 2 * kPage, 0), kSuccess);
  ASSERT_EQ(host.add(pages.at(6) + 8, 8, 0), kSuccess);
  host.look();
  EXPECT_EQ(rights(pages.at(2)), "rw");
  pages.replace(0, 6);
  host.look();
  EXPECT_EQ(rights(pages.at(2)), "");
  EXPECT_EQ(rights(pages.at(6) + 8), "rw");
}

TEST_F(HostMemoryTest, PiecesThatShareAPageMayGoInAnyOrder) {
  const Pages pages(3);
  for (std::size_t at : {100u, 200u, 4000u}) ASSERT_EQ(host.add(pages.at(0) + at, 96, 0), kSuccess);
  ASSERT_EQ(host.add(pages.at(1) + 100, 100, 0), kSuccess);
  ASSERT_EQ(host.remove(pages.at(0) + 200), kSuccess);
  host.look();
  EXPECT_EQ(rights(pages.at(0) + 100), "rw");
  EXPECT_EQ(rights(pages.at(0) + 200), "");
  EXPECT_EQ(rights(pages.at(0) + 4000), "rw");
  EXPECT_EQ(rights(pages.at(1) + 100), "rw");
}

// The places that the host's system chooses do not reach the simulated GPU.
TEST_F(HostMemoryTest, AddressesDependOnTheOrderOfCallsAlone) {
  const auto addresses = [](std::size_t shift) {
    emu::DeviceMemory memory;
    HostMemory pieces({&memory});
    const Pages before(shift), pages(8);
    std::vector<std::uint64_t> found;
    const auto note = [&](const std::byte* pointer) {
      found.push_back(memory.translate(reinterpret_cast<std::uintptr_t>(pointer)));
    };
    pieces.add(pages.at(0) + 48, 5000, 0);
    pieces.add(pages.at(4), kPage, 0);
    note(pages.at(0) + 50), note(pages.at(4)), note(static_cast<std::byte*>(pieces.allocate(10, Kind::pinned)));
    pieces.remove(pages.at(4));
    pieces.add(pages.at(6), kPage, 0);
    note(pages.at(6));
    return found;
  };
  const std::vector<std::uint64_t> first = addresses(1);
  EXPECT_EQ(first, addresses(37));
  EXPECT_EQ(first[0] % kPage, 50u);
  EXPECT_EQ(first[1], first[3]) << "a place that is free again";
  EXPECT_GE(first[0], emu::kHostBase);
}

TEST_F(HostMemoryTest, MessagesNameTheMemoryAndNotTheHostsAddress) {
  const Pages pages(4);
  static int variable = 0;
  int local = 0;
  ASSERT_EQ(host.add(pages.at(1) + 16, 100, 0), kSuccess);
  const auto name = [&](const void* pointer) {
    return emu::address_name(device, reinterpret_cast<std::uintptr_t>(pointer));
  };
  EXPECT_EQ(name(pages.at(1) + 16), "byte 0x0 of host memory 1");
  EXPECT_EQ(name(pages.at(1) + 26), "byte 0xa of host memory 1");
  EXPECT_EQ(name(pages.at(1) + 120), "4 bytes behind host memory 1");
  EXPECT_EQ(name(pages.at(1) + 8), "8 bytes before host memory 1");
  EXPECT_EQ(emu::address_name(device, address(pages.at(1) + 17)), "byte 0x1 of host memory 1");
  EXPECT_EQ(name(&variable), "an address of the host");
  EXPECT_THAT(name(&local), HasSubstr("an address of the host"));
  EXPECT_EQ(emu::address_name(device, 0x20000000080), "0x20000000080");
  EXPECT_EQ(emu::address_name(device, 0), "0x0");
  EXPECT_EQ(emu::address_name(device, 0x7fff00000000 + kPage), "an address of the host (nothing is there)");
}

TEST_F(HostMemoryTest, AfterAResetNothingIsKnown) {
  const Pages pages(1);
  ASSERT_EQ(host.add(pages.at(0), kPage, 0), kSuccess);
  void* const pinned = host.allocate(kPage, Kind::pinned);
  host.reset();
  EXPECT_EQ(host.find(pinned), nullptr);
  EXPECT_EQ(host.remove(pages.at(0)), kHostMemoryNotRegistered);
  EXPECT_EQ(rights(pages.at(0)), "");
  EXPECT_EQ(host.allocate(kPage, Kind::pinned), pinned) << "as in a new process";
  *pages.at(0) = std::byte{1};
}

}  // namespace
}  // namespace sassim::cuda
