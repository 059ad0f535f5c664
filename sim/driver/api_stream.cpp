// SPDX-License-Identifier: Apache-2.0
// The driver's functions for streams and events. Most do what functions of the runtime do, in the current context.
#include "sim/cuda/export.h"
#include "sim/driver/abi.h"
#include "sim/driver/call.h"

namespace sassim::cuda {

extern "C" {
Result cudaStreamSynchronize(Stream);
Result cudaStreamQuery(Stream);
Result cudaStreamGetFlags(Stream, unsigned*);
Result cudaStreamGetPriority(Stream, int*);
Result cudaStreamWaitEvent(Stream, Event, unsigned);
Result cudaStreamAddCallback(Stream, void (*)(Stream, Result, void*), void*, unsigned);
Result cudaLaunchHostFunc(Stream, void (*)(void*), void*);
Result cudaEventRecord(Event, Stream);
Result cudaEventSynchronize(Event);
Result cudaEventQuery(Event);
Result cudaEventElapsedTime(float*, Event, Event);
}

namespace {

constexpr unsigned kNonBlocking = 1, kEventFlags = 7, kDisableTiming = 2;

Result create_stream(const char* name, Stream* stream, unsigned flags, int priority) {
  return in_context(name, [&](Session& session) {
    if (!stream || flags > kNonBlocking) return kInvalidValue;
    *stream = session.timeline().create_stream(!(flags & kNonBlocking), priority);
    if (!context().primary) context().streams.insert(*stream);
    return kSuccess;
  });
}

/// Does what the runtime does if the stream is of this context.
Result with_stream(Stream stream, const std::function<Result()>& runtime) {
  const Result result = in_context(__func__, [&](Session& session) { return check_stream(session, stream); });
  return result == kSuccess ? as_driver(Needs::context, runtime) : result;
}
Result with_event(Event event, const std::function<Result()>& runtime) {
  const Result result = in_context(__func__, [&](Session& session) { return check_event(session, event); });
  return result == kSuccess ? as_driver(Needs::context, runtime) : result;
}

}  // namespace

SASSIM_CUDA Result cuStreamCreate(Stream* stream, unsigned flags) { return create_stream(__func__, stream, flags, 0); }
SASSIM_CUDA Result cuStreamCreateWithPriority(Stream* stream, unsigned flags, int priority) {
  return create_stream(__func__, stream, flags, priority);
}
SASSIM_CUDA Result cuStreamDestroy_v2(Stream stream) {
  return in_context(__func__, [&](Session& session) {
    if (const Result result = check_stream(session, stream); result != kSuccess) return result;
    context().streams.erase(stream);
    return session.timeline().destroy(stream) ? kSuccess : kInvalidResourceHandle;
  });
}
SASSIM_CU_ALSO(cuStreamDestroy_v2, cuStreamDestroy);
SASSIM_CUDA Result cuStreamSynchronize(Stream stream) {
  return with_stream(stream, [&] { return cudaStreamSynchronize(stream); });
}
SASSIM_CU_PTSZ(cuStreamSynchronize);
SASSIM_CUDA Result cuStreamQuery(Stream stream) {
  return with_stream(stream, [&] { return cudaStreamQuery(stream); });
}
SASSIM_CU_PTSZ(cuStreamQuery);
SASSIM_CUDA Result cuStreamGetFlags(Stream stream, unsigned* flags) {
  if (!flags) return kInvalidValue;
  return with_stream(stream, [&] { return cudaStreamGetFlags(stream, flags); });
}
SASSIM_CU_PTSZ(cuStreamGetFlags);
SASSIM_CUDA Result cuStreamGetPriority(Stream stream, int* priority) {
  if (!priority) return kInvalidValue;
  return with_stream(stream, [&] { return cudaStreamGetPriority(stream, priority); });
}
SASSIM_CU_PTSZ(cuStreamGetPriority);
SASSIM_CUDA Result cuStreamGetId(Stream stream, unsigned long long* id) {
  return in_context(__func__, [&](Session& session) {
    if (!id) return kInvalidValue;
    if (const Result result = check_stream(session, stream); result != kSuccess) return result;
    *id = session.find(stream)->number;
    return kSuccess;
  });
}
SASSIM_CU_PTSZ(cuStreamGetId);
SASSIM_CUDA Result cuStreamGetCtx(Stream stream, Context** of) {
  return in_context(__func__, [&](Session& session) {
    if (!of) return kInvalidValue;
    if (!session.find(stream)) return kInvalidResourceHandle;
    Context* owner = Contexts::of_this_process().owner(stream);
    *of = owner                                   ? owner
          : session.timeline().is_default(stream) ? &context()
                                                  : &Contexts::of_this_process().primary(session.device().ordinal);
    return kSuccess;
  });
}
SASSIM_CU_PTSZ(cuStreamGetCtx);
SASSIM_CUDA Result cuStreamGetDevice(Stream stream, int* device) {
  return in_context(__func__, [&](Session& session) {
    if (!device) return kInvalidValue;
    const Result result = check_stream(session, stream);
    *device = static_cast<int>(session.device().ordinal);
    return result;
  });
}
SASSIM_CU_PTSZ(cuStreamGetDevice);
SASSIM_CUDA Result cuStreamWaitEvent(Stream stream, Event event, unsigned flags) {
  if (flags > 1) return kInvalidValue;
  return with_stream(stream, [&] { return cudaStreamWaitEvent(stream, event, flags); });
}
SASSIM_CU_PTSZ(cuStreamWaitEvent);
SASSIM_CUDA Result cuStreamAddCallback(Stream stream, void (*callback)(Stream, Result, void*), void* data,
                                       unsigned flags) {
  if (!callback || flags != 0) return kInvalidValue;
  return with_stream(stream, [&] { return cudaStreamAddCallback(stream, callback, data, flags); });
}
SASSIM_CU_PTSZ(cuStreamAddCallback);
SASSIM_CUDA Result cuLaunchHostFunc(Stream stream, void (*function)(void*), void* data) {
  return with_stream(stream, [&] { return cudaLaunchHostFunc(stream, function, data); });
}
SASSIM_CU_PTSZ(cuLaunchHostFunc);
SASSIM_CUDA Result cuStreamAttachMemAsync(Stream stream, DevicePointer pointer, std::size_t, unsigned flags) {
  return in_context(__func__, [&](Session& session) {
    if (const Result result = check_stream(session, stream); result != kSuccess) return result;
    // Both sides may access managed memory at any time, whatever it is attached to.
    return pointer != 0 && (flags == 1 || flags == 2 || flags == 4) ? kSuccess : kInvalidValue;
  });
}
SASSIM_CU_PTSZ(cuStreamAttachMemAsync);

SASSIM_CUDA Result cuEventCreate(Event* event, unsigned flags) {
  return in_context(__func__, [&](Session& session) {
    if (!event || (flags & ~kEventFlags) != 0) return kInvalidValue;
    *event = session.timeline().create_event((flags & kDisableTiming) == 0);
    if (!context().primary) context().events.insert(*event);
    return kSuccess;
  });
}
SASSIM_CUDA Result cuEventDestroy_v2(Event event) {
  return in_context(__func__, [&](Session& session) {
    if (const Result result = check_event(session, event); result != kSuccess) return result;
    context().events.erase(event);
    return session.timeline().destroy(event) ? kSuccess : kInvalidResourceHandle;
  });
}
SASSIM_CU_ALSO(cuEventDestroy_v2, cuEventDestroy);
SASSIM_CUDA Result cuEventRecord(Event event, Stream stream) {
  const auto record = [&] { return cudaEventRecord(event, stream); };
  return with_stream(stream, [&] { return with_event(event, record); });
}
SASSIM_CU_PTSZ(cuEventRecord);
SASSIM_CUDA Result cuEventRecordWithFlags(Event event, Stream stream, unsigned flags) {
  return flags > 1 ? kInvalidValue : cuEventRecord(event, stream);
}
SASSIM_CU_PTSZ(cuEventRecordWithFlags);
SASSIM_CUDA Result cuEventSynchronize(Event event) {
  return with_event(event, [&] { return cudaEventSynchronize(event); });
}
SASSIM_CUDA Result cuEventQuery(Event event) {
  return with_event(event, [&] { return cudaEventQuery(event); });
}
SASSIM_CUDA Result cuEventElapsedTime(float* milliseconds, Event start, Event end) {
  return as_driver(Needs::context, [&] { return cudaEventElapsedTime(milliseconds, start, end); });
}
SASSIM_CU_ALSO(cuEventElapsedTime, cuEventElapsedTime_v2);

}  // namespace sassim::cuda
