// SPDX-License-Identifier: Apache-2.0
// The way from a processing block to the units of the SM, and what the small units take.
#pragma once

#include <cstdint>

namespace sassim::config {

struct MemoryIo {
  std::uint32_t queue = 5;
  std::uint32_t address_interval = 4, shared_address_interval = 0;
  std::uint32_t accept_interval = 2;
  std::uint32_t pipeline = 9;
  std::uint32_t vector_address = 2;
  std::uint32_t vector_result = 1;
  std::uint32_t store_release = 1;
  std::uint32_t store_vector_release = 2;
  std::uint32_t store_bytes_per_cycle = 64;
  std::uint32_t return_bytes_per_cycle = 128;
  std::uint32_t async_release = 2;
  std::uint32_t async_latency = 7;
  std::uint32_t barrier_wake = 4;
  std::uint32_t barrier_wake_interval = 0;
  std::uint32_t barrier_serial = 0;
  std::uint32_t barrier_try_limit = 0;
  std::uint32_t texture_latency = 59;
  std::uint32_t filter_latency = 21;
  std::uint32_t texture_queue = 4, texture_places = 128;
  std::uint32_t texture_lanes = 4, texture_narrow_lanes = 8;
  std::uint32_t stage_queue = 8;
  std::uint32_t adu_entries = 0, adu_interval = 1, adu_loads = 32, adu_lines = 1;
  std::uint32_t thread_index_interval = 0, thread_index_latency = 20;
  std::uint32_t membar_cta = 53, membar_gpu = 186, membar_sys = 2900;
  std::uint32_t membar_idle = 0;
  std::uint32_t membar_near = 0, membar_far = 0;
  std::uint32_t membar_interval = 0;
  std::uint32_t membar_beyond = 0;
};

}  // namespace sassim::config
