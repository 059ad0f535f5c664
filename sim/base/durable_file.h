// SPDX-License-Identifier: Apache-2.0
// Files that exist completely or not at all, even if the process or the machine fails.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/base/output_target.h"

namespace sassim {

/// Whether a file must survive a loss of power. Files that only this process and its parent read need not.
enum class Sync { yes, no };

/// A file that is written piece by piece and gets its name when it is complete. Until commit() returns, an existing
/// file of this name is unchanged; without commit() nothing remains, also if the process is killed. (On file systems
/// without unnamed files, such as NFS, a file .sassim-*.tmp remains unless remove_temporaries() is called.)
///
/// A symbolic link stays, and the file that it names is replaced. A replaced file keeps its permissions; its other
/// names (hard links) keep the old content. Terminals, pipes and devices such as /dev/stdout get the bytes at once.
/// Every failure is an InputError with the system's reason. Not thread-safe.
class DurableFile {
 public:
  explicit DurableFile(std::filesystem::path path, Sync sync = Sync::yes);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(std::string_view bytes);
  /// After it, nothing can be written.
  void commit();
  const std::filesystem::path& path() const { return path_; }

 private:
  void open_stream();
  void open_unnamed();
  void open_named();
  void name_it();
  void put(std::string_view bytes);
  void flush_printed() const;
  void flush();
  void close();
  void give_up() noexcept;
  [[noreturn]] void fail(int why);

  std::filesystem::path path_;
  Sync sync_;
  OutputTarget target_;
  int descriptor_ = -1;
  int maker_;              ///< id of the process that made it: a forked child leaves the file alone
  std::string temporary_;  ///< the present temporary name; empty: none
  std::string buffer_;
  bool committed_ = false;
};

/// Writes a whole file.
void write_durably(const std::filesystem::path& path, std::string_view text);

/// Removes files that still have a temporary name; for handlers of signals that end the process.
void remove_temporaries() noexcept;
/// For main(): makes SIGINT, SIGTERM and SIGHUP remove temporary files before they end the process; ignored signals
/// stay ignored. SIGXFSZ gets a handler without effect, so that a write to standard output in a file of limited size
/// returns an error (EFBIG).
void remove_temporaries_at_signals();

/// Writes all of `text` to an open file, and continues after interruptions and short writes. Returns false with the
/// reason in errno if that fails; also at the limit of file sizes, which otherwise kills the process (SIGXFSZ).
bool write_fully(int descriptor, std::string_view text);

}  // namespace sassim
