// SPDX-License-Identifier: Apache-2.0
// The result files of a run, written while it goes on: a kernel is in them, and out of memory, once it was added.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/base/durable_file.h"
#include "sim/report/kernel_json.h"

namespace sassim::report {

/// What to_json(RunReport) has, with one kernel per line, in pieces.
class JsonText {
 public:
  explicit JsonText(KernelForm form = KernelForm::whole) : writer_(form) {}
  /// `run` says which GPU; its kernels are not looked at.
  static std::string head(const RunReport& run);
  std::string kernel(const KernelReport& kernel);
  /// `more`: an object whose members follow the kernels.
  std::string end(bool complete, const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) const;

 private:
  KernelWriter writer_;
  bool empty_ = true;
  struct {
    KernelReport kernel;
    std::string text;
    unsigned times = 0;  ///< that it came in a row
  } last_;
};

/// The same as a file. It gets its name in finish(); without that, what had the name before stays.
class JsonStream {
 public:
  JsonStream(const std::string& path, const RunReport& run, KernelForm form = KernelForm::whole)
      : file_(path), text_(form) {
    file_.write(JsonText::head(run));
  }
  void add(const KernelReport& kernel) { file_.write(text_.kernel(kernel)); }
  void finish(bool complete, const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) {
    file_.write(text_.end(complete, more));
    file_.commit();
  }

 private:
  DurableFile file_;
  JsonText text_;
};

/// The metrics, one per line.
class CsvStream {
 public:
  explicit CsvStream(const std::string& path);
  void add(const KernelReport& kernel);
  /// Rows that say that the run was stopped.
  void stopped(const std::optional<RunningKernel>& running);
  void finish() { file_.commit(); }

 private:
  DurableFile file_;
  std::size_t count_ = 0;
};

}  // namespace sassim::report
