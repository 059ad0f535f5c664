// SPDX-License-Identifier: Apache-2.0
// The driver's functions for modules and libraries: images of machine code that the program loads.
#include <string>

#include "sim/cuda/attributes.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"
#include "sim/driver/abi.h"
#include "sim/driver/call.h"
#include "sim/driver/launches.h"
#include "sim/driver/modules.h"

namespace sassim::cuda {
namespace {

constexpr int kLazy = 2;  // CU_MODULE_LAZY_LOADING

/// CUjit_option of buffers for what a compiler says, and of their sizes.
enum JitOption : int { kInfoBuffer = 3, kInfoBytes = 4, kErrorBuffer = 5, kErrorBytes = 6 };

/// Nothing is compiled, so there is nothing to say.
void empty_logs(unsigned count, const int* options, void** values) {
  if (!options || !values) return;
  for (unsigned i = 0; i < count; ++i) {
    if ((options[i] == kInfoBuffer || options[i] == kErrorBuffer) && values[i]) *static_cast<char*>(values[i]) = '\0';
    if (options[i] == kInfoBytes || options[i] == kErrorBytes) values[i] = nullptr;
  }
}

Result load(const char* name, Module** module, const void* image) {
  return in_context(name, [&](Session& session) {
    if (!module || !image) return kInvalidValue;
    *module = Modules::get().load(session, image, &context());
    return kSuccess;
  });
}

Result with_module(const char* name, Needs needs, const Module* module, bool library,
                   const std::function<Result(Session&)>& work) {
  return drive(name, needs, [&](Session& session) {
    if (!Modules::get().holds(module) || (library && !module->library)) return kInvalidResourceHandle;
    if (!module->library && module->context != Contexts::current()) return kInvalidResourceHandle;
    return work(session);
  });
}

Result give_function(Session& session, Module& module, const char* name, Function** function) {
  if (!function || !name || !*name) return kInvalidValue;
  *function = nullptr;
  *function = Modules::get().function(session, module, name);
  return kSuccess;
}

Result give_variable(Session& session, Module& module, const char* name, DevicePointer* pointer, std::size_t* bytes) {
  if (!name || !*name || (!pointer && !bytes)) return kInvalidValue;
  const emu::Variable& variable = Modules::get().variable(session, module, name);
  if (pointer) *pointer = variable.address;
  if (bytes) *bytes = variable.bytes;
  return kSuccess;
}

Result with_kernel(const char* name, const Function* kernel, const std::function<Result(Session&)>& work) {
  return drive(name, Needs::init,
               [&](Session& session) { return Modules::get().holds(kernel) ? work(session) : kInvalidResourceHandle; });
}

}  // namespace

SASSIM_CUDA Result cuModuleLoadData(Module** module, const void* image) { return load(__func__, module, image); }
SASSIM_CUDA Result cuModuleLoadDataEx(Module** module, const void* image, unsigned count, const int* options,
                                      void** values) {
  empty_logs(count, options, values);
  return load(__func__, module, image);
}
SASSIM_CUDA Result cuModuleLoadFatBinary(Module** module, const void* image) { return load(__func__, module, image); }
SASSIM_CUDA Result cuModuleLoad(Module** module, const char* path) {
  return in_context(__func__, [&](Session& session) {
    if (!module || !path) return kInvalidValue;
    return Modules::get().load_file(session, path, &context(), *module);
  });
}
SASSIM_CUDA Result cuModuleUnload(Module* module) {
  return with_module(__func__, Needs::context, module, false, [&](Session& session) {
    if (module->library) return kInvalidResourceHandle;  // cuLibraryUnload unloads it
    Modules::get().unload(session, module);
    return kSuccess;
  });
}
SASSIM_CUDA Result cuModuleGetLoadingMode(int* mode) {
  return ask(__func__, [&](Session&) {
    if (!mode) return kInvalidValue;
    *mode = kLazy;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuModuleGetFunction(Function** function, Module* module, const char* name) {
  return with_module(__func__, Needs::context, module, false,
                     [&](Session& session) { return give_function(session, *module, name, function); });
}
SASSIM_CUDA Result cuModuleGetFunctionCount(unsigned* count, Module* module) {
  return with_module(__func__, Needs::context, module, false, [&](Session&) {
    if (!count) return kInvalidValue;
    *count = static_cast<unsigned>(module->kernels.size());
    return kSuccess;
  });
}
SASSIM_CUDA Result cuModuleEnumerateFunctions(Function** functions, unsigned count, Module* module) {
  return with_module(__func__, Needs::context, module, false, [&](Session& session) {
    if (!functions || count == 0) return kInvalidValue;
    for (unsigned i = 0; i < count && i < module->kernels.size(); ++i)
      functions[i] = Modules::get().function(session, *module, module->kernels[i]);
    return kSuccess;
  });
}
SASSIM_CUDA Result cuModuleGetGlobal_v2(DevicePointer* pointer, std::size_t* bytes, Module* module, const char* name) {
  return with_module(__func__, Needs::context, module, false,
                     [&](Session& session) { return give_variable(session, *module, name, pointer, bytes); });
}

SASSIM_CUDA Result cuLibraryLoadData(Module** library, const void* image, const int* jit, void** jit_values,
                                     unsigned jit_count, const int*, void**, unsigned) {
  empty_logs(jit_count, jit, jit_values);
  return drive(__func__, Needs::init, [&](Session& session) {
    if (!library || !image) return kInvalidValue;
    *library = Modules::get().load(session, image, nullptr);
    return kSuccess;
  });
}
SASSIM_CUDA Result cuLibraryLoadFromFile(Module** library, const char* path, const int* jit, void** jit_values,
                                         unsigned jit_count, const int*, void**, unsigned) {
  empty_logs(jit_count, jit, jit_values);
  return drive(__func__, Needs::init, [&](Session& session) {
    if (!library || !path) return kInvalidValue;
    return Modules::get().load_file(session, path, nullptr, *library);
  });
}
SASSIM_CUDA Result cuLibraryUnload(Module* library) {
  return with_module(__func__, Needs::init, library, true, [&](Session& session) {
    Modules::get().unload(session, library);
    return kSuccess;
  });
}
SASSIM_CUDA Result cuLibraryGetKernel(Function** kernel, Module* library, const char* name) {
  return with_module(__func__, Needs::init, library, true,
                     [&](Session& session) { return give_function(session, *library, name, kernel); });
}
SASSIM_CUDA Result cuLibraryGetKernelCount(unsigned* count, Module* library) {
  return with_module(__func__, Needs::init, library, true, [&](Session&) {
    if (!count) return kInvalidValue;
    *count = static_cast<unsigned>(library->kernels.size());
    return kSuccess;
  });
}
SASSIM_CUDA Result cuLibraryEnumerateKernels(Function** kernels, unsigned count, Module* library) {
  return with_module(__func__, Needs::init, library, true, [&](Session& session) {
    if (!kernels || count == 0) return kInvalidValue;
    for (unsigned i = 0; i < count && i < library->kernels.size(); ++i)
      kernels[i] = Modules::get().function(session, *library, library->kernels[i]);
    return kSuccess;
  });
}
/// A library is its own module in every context.
SASSIM_CUDA Result cuLibraryGetModule(Module** module, Module* library) {
  return with_module(__func__, Needs::context, library, true, [&](Session&) {
    if (!module) return kInvalidValue;
    *module = library;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuLibraryGetGlobal(DevicePointer* pointer, std::size_t* bytes, Module* library, const char* name) {
  return with_module(__func__, Needs::context, library, true,
                     [&](Session& session) { return give_variable(session, *library, name, pointer, bytes); });
}
SASSIM_CUDA Result cuLibraryGetManaged(DevicePointer* pointer, std::size_t* bytes, Module* library, const char* name) {
  return with_module(__func__, Needs::init, library, true,
                     [&](Session& session) { return give_variable(session, *library, name, pointer, bytes); });
}

/// The runtime's name for it.
SASSIM_CUDA Result cudaGetFuncBySymbol(Function** function, const void* symbol) {
  return call(__func__, [&](Session& session) {
    if (!function || !symbol) return kInvalidValue;
    const RegisteredFunction* known = session.find_function(symbol);
    if (!known) return kInvalidDeviceFunction;
    Module& module = Modules::get().of_runtime(known->binary);
    std::unique_ptr<Function>& own = module.functions[known->name];
    if (!own) {
      own = std::make_unique<Function>(Function{&module, known->name});
      session.name_function(own.get(), symbol);
    }
    *function = own.get();
    return kSuccess;
  });
}

SASSIM_CUDA Result cuKernelGetFunction(Function** function, Function* kernel) {
  return with_kernel(__func__, kernel, [&](Session&) {
    if (!function) return kInvalidValue;
    *function = kernel;
    return Contexts::current() ? kSuccess : kInvalidContext;
  });
}
SASSIM_CUDA Result cuKernelGetLibrary(Module** library, Function* kernel) {
  return with_kernel(__func__, kernel, [&](Session&) {
    if (!library || !kernel->module->library) return kInvalidValue;
    *library = kernel->module;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuKernelGetName(const char** name, Function* kernel) {
  return with_kernel(__func__, kernel, [&](Session&) {
    if (!name) return kInvalidValue;
    *name = kernel->name.c_str();
    return kSuccess;
  });
}
SASSIM_CUDA Result cuKernelGetParamInfo(Function* kernel, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return with_kernel(__func__, kernel, [&](Session& session) {
    const emu::Kernel& code = described_kernel(session, kernel);
    if (!offset || index >= code.param_offsets.size()) return kInvalidValue;
    *offset = code.param_offsets[index];
    if (bytes) *bytes = code.param_sizes[index];
    return kSuccess;
  });
}
SASSIM_CUDA Result cuKernelGetAttribute(int* value, int attribute, Function* kernel, int device) {
  return with_kernel(__func__, kernel, [&](Session& session) {
    if (!session.has_device(device)) return kInvalidDevice;
    return value ? function_attribute(session, kernel, attribute, *value) : kInvalidValue;
  });
}
SASSIM_CUDA Result cuKernelSetAttribute(int attribute, int value, Function* kernel, int device) {
  return with_kernel(__func__, kernel, [&](Session& session) {
    if (!session.has_device(device)) return kInvalidDevice;
    return set_function_attribute(session, kernel, attribute, value);
  });
}
SASSIM_CUDA Result cuKernelSetCacheConfig(Function* kernel, int config, int device) {
  return with_kernel(__func__, kernel, [&](Session& session) {
    if (!session.has_device(device)) return kInvalidDevice;
    return config >= 0 && config <= 3 ? kSuccess : kInvalidValue;
  });
}

}  // namespace sassim::cuda
