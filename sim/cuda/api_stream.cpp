// SPDX-License-Identifier: Apache-2.0
// The runtime's functions for streams and events, whose times are simulated.
#include "sim/cuda/export.h"
#include "sim/cuda/host_callback.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

constexpr unsigned kNonBlocking = 1;    // cudaStreamNonBlocking
constexpr unsigned kDisableTiming = 2;  // cudaEventDisableTiming
constexpr double kPicosecondsPerMillisecond = 1e9;

Result create_stream(const char* name, Stream* stream, unsigned flags, int priority) {
  return call(name, [&](Session& session) {
    if (!stream || flags > kNonBlocking) return kInvalidValue;
    *stream = session.timeline().create_stream(!(flags & kNonBlocking), priority);
    return kSuccess;
  });
}

Result check_stream(const char* name, Stream stream) {
  return call(name, [&](Session& session) { return check_not_captured(session, stream); });
}

/// Why there is no such event.
Result no_event(Session& session, Event event) {
  return session.timeline().was_reset(event) ? kContextIsDestroyed : kInvalidResourceHandle;
}

Result check_event(const char* name, Event event) {
  return call(name, [&](Session& session) {
    const EventState* state = session.find(event);
    if (!state) return no_event(session, event);
    return check_event_in_time(*state);
  });
}

}  // namespace

SASSIM_CUDA Result cudaStreamCreate(Stream* stream) { return create_stream(__func__, stream, 0, 0); }
SASSIM_CUDA Result cudaStreamCreateWithFlags(Stream* stream, unsigned flags) {
  return create_stream(__func__, stream, flags, 0);
}
SASSIM_CUDA Result cudaStreamCreateWithPriority(Stream* stream, unsigned flags, int priority) {
  return create_stream(__func__, stream, flags, priority);
}
SASSIM_CUDA Result cudaStreamDestroy(Stream stream) {
  return call(__func__, [&](Session& session) {
    session.turn_to(stream);
    return session.timeline().destroy(stream) ? kSuccess : kInvalidResourceHandle;
  });
}
SASSIM_CUDA Result cudaStreamSynchronize(Stream stream) {
  return call(__func__, [&](Session& session) {
    const Result result = check_not_captured(session, stream);
    if (result != kSuccess) return result;
    session.timeline().wait_on_host(session.timeline().end_of(stream));
    return check_may_wait(session);
  });
}
SASSIM_CUDA_PTSZ(cudaStreamSynchronize);
SASSIM_CUDA Result cudaStreamQuery(Stream stream) { return check_stream(__func__, stream); }
SASSIM_CUDA_PTSZ(cudaStreamQuery);
SASSIM_CUDA Result cudaStreamGetFlags(Stream stream, unsigned* flags) {
  return call(__func__, [&](Session& session) {
    const StreamState* state = session.find(stream);
    if (!state) return kInvalidResourceHandle;
    *flags = state->blocking ? 0 : kNonBlocking;
    return kSuccess;
  });
}
SASSIM_CUDA_PTSZ(cudaStreamGetFlags);
SASSIM_CUDA Result cudaStreamGetPriority(Stream stream, int* priority) {
  return call(__func__, [&](Session& session) {
    const StreamState* state = session.find(stream);
    if (!state) return kInvalidResourceHandle;
    *priority = state->priority;
    return kSuccess;
  });
}
SASSIM_CUDA_PTSZ(cudaStreamGetPriority);
SASSIM_CUDA Result cudaStreamWaitEvent(Stream stream, Event event, unsigned) {
  return call(__func__, [&](Session& session) {
    session.turn_to(stream);
    Device& waits = session.device();
    EventState* state = session.find(event);
    if (!state) return no_event(session, event);
    Timeline& owner = session.timeline();
    session.turn_to(waits);
    return wait_for_event(session, stream, *state, owner);
  });
}
SASSIM_CUDA_PTSZ(cudaStreamWaitEvent);
SASSIM_CUDA Result cudaStreamAddCallback(Stream stream, void (*callback)(Stream, Result, void*), void* data, unsigned) {
  const Result result = check_stream(__func__, stream);
  const HostCallback in_it;
  if (result == kSuccess && callback) callback(stream, result, data);
  return result;
}
SASSIM_CUDA_PTSZ(cudaStreamAddCallback);
SASSIM_CUDA Result cudaLaunchHostFunc(Stream stream, void (*function)(void*), void* data) {
  if (!function) return remember(kInvalidValue);
  bool now = false;  // without the lock: the function may wait for another thread
  const Result result = call(__func__, [&](Session& session) {
    const StreamState* state = session.find(stream);
    if (!state) return kInvalidResourceHandle;
    now = !state->captured.capture;
    return now ? kSuccess : submit(session, stream, host_work({function, data}));
  });
  const HostCallback in_it;
  if (result == kSuccess && now) function(data);
  return result;
}
SASSIM_CUDA_PTSZ(cudaLaunchHostFunc);

SASSIM_CUDA Result cudaEventCreateWithFlags(Event* event, unsigned flags) {
  return call(__func__, [&](Session& session) {
    if (!event) return kInvalidValue;
    *event = session.timeline().create_event(!(flags & kDisableTiming));
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaEventCreate(Event* event) { return cudaEventCreateWithFlags(event, 0); }
SASSIM_CUDA Result cudaEventDestroy(Event event) {
  return call(__func__, [&](Session& session) {
    session.turn_to(event);
    return session.timeline().destroy(event) ? kSuccess : no_event(session, event);
  });
}
SASSIM_CUDA Result cudaEventRecord(Event event, Stream stream) {
  return call(__func__, [&](Session& session) {
    session.turn_to(stream);
    const Device& device = session.device();
    EventState* state = session.find(event);
    if (!state) return no_event(session, event);
    return &session.device() == &device ? record_event(session, *state, stream) : kInvalidResourceHandle;
  });
}
SASSIM_CUDA_PTSZ(cudaEventRecord);
SASSIM_CUDA Result cudaEventRecordWithFlags(Event event, Stream stream, unsigned) {
  return cudaEventRecord(event, stream);
}
SASSIM_CUDA_PTSZ(cudaEventRecordWithFlags);
SASSIM_CUDA Result cudaEventSynchronize(Event event) {
  return call(__func__, [&](Session& session) {
    EventState* state = session.find(event);
    if (!state) return no_event(session, event);
    session.timeline().wait_on_host(session.timeline().time_of(*state));
    return check_event_in_time(*state);
  });
}
SASSIM_CUDA Result cudaEventQuery(Event event) { return check_event(__func__, event); }
SASSIM_CUDA Result cudaEventElapsedTime(float* milliseconds, Event start, Event end) {
  return call(__func__, [&](Session& session) {
    EventState* from = session.find(start);
    const Device& device = session.device();
    EventState* to = session.find(end);
    if (from && to && &session.device() != &device) return kInvalidResourceHandle;
    if (!milliseconds) return kInvalidValue;
    for (const EventState* event : {from, to})
      if (const Result result = event ? check_event_in_time(*event) : kSuccess; result != kSuccess) return result;
    if (!from || !to) return no_event(session, from ? end : start);
    if (!from->recorded || !to->recorded || !from->timing || !to->timing) return kInvalidResourceHandle;
    const auto time = [&](EventState& event) { return static_cast<double>(session.timeline().time_of(event).value); };
    const double began = time(*from);
    *milliseconds = static_cast<float>((time(*to) - began) / kPicosecondsPerMillisecond);
    return kSuccess;
  });
}

}  // namespace sassim::cuda
