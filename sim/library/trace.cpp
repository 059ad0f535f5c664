// SPDX-License-Identifier: Apache-2.0
// Implements sassim::Trace of the library: opens traces, and records them from programs.
#include <fmt/format.h>
#include <sassim/trace.h>

#include <filesystem>
#include <utility>

#include "sim/library/guarded.h"
#include "sim/library/inside.h"
#include "sim/session/execute.h"
#include "sim/trace/open.h"

namespace sassim {

namespace {

Trace open_all(const std::vector<std::string>& paths) {
  auto all = std::make_shared<Trace::Impl>();
  for (const std::string& path : paths)
    for (auto& kernel : trace::open(path)) {
      all->kernels.push_back(std::move(kernel));
      all->paths.push_back(path);
    }
  return Trace(std::move(all));
}

/// Refuses traces of a program that did not come to its end.
void check_end(const std::string& program, const session::ExecuteResult& result, const StopSignals& signals) {
  const auto fail = [&](const std::string& why) {
    throw Error(ExitStatus::check_failed, fmt::format("{}: {}", program, why));
  };
  if (signals.received() != 0) fail(fmt::format("stopped by {}", signal_name(signals.received())));
  if (result.ended) throw Error(*result.ended, fmt::format("{}: the simulation ended the program", program));
  if (result.program.signal != 0) fail(fmt::format("killed by {}", signal_name(result.program.signal)));
  if (result.program.status != 0) fail(fmt::format("ended with status {}", result.program.status));
  if (!result.session.called)
    throw Error(ExitStatus::not_supported, result.notices.empty() ? program : result.notices.front());
  if (!result.complete)
    fail(fmt::format("not every kernel was recorded{}", result.notices.empty() ? "" : ": " + result.notices.front()));
}

}  // namespace

Trace::Trace(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Trace Trace::open(const std::string& path) { return open(std::vector<std::string>{path}); }

Trace Trace::open(const std::vector<std::string>& paths) {
  return library::guarded([&] { return open_all(paths); });
}

Trace Trace::record(const std::vector<std::string>& program, const Configuration& configuration,
                    const std::string& folder) {
  return library::guarded([&] {
    if (std::filesystem::exists(folder) && !std::filesystem::is_empty(folder))
      throw InputError("{}: the folder for traces is not empty; choose a new one", folder);
    session::ExecuteOptions options;
    options.command = program;
    options.trace_dir = folder;
    options.timing = false;
    StopSignals signals;
    const session::ExecuteResult result =
        session::execute(configuration.impl().config, options, signals, [](const auto&) {});
    check_end(program.empty() ? "" : program.front(), result, signals);
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(result.trace_dir))
      if (entry.path().extension() == ".sast") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return open_all(files);
  });
}

std::size_t Trace::size() const { return impl_->kernels.size(); }

KernelInfo Trace::kernel(std::size_t number) const {
  return library::guarded([&] {
    if (number >= size())
      throw UsageError("kernel {}: the trace has {}", number,
                       size() == 0 ? "none" : fmt::format("the kernels 0 to {}", size() - 1));
    return library::info_of(*impl_->kernels[number]);
  });
}

}  // namespace sassim

namespace sassim::library {

KernelInfo info_of(const trace::BlockSource& source) {
  const trace::KernelInfo& kernel = source.kernel();
  const auto shape = [](const Dim3& dim) { return Shape{dim.x, dim.y, dim.z}; };
  return {kernel.name, shape(kernel.grid), shape(kernel.block), kernel.sm, source.hash()};
}

}  // namespace sassim::library
