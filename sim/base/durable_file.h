// SPDX-License-Identifier: Apache-2.0
// Files that are either there in whole or not at all, whatever happens to the process or the machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/output_target.h"

namespace sassim {

/// Whether a file must outlive a loss of power: not what only this process and its parent read.
enum class Sync { yes, no };

/// A file that is written piece by piece and gets its name when it is whole. Until commit() returns, what had the name
/// is as it was; an object that goes away without it leaves nothing behind, nor does a process that is killed (on file
/// systems without files that have no name, such as NFS, .sassim-*.tmp stays when remove_temporaries() is not called).
///
/// A symbolic link stays and the file that it names is replaced. A file that is replaced keeps its permissions; other
/// names of it (hard links) keep the old content. Terminals, pipes and devices, /dev/stdout among them, get the bytes
/// as they come. Every failure is an InputError with the system's reason. Not thread-safe.
class DurableFile {
 public:
  explicit DurableFile(std::filesystem::path path, Sync sync = Sync::yes);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(std::string_view bytes);
  /// Nothing can be written afterwards.
  void commit();
  bool committed() const { return committed_; }
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
  int maker_;              ///< process: a child made by fork() leaves the file alone
  std::string temporary_;  ///< the name that the file has for now; empty: it has none
  std::string buffer_;
  bool committed_ = false;
};

/// A whole file at once.
void write_durably(const std::filesystem::path& path, std::string_view text);

/// For handlers of signals that end the process: removes the files that still have a temporary name.
void remove_temporaries() noexcept;
/// For main(): that is done at SIGINT, SIGTERM and SIGHUP, which then end the process as ever; those that are ignored
/// stay ignored. SIGXFSZ does nothing, so that standard output in a file of limited size gets an error (EFBIG).
void remove_temporaries_at_signals();

/// Everything in a file; nothing when it is not there or cannot be read.
std::optional<std::string> read_whole_file(const std::filesystem::path& path);

/// The same of a file that a user named: without it an InputError, with the system's reason.
std::string read_input_file(const std::filesystem::path& path);

/// All of `text` to an open file, going on after interruptions and short writes. False, with the reason in errno, when
/// it cannot be; also for a file that grows beyond the limit, which by itself would kill the process (SIGXFSZ).
bool write_fully(int descriptor, std::string_view text);

}  // namespace sassim
