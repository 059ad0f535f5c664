// SPDX-License-Identifier: Apache-2.0
// The program that `sassim exec` starts, and the runtime that the program is given in place of NVIDIA's.
#pragma once

#include <filesystem>
#include <string>

#include "sim/session/program_kind.h"

namespace sassim::session {

/// The runtime `asked` for, or the one that was built with this command. Throws InputError if there is none.
std::filesystem::path find_runtime(const std::string& asked);

/// A program by its path or, like a shell, by its name on the PATH. Throws InputError if there is none.
std::filesystem::path find_program(const std::string& name);

/// Throws NotSupported for a program whose runtime cannot be replaced.
void check_program(const std::filesystem::path& program, const ProgramKind& kind);

}  // namespace sassim::session
