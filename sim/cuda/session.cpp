// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/session.h"

#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <utility>

#include "sim/base/default_float.h"
#include "sim/base/log.h"
#include "sim/base/wait_graph.h"
#include "sim/config/loader.h"
#include "sim/cuda/contexts.h"
#include "sim/cuda/described_kernel.h"
#include "sim/cuda/inside_call.h"
#include "sim/cuda/process_end.h"
#include "sim/emu/core/fault.h"
#include "sim/emu/core/machine_code.h"
#include "sim/isa/disassembler.h"

namespace sassim::cuda {

namespace {

Result fault_code(emu::FaultKind kind) {
  switch (kind) {
    case emu::FaultKind::misaligned_address:
      return kMisalignedAddress;
    case emu::FaultKind::illegal_instruction:
      return kIllegalInstruction;
    case emu::FaultKind::invalid_pc:
      return kInvalidPc;
    case emu::FaultKind::trap:
      return kLaunchFailure;
    case emu::FaultKind::assertion:
      return kAssert;
    case emu::FaultKind::stack_overflow:  // as an H200 reports it
    case emu::FaultKind::illegal_address:
    case emu::FaultKind::shared_out_of_bounds:
      return kIllegalAddress;
  }
  return kUnknown;
}

/// For messages. A damaged file is found later.
std::string cubin_name(std::span<const std::uint8_t> cubin) {
  constexpr std::size_t kAbi = 8, kFlags = 48;  // EI_ABIVERSION, and e_flags, which begins with the architecture
  if (cubin.size() <= kFlags + 1) return "cubin";
  return fmt::format("sm_{} cubin", cubin[kFlags + (cubin[kAbi] >= 8 ? 1 : 0)]);  // of CUDA 13, it is the second byte
}

}  // namespace

Session& Session::get() {
  static Session session(options_from_environment());
  static const bool watched = (watch_the_process(session), true);
  static_cast<void>(watched);
  return session;
}

void Session::renew_mutex() { std::construct_at(&mutex_); }

Session::Session(const SessionOptions& options) {
  if (options.config.empty())
    throw ApiError{kNoDevice, "no GPU is configured: start the program with 'sassim exec --config NAME -- PROGRAM'"};
  gpu_ = config::load_config(options.config);
  memory_ = std::make_unique<emu::DeviceMemory>(gpu_.memory.size, gpu_.launch.code_start);
  host_memory_ = std::make_unique<HostMemory>(*memory_);
  const auto time = [&](std::uint32_t cycles) {
    return Picoseconds{static_cast<std::uint64_t>(cycles * 1e12 / static_cast<double>(gpu_.clock.sm))};
  };
  timeline_ = Timeline({.launch = time(gpu_.launch.overhead_cycles),
                        .record = time(gpu_.launch.event_cycles),
                        .crossing = time(gpu_.launch.stream_wait)},
                       {.latency = time(gpu_.launch.copy_latency),
                        .to_device = static_cast<double>(gpu_.launch.copy_to_device),
                        .to_host = static_cast<double>(gpu_.launch.copy_to_host),
                        .in_device_latency = time(gpu_.launch.device_copy_latency),
                        .in_device = static_cast<double>(gpu_.launch.device_copy),
                        .in_cache = static_cast<double>(gpu_.launch.cached_copy),
                        .cache_bytes = gpu_.launch.cached_copy_bytes,
                        .fill = static_cast<double>(gpu_.launch.device_fill)});
  launcher_ = std::make_unique<Launcher>(gpu_, *memory_, options.launches);
  timeline_.use(launcher_->device());
}

void Session::settle() {
  timeline_.settle();
  launcher_->close();
}

RegisteredBinary* Session::add_binary(const void* data) {
  binaries_.push_back(std::make_unique<RegisteredBinary>());
  binaries_.back()->data = data;
  return binaries_.back().get();
}

void Session::remove_binary(RegisteredBinary* binary) {
  std::erase_if(functions_, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(texture_references_, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(managed_, [&](const void* handle) { return !variables_.contains(handle); });
  std::erase_if(binaries_, [&](const auto& entry) { return entry.get() == binary; });
}

void Session::add_function(const void* handle, RegisteredFunction function) {
  functions_[handle] = std::move(function);
}
void Session::add_variable(const void* handle, RegisteredVariable variable) {
  if (variable.managed) managed_.push_back(handle);
  variables_[handle] = std::move(variable);
}

void Session::add_texture(const void* reference, RegisteredBinary* binary, const std::string& name,
                          bool normalized_float) {
  texture_references_[reference] = {binary, name, textures_.add({}), normalized_float};
}
std::optional<RegisteredTexture> Session::find_texture(const void* reference) const {
  const auto found = texture_references_.find(reference);
  return found == texture_references_.end() ? std::nullopt : std::optional(found->second);
}
std::uint64_t Session::texture_handle(const RegisteredBinary* binary, const std::string& name) const {
  for (const auto& [reference, texture] : texture_references_)
    if (texture.binary == binary && texture.name == name) return texture.handle;
  return 0;
}

namespace {
/// For `sassim exec --host-json`.
void keep_disassemblers() {
  static std::size_t kept = 0;
  const std::set<std::string> used = isa::used_disassemblers();
  const SessionLog* log = SessionLog::of_this_process();
  if (used.size() == std::exchange(kept, used.size()) || log == nullptr || log->folder().empty()) return;
  std::ofstream file(log->folder() + "/disassemblers", std::ios::app);
  for (const std::string& program : used) file << program << '\n';
}

/// Runs what needs the disassembler: it fails if the program has left its folder.
template <class Work>
decltype(auto) lost_when_cut_off(const SessionLog& log, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!log.cut_off()) throw;
    throw Error(
        ExitStatus::check_failed,
        fmt::format("kernels are lost, because the program has changed its root folder or opened all files that "
                    "it may before it used them: {}",
                    error.what()));
  }
}
}  // namespace

RegisteredBinary* Session::add_image(std::vector<std::uint8_t> cubin) {
  RegisteredBinary* binary = add_binary(nullptr);
  binary->image = std::move(cubin);
  return binary;
}

std::vector<std::uint8_t> Session::cubin_of(const RegisteredBinary& binary) const {
  if (!binary.image.empty()) return binary.image;
  const auto* bytes = static_cast<const std::uint8_t*>(binary.data);
  const std::vector<emu::FatImage> images = emu::unpack_fatbin({bytes, emu::fatbin_size(bytes, "program")}, "program");
  std::vector<std::uint8_t> code = emu::machine_code(images, gpu_.arch, "program");
  if (code.empty())
    throw ApiError{kNoKernelImageForDevice,
                   fmt::format("the program has no machine code for sm_{} (it has: {}); compile it with "
                               "nvcc -gencode arch=compute_{},code=sm_{}",
                               gpu_.arch, emu::list_images(images), gpu_.arch, gpu_.arch)};
  return code;
}

emu::Module& Session::module(RegisteredBinary& binary) {
  if (binary.module) return *binary.module;
  if (binary.failed) throw ApiError{kNoKernelImageForDevice, ""};
  binary.failed = true;
  const std::vector<std::uint8_t> cubin = cubin_of(binary);
  binary.module = lost_when_cut_off(launcher_->log(),
                                    [&] { return std::make_shared<emu::Module>(cubin, *memory_, cubin_name(cubin)); });
  keep_disassemblers();
  for (const std::string& name : binary.module->kernel_names()) {
    const emu::Kernel& kernel = *binary.module->find_kernel(name);
    launcher_->written(kernel.code_address, kernel.program ? kernel.code_bytes() : kernel.regions.front().bytes, false);
  }
  binary.failed = false;
  return *binary.module;
}

RegisteredFunction* Session::find_function(const void* handle) {
  auto found = functions_.find(handle);
  return found == functions_.end() ? nullptr : &found->second;
}

std::size_t Session::device_limit(int limit) const {
  if (limit < 0 || static_cast<std::size_t>(limit) >= limits_.size()) throw ApiError{kUnsupportedLimit, ""};
  return limits_[static_cast<std::size_t>(limit)];
}

void Session::set_device_limit(int limit, std::size_t value) {
  device_limit(limit);
  limits_[static_cast<std::size_t>(limit)] = value;
}

const emu::Kernel& Session::kernel(const void* handle) {
  const emu::Kernel& described = described_kernel(*this, handle);
  if (described.program) return described;
  const RegisteredFunction& function = *find_function(handle);
  const emu::Kernel& kernel = lost_when_cut_off(
      launcher_->log(), [&]() -> const emu::Kernel& { return function.binary->module->kernel(function.name); });
  keep_disassemblers();
  return kernel;
}

const emu::Kernel& described_kernel(Session& session, const void* handle) {
  const RegisteredFunction* function = session.find_function(handle);
  if (!function) throw ApiError{kInvalidDeviceFunction, "the launched function is not a registered kernel"};
  const emu::Kernel* kernel = session.module(*function->binary).find_kernel(function->name);
  if (!kernel)
    throw ApiError{kInvalidDeviceFunction, fmt::format("kernel '{}' is not in the machine code chosen for sm_{}",
                                                       function->name, session.gpu().arch)};
  return *kernel;
}

const emu::Variable& Session::variable(const void* handle) {
  auto found = variables_.find(handle);
  if (found == variables_.end()) throw ApiError{kInvalidSymbol, ""};
  const emu::Variable* variable = module(*found->second.binary).find_variable(found->second.name);
  if (!variable)
    throw ApiError{kInvalidSymbol, fmt::format("variable '{}' is not in the machine code", found->second.name)};
  return *variable;
}

void Session::use_managed(const void* handle) {
  const RegisteredVariable& registered = variables_.at(handle);
  const emu::Variable& found = variable(handle);
  std::byte* host = memory_->host(found.address, found.bytes);
  memory_->alias_host(host, found.address, found.bytes);  // the host address is also a device pointer
  *registered.managed = host;
}

namespace {
/// For `sassim exec --wait-graph`.
void keep_waits(const WaitGraph& graph) {
  const SessionLog* log = SessionLog::of_this_process();
  if (log != nullptr && !log->folder().empty()) std::ofstream(log->folder() + "/waits.dot") << graph.dot();
}

// The simulation cannot go on: tell `sassim exec` why the process ends, and end it without running the program's exit
// code.
[[noreturn]] void end_process(ExitStatus status) {
  if (SessionLog* log = SessionLog::of_this_process())
    log->ended(static_cast<int>(status));
  else if (const std::string folder = session_folder_from_environment(); !folder.empty())
    std::ofstream(folder + "/ended") << static_cast<int>(status) << '\n';
  std::fflush(nullptr);  // keeps the program's output so far
  std::_Exit(static_cast<int>(status));
}

// Translates an exception to the result of a call. CUDA has no code for an unsupported opcode or a deadlock: the
// process ends with the command's exit status.
Result translate(const char* function) {
  try {
    throw;
  } catch (const ApiError& error) {
    if (!error.text.empty()) explain(fmt::format("{}: {}", function, error.text));
    return error.code;
  } catch (const emu::DeviceFault& fault) {
    explain(fault.what());
    set_sticky(fault_code(fault.kind()));
    return kSuccess;  // a launch is asynchronous: the next call returns the error
  } catch (const Stuck& stop) {
    explain(stop.what());
    keep_waits(stop.graph());
    end_process(stop.status());
  } catch (const Error& error) {
    explain(error.what());
    end_process(error.status());
  } catch (const std::bad_alloc&) {
    std::fputs("sassim: not enough memory: close other programs\n", stderr);
    end_process(ExitStatus::bad_input);
  } catch (const std::exception& error) {
    explain(fmt::format("{}: internal error: {}", function, error.what()));
    end_process(ExitStatus::internal);
  }
}
}  // namespace

void settle_or_end_process(Session& session) {
  const DefaultFloat default_float;
  const InsideCall inside;
  try {
    session.settle();
  } catch (...) {
    translate("exit");
  }
}

Result call(const char* function, const std::function<Result(Session&)>& work, AfterFault after_fault) {
  const Result result = guarded(function, work, after_fault);
  if (after_fault == AfterFault::fails && !DriverCall::here()) Contexts::runtime_was_called();
  return remember(result);
}

Result guarded(const char* function, const std::function<Result(Session&)>& work, AfterFault after_fault) {
  if (InsideCall::here()) return kNotPermitted;  // in a signal handler, which has interrupted a call
  wait_if_ended();
  const DefaultFloat default_float;
  const InsideCall inside;
  try {
    Session& session = Session::get();
    std::scoped_lock lock(session.mutex());
    try {
      if (sticky() != kSuccess && after_fault == AfterFault::fails) return sticky();
      const Result result = work(session);
      if (runtime_ended()) session.settle();
      return result;
    } catch (...) {
      return translate(function);
    }
  } catch (...) {
    return translate(function);
  }
}

}  // namespace sassim::cuda
