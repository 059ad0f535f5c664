// SPDX-License-Identifier: Apache-2.0
// What runs around every cu* function: checks of cuInit and context, the runtime's lock, the CUresult.
#include "sim/driver/call.h"

#include "sim/driver/modules.h"
#include "sim/driver/result.h"
#include "sim/driver/virtual_memory.h"

namespace sassim::cuda {
namespace {

Result may_begin(Needs needs) {
  if (needs == Needs::nothing) return kSuccess;
  const Context* current = Contexts::current();  // a thread that has one may have it from the runtime
  if (!Contexts::driver_is_initialised() && !current && !Contexts::used_by_runtime()) return kInitializationError;
  if (needs == Needs::init) return kSuccess;
  if (!current) return kInvalidContext;
  const bool gone = current->primary ? !Contexts::of_this_process().is_active(*current) : current->destroyed;
  return gone ? kContextIsDestroyed : kSuccess;
}

/// What was loaded is gone when the device is reset, by either interface.
void watch_resets(Session& session) {
  const auto release = [&session] {
    Modules::get().release_all(session);
    VirtualMemory::get().release_all(session);
    Contexts::runtime_has_left(session.device().ordinal);
  };
  static const bool watched = (session.at_reset(release), true);
  static_cast<void>(watched);
}

}  // namespace

Result drive(const char* function, Needs needs, const std::function<Result(Session&)>& work, AfterFault after_fault) {
  if (const Result result = may_begin(needs); result != kSuccess) return result;
  const DriverCall in_it;
  const auto watched = [&](Session& session) {
    watch_resets(session);
    return work(session);
  };
  return driver_code(guarded(function, watched, after_fault));
}

Result as_driver(Needs needs, const std::function<Result()>& runtime) {
  if (const Result result = may_begin(needs); result != kSuccess) return result;
  const DriverCall in_it;
  return driver_code(runtime());
}

Result driver_lacks(const char* what) {
  const DriverCall in_it;
  return unsupported(what);
}

Result initialise(unsigned flags) {
  if (flags != 0) return kInvalidValue;
  const Result result = drive(
      "cuInit", Needs::nothing, [](Session&) { return kSuccess; }, AfterFault::works);
  if (result == kSuccess) Contexts::driver_was_initialised();
  return result;
}

Result check_stream(Session& session, Stream stream) {
  session.turn_to(stream);
  if (!session.find(stream)) return kInvalidResourceHandle;
  const Context* owner = Contexts::of_this_process().owner(stream);
  return owner && owner != Contexts::current() ? kInvalidResourceHandle : kSuccess;
}

Result check_event(Session& session, Event event) {
  session.turn_to(event);
  if (!session.find(event)) {
    return session.timeline().was_reset(event) ? kContextIsDestroyed : kInvalidResourceHandle;
  }
  const Context* owner = Contexts::of_this_process().owner(event);
  return owner && owner != Contexts::current() ? kInvalidResourceHandle : kSuccess;
}

}  // namespace sassim::cuda
