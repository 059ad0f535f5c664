// SPDX-License-Identifier: Apache-2.0
// Reads whole files with a bound, so that a file without an end (/dev/zero, a pipe that is fed forever) takes neither
// all memory nor all time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace sassim {

/// What is read of a kind of file.
struct InputKind {
  std::string_view name;  ///< in messages: "a result"
  std::uint64_t most;     ///< bytes of the largest file; see also kMostUnsized
};

/// What machines write may be as large as a user has: memory is the limit.
inline constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();
inline constexpr InputKind kResultFile{"a result", kAnySize};
inline constexpr InputKind kProfileFile{"a profile", kAnySize};
inline constexpr InputKind kCheckpointFile{"a checkpoint", kAnySize};
inline constexpr InputKind kCubinFile{"a cubin or its listing", kAnySize};
/// What people write has a limit of its own.
inline constexpr InputKind kConfigFile{"a configuration", std::uint64_t{1} << 20};
inline constexpr InputKind kLimitsFile{"a file of limits", std::uint64_t{1} << 20};
inline constexpr InputKind kSassFile{"a file of SASS", std::uint64_t{16} << 20};
inline constexpr InputKind kToolOutput{"the output of a tool", std::uint64_t{16} << 20};
inline constexpr InputKind kValidationFile{"a file of validation data", std::uint64_t{64} << 20};

/// Bytes that are read of what tells no size: a pipe, a device, a file of /proc.
inline constexpr std::uint64_t kMostUnsized = std::uint64_t{256} << 20;

/// The content of a file that a user named. A regular file is read up to the size that it has when it is opened. Throws
/// InputError with the system's reason if it cannot be read, and with the limit if it is larger. `shown`: the file's
/// name in messages; empty: its path.
std::string read_input_file(const std::filesystem::path& path, const InputKind& kind, const std::string& shown = {});

/// The same from standard input.
std::string read_standard_input(const InputKind& kind);

/// The content of a file of our own, with the same bounds; empty if it does not exist or cannot be read.
std::optional<std::string> read_whole_file(const std::filesystem::path& path);

}  // namespace sassim
