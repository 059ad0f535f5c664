// SPDX-License-Identifier: Apache-2.0
// Functions that the driver provides to kernels: printf, malloc, free, assert, cudaGraphSetConditional.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/emu/core/machine.h"

namespace sassim::emu {

/// The code address of a driver function. A call of one that the emulator lacks throws NotSupported with its name.
std::uint64_t builtin_address(std::string_view name);
bool is_builtin(std::uint64_t address);
/// Runs the function at `address` for one thread: arguments in R4 and up, results in R4 and R5.
void call_builtin(Context&, const MicroOp&, std::uint64_t address, int lane);

/// Writes the output of a kernel's printf.
void print(const Grid&, const std::string& text);

}  // namespace sassim::emu
