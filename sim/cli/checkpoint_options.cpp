// SPDX-License-Identifier: Apache-2.0
// Declares the checkpoint options of `sassim run`, writes and loads the files.
#include "sim/cli/checkpoint_options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "sim/base/error.h"
#include "sim/base/output_target.h"
#include "sim/base/printable.h"
#include "sim/base/state_archive.h"
#include "sim/base/version.h"
#include "sim/cli/command_line.h"

namespace sassim::cli {

void CheckpointOptions::add_to(CLI::App& command) {
  const char* group = "Checkpoints";
  command
      .add_option("--checkpoint-every", every,
                  "save the state of the simulation after every N cycles of a launch; 0: never")
      ->type_name("N")
      ->group(group);
  command.add_option("--checkpoint-folder", folder, "folder for the checkpoints, created if it does not exist")
      ->type_name("FOLDER")
      ->capture_default_str()
      ->group(group);
  command.add_option("--checkpoint-keep", keep, "keep only the last N checkpoints of this run; 0: keep all")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--resume", resume,
                  "start at this checkpoint, with the same traces and the same GPU; the results are those of the "
                  "uninterrupted run")
      ->type_name("FILE")
      ->group(group);
}

CheckpointOutput::CheckpointOutput(const CheckpointOptions& options, const config::GpuConfig& gpu,
                                   const std::string& caches, const Kernels& kernels, const std::string& trace,
                                   const std::string& window)
    : options_(options), trace_(trace), planned_(options.every != 0 || !options.resume.empty()) {
  if (!planned_) return;
  const std::string commit(built_from());
  plan_.key =
      replay::checkpoint_key(commit.empty() ? kVersion : fmt::format("{} {}", kVersion, commit), gpu, caches, kernels);
  if (options.every != 0) {
    check_output_folder(options.folder, {});
    plan_.write = [this](const replay::Checkpoint& checkpoint) { write(checkpoint); };
  }
  if (options.resume.empty()) return;
  resumed_ = replay::read_checkpoint(options.resume, plan_.key);
  plan_.resume = &*resumed_;
  check_window(window);
  fmt::print(stderr, "sassim: {}: resumes at cycle {} of launch {}\n", printable(options.resume), resumed_->cycle,
             resumed_->launch);
}

void CheckpointOutput::check_window(const std::string& window) const {
  if (window.empty()) return;
  Cycle start;  // a state begins with the cycle of its launch
  StateReader(resumed_->state, options_.resume)(start);
  const std::uint64_t at = start.value + resumed_->cycle;
  std::uint64_t from = 0;
  std::from_chars(window.data(), window.data() + window.size(), from);
  if (from < at)
    throw InputError("--window {}: the checkpoint is at cycle {}; choose a later window, or an earlier checkpoint",
                     window, at);
}

void CheckpointOutput::write(const replay::Checkpoint& checkpoint) {
  const auto path = std::filesystem::path(options_.folder) / replay::checkpoint_name(checkpoint, trace_);
  replay::write_checkpoint(path, checkpoint);
  written_.push_back(path.string());
  if (options_.keep == 0 || written_.size() <= options_.keep) return;
  std::error_code ignored;
  if (written_.front() != options_.resume) std::filesystem::remove(written_.front(), ignored);
  written_.pop_front();
}

}  // namespace sassim::cli
