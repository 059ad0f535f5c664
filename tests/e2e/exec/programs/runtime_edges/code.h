// SPDX-License-Identifier: Apache-2.0
// Calls through pointers, and reads of constants.
#pragma once

#include "common.h"

namespace {

// Function pointers ---------------------------------------------------------------------------------------------------

void call_pointer(std::uint64_t address) {
  int* to = device_memory();
  if (address == 1) address = reinterpret_cast<std::uint64_t>(to);
  call<<<1, 1>>>(to, reinterpret_cast<void (*)(int*)>(address));
  finish_kernel();
  DO("malloc", cudaMalloc(&to, 4));
}
void call_pointer_some(std::uint64_t address) {
  int* to = device_memory();
  call_some<<<2, 64>>>(to, reinterpret_cast<void (*)(int*)>(address));
  finish_kernel();
}
void call_pointer_real(int offset) {
  int* to = device_memory();
  void (*function)(int*) = nullptr;
  jump_to_pointer<<<1, 1>>>(to, 1);
  DO("symbol", cudaMemcpyFromSymbol(&function, pointer_to_set_five, sizeof function));
  call<<<1, 1>>>(to, reinterpret_cast<void (*)(int*)>(reinterpret_cast<std::uint64_t>(function) + offset));
  finish_kernel();
  say("value", value_at(to));
}

// Constants -----------------------------------------------------------------------------------------------------------

void read_constant(int index) {
  int* to = device_memory();
  store<<<1, 1>>>(to, 99);
  constant<<<1, 1>>>(to, index);
  finish_kernel();
  const int value = value_at(to);
  say("value", value == 0 ? "0" : value >= 1 && value <= 16 ? std::to_string(value).c_str() : "other");
}
void read_constant_by_lane(int index) {
  int* to = device_memory();
  constant_by_lane<<<1, 32>>>(to, index);
  finish_kernel();
  int values[32] = {};
  DO("copy", cudaMemcpy(values, to, sizeof values, cudaMemcpyDeviceToHost));
  say("lane 4", values[4]);
  say("lane 5", values[5] == 0 ? "0" : "other");
}
void read_wide_constant(int index) {
  int* to = device_memory();
  wide_constant<<<1, 1>>>(reinterpret_cast<double*>(to), index);
  finish_kernel();
}
void read_parameter(int index) {
  int* to = device_memory();
  Parameters p;
  for (int i = 0; i < 16; ++i) p.values[i] = i + 1;
  parameter<<<1, 1>>>(p, to, index);
  finish_kernel();
  const int value = value_at(to);
  say("value", value == 0 ? "0" : value >= 1 && value <= 16 ? std::to_string(value).c_str() : "other");
}

}  // namespace
