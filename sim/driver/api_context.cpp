// SPDX-License-Identifier: Apache-2.0
// The driver's functions for contexts: those of the program, and the primary context, which the runtime uses too.
#include <algorithm>

#include "sim/cuda/export.h"
#include "sim/cuda/peers.h"
#include "sim/driver/call.h"
#include "sim/driver/modules.h"

namespace sassim::cuda {
namespace {

constexpr unsigned kContextFlags = 0x1f;  // CU_CTX_FLAGS_MASK
constexpr unsigned kApiVersion = 3020;

Contexts& contexts() { return Contexts::of_this_process(); }

/// A context as an argument of a call.
Result check_context(const Context* context) {
  if (!contexts().known(context)) return kInvalidContext;
  return context->destroyed ? kContextIsDestroyed : kSuccess;
}

Result create(const char* name, Context** context, unsigned flags, int device) {
  return drive(name, Needs::init, [&](Session& session) {
    if (!context || (flags & ~kContextFlags) != 0) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    Context* made = contexts().create(flags, static_cast<unsigned>(device));
    if (!Contexts::push(made)) return kMemoryAllocation;
    *context = made;
    return kSuccess;
  });
}

void destroy(Session& session, Context& context) {
  session.turn_to(session.device(static_cast<int>(context.device)));
  session.settle();
  Modules::get().unload_all(session, &context);
  for (const Stream stream : context.streams) session.timeline().destroy(stream);
  for (const Event event : context.events) session.timeline().destroy(event);
  for (const std::uint64_t address : context.memory) session.memory().free(address);
  for (void* host : context.host_memory)
    if (!session.host_memory().free(host, HostMemory::Kind::pinned))
      session.host_memory().free(host, HostMemory::Kind::managed);
  context = {.id = context.id, .device = context.device, .destroyed = true, .flags = context.flags};
  if (Contexts::current() == &context) Contexts::pop();
}

void reset_primary(Session& session) {
  session.reset();
  if (sticky() != kSuccess) set_sticky(kDevicesUnavailable);
}

/// A function of the primary context. It works after a kernel's error.
Result of_primary(const char* name, int device, const std::function<Result(Session&)>& work) {
  return drive(
      name, Needs::init,
      [&](Session& session) {
        if (!session.has_device(device)) return kInvalidDevice;
        session.turn_to(session.device(device));
        return work(session);
      },
      AfterFault::works);
}

}  // namespace

SASSIM_CUDA Result cuCtxCreate_v2(Context** context, unsigned flags, int device) {
  return create(__func__, context, flags, device);
}
SASSIM_CU_ALSO(cuCtxCreate_v2, cuCtxCreate);
SASSIM_CUDA Result cuCtxCreate_v3(Context** context, const void* affinity, int count, unsigned flags, int device) {
  if (affinity || count != 0) return driver_lacks("cuCtxCreate_v3 with an affinity");
  return create(__func__, context, flags, device);
}
SASSIM_CUDA Result cuCtxDestroy_v2(Context* context) {
  return drive(
      __func__, Needs::init,
      [&](Session& session) {
        if (const Result result = check_context(context); result != kSuccess) return result;
        if (context->primary) return kInvalidContext;  // cuDevicePrimaryCtxRelease gives it back
        destroy(session, *context);
        return kSuccess;
      },
      AfterFault::works);
}
SASSIM_CU_ALSO(cuCtxDestroy_v2, cuCtxDestroy);

SASSIM_CUDA Result cuCtxPushCurrent_v2(Context* context) {
  return ask(__func__, [&](Session&) {
    if (const Result result = check_context(context); result != kSuccess) return result;
    return Contexts::push(context) ? kSuccess : kMemoryAllocation;
  });
}
SASSIM_CU_ALSO(cuCtxPushCurrent_v2, cuCtxPushCurrent);
SASSIM_CUDA Result cuCtxPopCurrent_v2(Context** context) {
  return ask(__func__, [&](Session&) {
    Context* popped = Contexts::pop();
    if (context) *context = popped;
    return popped ? kSuccess : kInvalidContext;
  });
}
SASSIM_CU_ALSO(cuCtxPopCurrent_v2, cuCtxPopCurrent);
SASSIM_CUDA Result cuCtxSetCurrent(Context* context) {
  return ask(__func__, [&](Session&) {
    if (const Result result = context ? check_context(context) : kSuccess; result != kSuccess) return result;
    Contexts::set_current(context);
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxGetCurrent(Context** context) {
  return ask(__func__, [&](Session&) {
    if (!context) return kInvalidValue;
    *context = Contexts::current();
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxGetDevice(int* device) {
  return drive(
      __func__, Needs::context,
      [&](Session&) {
        if (!device) return kInvalidValue;
        *device = static_cast<int>(context().device);
        return kSuccess;
      },
      AfterFault::works);
}
SASSIM_CUDA Result cuCtxGetDevice_v2(int* device, const Context* of) {
  if (!of) return cuCtxGetDevice(device);
  return ask(__func__, [&](Session&) {
    if (!device) return kInvalidValue;
    const Result result = check_context(of);
    if (result == kSuccess) *device = static_cast<int>(of->device);
    return result;
  });
}
SASSIM_CUDA Result cuCtxGetFlags(unsigned* flags) {
  return in_context(__func__, [&](Session&) {
    if (!flags) return kInvalidValue;
    *flags = context().flags;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxSetFlags(unsigned flags) {
  return in_context(__func__, [&](Session&) {
    if ((flags & ~kContextFlags) != 0) return kInvalidValue;
    context().flags = flags;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxGetId(const Context* of, unsigned long long* id) {
  return ask(__func__, [&](Session&) {
    const Context* which = of ? of : Contexts::current();
    if (!id) return kInvalidValue;
    if (const Result result = check_context(which); result != kSuccess) return result;
    *id = which->id;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxGetApiVersion(Context* of, unsigned* version) {
  return ask(__func__, [&](Session&) {
    if (!version) return kInvalidValue;
    *version = kApiVersion;
    return of ? check_context(of) : kSuccess;
  });
}
SASSIM_CUDA Result cuCtxSynchronize() {
  return in_context(__func__, [](Session& session) { return wait_for_device(session, session.device()); });
}
SASSIM_CUDA Result cuCtxSynchronize_v2(const Context* of) {
  if (!of) return cuCtxSynchronize();
  return in_context(__func__, [&](Session& session) {
    if (const Result result = check_context(of); result != kSuccess) return result;
    return wait_for_device(session, session.device(static_cast<int>(of->device)));
  });
}
SASSIM_CUDA Result cuCtxAttach(Context** attached, unsigned flags) {
  return in_context(__func__, [&](Session&) {
    if (!attached || flags != 0) return kInvalidValue;
    *attached = &context();
    ++context().attached;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxDetach(Context* attached) {
  return in_context(__func__, [&](Session& session) {
    if (attached != &context()) return kInvalidContext;
    if (--attached->attached == 0 && !attached->primary) destroy(session, *attached);
    return kSuccess;
  });
}

SASSIM_CUDA Result cuCtxSetLimit(int limit, std::size_t value) {
  return in_context(__func__, [&](Session& session) {
    session.set_device_limit(limit, value);
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxGetLimit(std::size_t* value, int limit) {
  return in_context(__func__, [&](Session& session) {
    if (!value) return kInvalidValue;
    *value = session.device_limit(limit);
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxGetCacheConfig(int* config) {
  return in_context(__func__, [&](Session&) {
    if (!config) return kInvalidValue;
    *config = 0;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxSetCacheConfig(int config) {
  return in_context(__func__, [&](Session&) { return config >= 0 && config <= 3 ? kSuccess : kInvalidValue; });
}
SASSIM_CUDA Result cuCtxGetSharedMemConfig(int* config) {
  return in_context(__func__, [&](Session&) {
    if (!config) return kInvalidValue;
    *config = 1;  // banks of four bytes
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxSetSharedMemConfig(int config) {
  return in_context(__func__, [&](Session&) { return config >= 0 && config <= 2 ? kSuccess : kInvalidValue; });
}
SASSIM_CUDA Result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context(__func__, [&](Session&) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuCtxResetPersistingL2Cache() {
  return in_context(__func__, [](Session&) { return kSuccess; });  // no line of the L2 persists
}
SASSIM_CUDA Result cuCtxEnablePeerAccess(const Context* peer, unsigned flags) {
  return in_context(__func__, [&](Session& session) {
    if (flags != 0) return kInvalidValue;
    if (const Result result = check_context(peer); result != kSuccess) return result;
    return enable_peer(session, peer->device);
  });
}
SASSIM_CUDA Result cuCtxDisablePeerAccess(const Context* peer) {
  return in_context(__func__, [&](Session& session) {
    const Result result = check_context(peer);
    return result == kSuccess ? disable_peer(session, peer->device) : result;
  });
}

SASSIM_CUDA Result cuDevicePrimaryCtxRetain(Context** context, int device) {
  return of_primary(__func__, device, [&](Session& session) {
    if (!context) return kInvalidValue;
    Context& primary = contexts().primary(session.device().ordinal);
    ++primary.retains;
    *context = &primary;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuDevicePrimaryCtxRelease_v2(int device) {
  return of_primary(__func__, device, [&](Session& session) {
    Context& primary = contexts().primary(session.device().ordinal);
    if (primary.retains == 0) return kInvalidContext;
    if (--primary.retains == 0 && !Contexts::used_by_runtime(primary.device)) reset_primary(session);
    return kSuccess;
  });
}
SASSIM_CU_ALSO(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease);
SASSIM_CUDA Result cuDevicePrimaryCtxReset_v2(int device) {
  return of_primary(__func__, device, [&](Session& session) {
    reset_primary(session);
    return kSuccess;
  });
}
SASSIM_CU_ALSO(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset);
SASSIM_CUDA Result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  return of_primary(__func__, device, [&](Session& session) {
    if (!flags || !active) return kInvalidValue;
    const Context& primary = contexts().primary(session.device().ordinal);
    *flags = primary.flags;
    *active = contexts().is_active(primary) ? 1 : 0;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  return of_primary(__func__, device, [&](Session& session) {
    if ((flags & ~kContextFlags) != 0) return kInvalidValue;
    contexts().primary(session.device().ordinal).flags = flags;
    return kSuccess;
  });
}
SASSIM_CU_ALSO(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags);

}  // namespace sassim::cuda
