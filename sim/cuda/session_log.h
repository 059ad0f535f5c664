// SPDX-License-Identifier: Apache-2.0
// The log of a process under `sassim exec`: JSON lines in the process's own file in the session folder. Each line is
// written at once, so that it remains however the process ends.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "sim/cuda/abi.h"
#include "sim/emu/core/fault.h"
#include "sim/report/kernel_json.h"
#include "sim/session/session_ledger.h"

namespace sassim::cuda {

/// One per process and device. Programs that are started get the numbers 1, 2, ...; forks of process 1 get 1.1, 1.2,
/// ... in the order of the forks, so that names do not depend on which process runs first.
///
/// No descriptor is open between two lines: a program may close all of them and give their numbers to files of its own.
/// If the file cannot be reached any more, the lines go to memory that the command shares (session::SessionLedger).
class SessionLog {
 public:
  /// An empty folder: nothing is logged. `device`: the log of device 0 must be there. Throws InputError if the folder
  /// cannot be written.
  explicit SessionLog(std::string folder, unsigned device = 0);
  ~SessionLog();
  SessionLog(const SessionLog&) = delete;
  SessionLog& operator=(const SessionLog&) = delete;

  /// That of device 0; nullptr: there is none.
  static SessionLog* of_this_process();

  /// "1", or "1.2"; of device 3: "1@3"
  const std::string& process() const { return process_; }
  const std::string& folder() const { return folder_; }
  /// Whether this process can make files in the folder now. Without a folder, it can.
  bool reaches_folder() const;
  /// Whether this process has changed its root folder, or can open no file.
  bool cut_off() const;

  /// For each launch, in order: begin, then kernel, fault or neither, then end. Returns the launch's number in this
  /// process, from 0.
  std::uint64_t begin(const std::string& kernel);
  void kernel(const report::KernelReport& kernel, double host_seconds);
  void fault(Dim3 grid, Dim3 block, const emu::DeviceFault& fault);
  void end();
  /// The launch that has begun is executed without timing, beside others that are timed.
  void untimed();
  /// The stream of the last kernel, and how it ran with kernels of other streams.
  struct Company {
    bool waited;                 ///< it was ready while a kernel of another stream ran, and waited for that
    std::optional<bool> beside;  ///< whether it ran beside others; nothing: with --serial
  };
  void ran_on(std::uint64_t stream, bool ordered_with_default, const Company& company);
  /// What is known of a launch without an end. It counts if the process ends before the launch gets its end.
  void so_far(std::uint64_t launch, const report::KernelReport& kernel, std::uint64_t stream,
              bool ordered_with_default);

  /// The simulation ends the process with this status.
  void ended(int status);

 private:
  struct Forks;
  /// A file or folder, to recognise it by more than its name.
  struct Place {
    dev_t device = 0;
    ino_t number = 0;
    bool operator==(const Place&) const = default;
    static Place of(int descriptor);
  };
  void make_file();
  void follow(const SessionLog& first);
  void became_child(unsigned number);
  /// True if whoever reads the next line has read those before it.
  bool finds_its_lines() const;
  void write(const nlohmann::ordered_json& line);
  bool append(const std::string& text);

  std::string folder_, process_;
  Place root_, folder_place_, file_;  ///< the file: zeros until it is made
  unsigned device_ = 0;
  std::shared_ptr<session::SessionLedger> ledger_;
  bool in_ledger_ = false;  ///< all further lines go there, so that they stay in order
  unsigned children_ = 0;
  std::uint64_t launches_ = 0;
  report::KernelWriter writer_{report::KernelForm::between};
};

}  // namespace sassim::cuda
