// SPDX-License-Identifier: Apache-2.0
// How every function of the driver's interface runs: one call at a time with those of the runtime, with the checks
// that CUDA makes first, and with the driver's error codes. The last error belongs to the runtime and stays as it is.
#pragma once

#include <functional>

#include "sim/cuda/contexts.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

/// What must be there before a call: nothing, a call of cuInit(), or also a current context.
enum class Needs : std::uint8_t { nothing, init, context };

/// `work` gets the session; with Needs::context, the current context is there. After a kernel's error only calls with
/// AfterFault::works go on.
Result drive(const char* function, Needs, const std::function<Result(Session&)>& work, AfterFault = AfterFault::fails);

/// A function that uses the current context.
inline Result in_context(const char* function, const std::function<Result(Session&)>& work) {
  return drive(function, Needs::context, work);
}
/// A question about the device, which has an answer after a kernel's error too.
inline Result ask(const char* function, const std::function<Result(Session&)>& work) {
  return drive(function, Needs::init, work, AfterFault::works);
}

/// A function that does what one of the runtime does: `runtime` calls that.
Result as_driver(Needs, const std::function<Result()>& runtime);
inline Result as_init(const std::function<Result()>& runtime) { return as_driver(Needs::init, runtime); }
/// A call of something that is not there: a line names it once.
Result driver_lacks(const char* what);

/// The CUDA whose driver this is: programs of older ones run.
inline constexpr int kDriverVersion = 12040;

/// cuInit
Result initialise(unsigned flags);

/// The current context of a call that needs one.
inline Context& context() { return *Contexts::current(); }

/// An error if the stream or event belongs to another context than the current one, or is none.
Result check_stream(Session&, Stream);
Result check_event(Session&, Event);

}  // namespace sassim::cuda
