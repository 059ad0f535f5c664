// SPDX-License-Identifier: Apache-2.0
// Configuration of the way from a processing block to the units of the SM, and of the small units. fields_memory_io.cpp
// says what each member means.
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
  struct {
    std::uint32_t entries = 0, interval = 1, loads = 32, lines = 1;
  } adu_queue;
  std::uint32_t thread_index_interval = 0, thread_index_latency = 20;
  std::uint32_t membar_cta = 53, membar_gpu = 186, membar_sys = 2900;
  struct {
    std::uint32_t idle = 0;
    std::uint32_t near = 0, far = 0;
    std::uint32_t interval = 0;
    std::uint32_t host = 0;
  } membar_l2;
};

}  // namespace sassim::config
