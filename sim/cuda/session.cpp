// SPDX-License-Identifier: Apache-2.0
// Core of the simulated runtime: devices, loaded code, lock and errors of every API call.
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
#include "sim/cuda/inside_call.h"
#include "sim/cuda/process_end.h"
#include "sim/emu/core/fatbin.h"
#include "sim/emu/core/fault.h"
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
  const config::GpuConfig first = config::load_config(options.config);
  std::vector<emu::DeviceMemory*> memories;
  for (unsigned number = 0; number < options.devices; ++number) {
    LaunchOptions launches = options.launches;
    launches.device = number;
    const bool own = number != 0 && number <= options.further_configs.size();
    devices_.push_back(std::make_unique<Device>(
        number, own ? config::load_config(options.further_configs[number - 1]) : first, std::move(launches)));
    devices_.back()->timeline.use_host_of(devices_.front()->timeline);
    memories.push_back(&devices_.back()->memory);
  }
  if (memories.size() > 1)
    for (emu::DeviceMemory* memory : memories) memory->meet(memories);
  device_ = devices_.front().get();
  host_memory_ = std::make_unique<HostMemory>(std::move(memories));
}

void Session::turn_to(Stream stream) {
  if (timeline().find(stream)) return;
  for (const auto& device : devices_)
    if (device->timeline.find(stream)) return turn_to(*device);
}

void Session::turn_to(Event event) {
  for (const auto& device : devices_)
    if (device->timeline.find(event) || device->timeline.was_reset(event)) return turn_to(*device);
}

Device& Session::device_with(const void* pointer) {
  const unsigned ordinal = emu::device_of(reinterpret_cast<std::uintptr_t>(pointer));
  return has_device(static_cast<int>(ordinal)) ? device(static_cast<int>(ordinal)) : *device_;
}

void Session::settle() {
  for (const auto& device : devices_) {
    device->timeline.settle();
    device->launcher.close();
  }
}

RegisteredBinary* Session::add_binary(const void* data) {
  binaries_.push_back(std::make_unique<RegisteredBinary>());
  binaries_.back()->data = data;
  binaries_.back()->loaded.resize(devices_.size());
  return binaries_.back().get();
}

void Session::remove_binary(RegisteredBinary* binary) {
  std::erase_if(functions_, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(texture_references_, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(managed_, [&](const void* handle) { return !variables_.contains(handle); });
  std::erase_if(binaries_, [&](const auto& entry) { return entry.get() == binary; });
}

void Session::add_function(const void* handle, RegisteredFunction function) {
  functions_[handle] = std::make_shared<RegisteredFunction>(std::move(function));
}
void Session::name_function(const void* handle, const void* known) { functions_[handle] = functions_.at(known); }
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
  std::vector<std::uint8_t> code = emu::machine_code(images, gpu().arch, "program");
  if (code.empty())
    throw ApiError{kNoKernelImageForDevice,
                   fmt::format("the program has no machine code for sm_{} (it has: {}); compile it with "
                               "nvcc -gencode arch=compute_{},code=sm_{}",
                               gpu().arch, emu::list_images(images), gpu().arch, gpu().arch)};
  return code;
}

/// A __managed__ variable is one for all devices, and lies in the first one's memory.
void Session::refuse_shared_variables(const RegisteredBinary& binary) const {
  if (device_->ordinal == 0) return;
  for (const auto& [handle, variable] : variables_)
    if (variable.managed && variable.binary == &binary)
      throw Error(ExitStatus::not_supported,
                  fmt::format("__managed__ variable '{}' on device {}: only device 0 can have such variables",
                              variable.name, device_->ordinal));
}

emu::Module& Session::module(RegisteredBinary& binary) {
  RegisteredBinary::Loaded& here = loaded(binary);
  if (here.module) return *here.module;
  if (here.failed) throw ApiError{kNoKernelImageForDevice, ""};
  refuse_shared_variables(binary);
  here.failed = true;
  const std::vector<std::uint8_t> cubin = cubin_of(binary);
  here.module = lost_when_cut_off(launcher().log(),
                                  [&] { return std::make_shared<emu::Module>(cubin, memory(), cubin_name(cubin)); });
  keep_disassemblers();
  for (const std::string& name : here.module->kernel_names()) {
    const emu::Kernel& kernel = *here.module->find_kernel(name);
    launcher().written(kernel.code_address, kernel.program ? kernel.code_bytes() : kernel.regions.front().bytes, false);
  }
  here.failed = false;
  return *here.module;
}

RegisteredFunction* Session::find_function(const void* handle) {
  auto found = functions_.find(handle);
  return found == functions_.end() ? nullptr : found->second.get();
}

std::size_t Session::device_limit(int limit) const {
  if (limit < 0 || static_cast<std::size_t>(limit) >= device_->limits.size()) throw ApiError{kUnsupportedLimit, ""};
  return device_->limits[static_cast<std::size_t>(limit)];
}

void Session::set_device_limit(int limit, std::size_t value) {
  device_limit(limit);
  device_->limits[static_cast<std::size_t>(limit)] = value;
}

const emu::Kernel& Session::kernel(const void* handle) {
  const emu::Kernel& described = described_kernel(*this, handle);
  if (described.program) return described;
  const RegisteredFunction& function = *find_function(handle);
  const emu::Kernel& kernel = lost_when_cut_off(
      launcher().log(), [&]() -> const emu::Kernel& { return loaded(*function.binary).module->kernel(function.name); });
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
  std::byte* host = memory().host(found.address, found.bytes);
  memory().alias_host(host, found.address, found.bytes);  // the host address is also a device pointer
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

namespace {
/// A call works on the device of the thread's current context. A function of the program that it calls may make calls.
class OnDeviceOfThread {
 public:
  explicit OnDeviceOfThread(Session& session) : session_(session), before_(session.device()) {
    const Context* current = Contexts::current();
    session.turn_to(session.device(current ? static_cast<int>(current->device) : 0));
  }
  ~OnDeviceOfThread() { session_.turn_to(before_); }
  OnDeviceOfThread(const OnDeviceOfThread&) = delete;

 private:
  Session& session_;
  Device& before_;
};
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
    const OnDeviceOfThread device(session);
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
