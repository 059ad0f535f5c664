// SPDX-License-Identifier: Apache-2.0
// The state of the runtime, made at the first call: the process's simulated GPUs, and what they share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sim/config/gpu_config.h"
#include "sim/cuda/abi.h"
#include "sim/cuda/array.h"
#include "sim/cuda/device.h"
#include "sim/cuda/errors.h"
#include "sim/cuda/graph.h"
#include "sim/cuda/handles.h"
#include "sim/cuda/host_memory.h"
#include "sim/cuda/registered.h"
#include "sim/cuda/session_options.h"
#include "sim/emu/core/fatbin.h"
#include "sim/emu/core/module.h"

namespace sassim::cuda {

/// cudaLimit
inline constexpr int kStackLimit = 0, kHeapLimit = 2;

class Session {
 public:
  /// The session of the process, made at the first call, as `sassim exec` asked for.
  static Session& get();
  /// Throws ApiError if no GPU is named.
  explicit Session(const SessionOptions& options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The devices. Each call works on one of them: that of the thread's current context, if it does not turn to another.
  std::size_t devices() const { return devices_.size(); }
  bool has_device(int ordinal) const { return ordinal >= 0 && static_cast<std::size_t>(ordinal) < devices_.size(); }
  Device& device(int ordinal) { return *devices_.at(static_cast<std::size_t>(ordinal)); }
  Device& device() { return *device_; }
  const Device& device() const { return *device_; }
  void turn_to(Device& device) { device_ = &device; }
  /// To the device of a stream or an event; a default stream is that of the device at work.
  void turn_to(Stream);
  void turn_to(Event);
  /// A stream or an event of any device, to which the session turns; nullptr: there is none.
  StreamState* find(Stream stream) {
    turn_to(stream);
    return timeline().find(stream);
  }
  EventState* find(Event event) {
    turn_to(event);
    return timeline().find(event);
  }
  /// The device in whose memory a pointer of the program lies; memory of the host counts as that of the device at work.
  Device& device_with(const void* pointer);
  emu::DeviceMemory& memory_with(const void* pointer) { return device_with(pointer).memory; }

  // Of the device at work.
  const config::GpuConfig& gpu() const { return device_->gpu; }
  emu::DeviceMemory& memory() { return device_->memory; }
  /// The simulated GPU's address for a pointer of the program.
  std::uint64_t device_address(const void* pointer) const {
    return device_->memory.translate(reinterpret_cast<std::uintptr_t>(pointer));
  }
  Timeline& timeline() { return device_->timeline; }
  Pools& pools() { return device_->pools; }
  Launcher& launcher() { return device_->launcher; }

  HostMemory& host_memory() { return *host_memory_; }
  Graphs& graphs() { return graphs_; }
  Handles<Array>& arrays() { return arrays_; }
  Handles<MipmappedArray>& mipmapped_arrays() { return mipmapped_arrays_; }
  emu::Textures& textures() { return textures_; }
  std::recursive_mutex& mutex() { return mutex_; }
  /// In the child of a fork: the parent's thread that held it does not exist here.
  void renew_mutex();

  RegisteredBinary* add_binary(const void* data);
  /// A binary with a cubin of its own.
  RegisteredBinary* add_image(std::vector<std::uint8_t> cubin);
  /// Loads a binary now. Throws ApiError and Error.
  emu::Module& module(RegisteredBinary&);
  /// What is loaded of it on the device at work.
  std::weak_ptr<emu::Module> loaded_module(const RegisteredBinary& binary) const {
    return binary.loaded.at(device_->ordinal).module;
  }
  void remove_binary(RegisteredBinary*);
  void add_function(const void* handle, RegisteredFunction);
  /// Makes `handle` another one of the function that has handle `known`.
  void name_function(const void* handle, const void* known);
  void add_variable(const void* handle, RegisteredVariable);
  void add_texture(const void* reference, RegisteredBinary*, const std::string& name, bool normalized_float);
  std::optional<RegisteredTexture> find_texture(const void* reference) const;
  /// The object behind texture reference `name` of the kernel's program; 0: none.
  std::uint64_t texture_handle(const RegisteredBinary*, const std::string& name) const;
  /// Loads the module of a __managed__ variable, so that the host can use the variable before any kernel runs.
  void use_managed(const void* handle);

  RegisteredFunction* find_function(const void* handle);
  /// The kernel of a host function pointer. Throws ApiError.
  const emu::Kernel& kernel(const void* handle);
  /// The device variable of a host symbol. Throws ApiError.
  const emu::Variable& variable(const void* handle);

  /// Gives all work of streams its times, on all devices, and reports the results of its kernels.
  void settle();

  std::size_t device_limit(int limit) const;
  void set_device_limit(int limit, std::size_t value);
  /// cudaGetDeviceFlags
  unsigned device_flags() const { return device_->flags; }
  void set_device_flags(unsigned flags) { device_->flags = flags; }

  /// Everything that the program has made on the device at work is gone, after pending work has ended.
  void reset();

  /// `callback` is called at the end of each reset(), for objects that are kept elsewhere.
  void at_reset(std::function<void()> callback) { at_reset_.push_back(std::move(callback)); }

 private:
  std::vector<std::uint8_t> cubin_of(const RegisteredBinary&) const;
  void refuse_shared_variables(const RegisteredBinary&) const;
  struct ManagedContents {
    const void* handle;  ///< of the variable
    std::vector<std::byte> bytes;
  };
  std::vector<ManagedContents> managed_contents();

  RegisteredBinary::Loaded& loaded(RegisteredBinary& binary) const { return binary.loaded.at(device_->ordinal); }

  std::recursive_mutex mutex_;
  std::vector<std::unique_ptr<Device>> devices_;
  Device* device_ = nullptr;
  std::unique_ptr<HostMemory> host_memory_;
  Graphs graphs_;
  Handles<Array> arrays_;
  Handles<MipmappedArray> mipmapped_arrays_;
  std::vector<std::unique_ptr<RegisteredBinary>> binaries_;
  std::map<const void*, std::shared_ptr<RegisteredFunction>> functions_;  ///< by handle; one may have several
  std::map<const void*, RegisteredVariable> variables_;
  std::map<const void*, RegisteredTexture> texture_references_;
  emu::Textures textures_;
  std::vector<std::function<void()>> at_reset_;
  std::vector<const void*> managed_;  ///< handles of __managed__ variables, in the order of their registration
};

/// The kernel of a host function pointer; Session::kernel() gives the same with its code, which may have to be
/// disassembled first: libraries ask for registers, shared memory and parameters of many more kernels than they launch.
/// Throws ApiError.
const emu::Kernel& described_kernel(Session&, const void* handle);

/// An API error that is returned to the caller; `text` is logged if it is not empty.
struct ApiError {
  Result code;
  std::string text;
};

/// Runs the work of every API function: one call at a time; returns a sticky error first, except from functions that
/// work after a kernel's error too; translates exceptions to codes.
enum class AfterFault : std::uint8_t { fails, works };
Result call(const char* function, const std::function<Result(Session&)>& work, AfterFault = AfterFault::fails);

/// The same without what only the runtime does: to keep the last error, and to use the primary context.
Result guarded(const char* function, const std::function<Result(Session&)>& work, AfterFault = AfterFault::fails);

/// Frees memory of the device, or managed memory; nullptr is none.
Result release(Session&, void* pointer);

/// Settles all work at the end of the process. If that fails, it ends the process with the command's status for it.
void settle_or_end_process(Session&);

}  // namespace sassim::cuda
