// SPDX-License-Identifier: Apache-2.0
// Names of cudaError_t codes, the last error of each thread, the sticky error after a kernel's fault.
#include "sim/cuda/errors.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "sim/base/log.h"

namespace sassim::cuda {

namespace {

constexpr ErrorText kErrors[] = {
    {kSuccess, "cudaSuccess", "no error"},
    {kInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {kMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {kInitializationError, "cudaErrorInitializationError", "initialization error"},
    {kInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {kInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {kInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {kInvalidTexture, "cudaErrorInvalidTexture", "invalid texture reference"},
    {kInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {kInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {kDevicesUnavailable, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {kMissingConfiguration, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    {kInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {kNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {kInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {kInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {kInvalidContext, "cudaErrorDeviceUninitialized", "invalid device context"},
    {kNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {kUnsupportedLimit, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {kPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {kJitCompilerNotFound, "cudaErrorJitCompilerNotFound", "PTX JIT compiler library not found"},
    {kInvalidSource, "cudaErrorInvalidSource", "device kernel image is invalid"},
    {kFileNotFound, "cudaErrorFileNotFound", "file not found"},
    {kInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {kIllegalState, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    {kSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {kNotReady, "cudaErrorNotReady", "device not ready"},
    {kIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {kLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {kLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {kPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {kPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {kPrimaryContextActive, "cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"},
    {kContextIsDestroyed, "cudaErrorContextIsDestroyed", "context is destroyed"},
    {kAssert, "cudaErrorAssert", "device-side assert triggered"},
    {kHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {kHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {kHardwareStackError, "cudaErrorHardwareStackError", "hardware stack error"},
    {kIllegalInstruction, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    {kMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {kInvalidAddressSpace, "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"},
    {kInvalidPc, "cudaErrorInvalidPc", "invalid program counter"},
    {kLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {kCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {kNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {kNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {kCaptureUnsupported, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {kCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {kCaptureMerge, "cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"},
    {kCaptureUnmatched, "cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"},
    {kCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {kCaptureIsolation, "cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"},
    {kCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {kCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {kGraphExecUpdateFailure, "cudaErrorGraphExecUpdateFailure",
     "the graph update was not performed because it included changes which violated constraints specific to "
     "instantiated graph update"},
    {kInvalidClusterSize, "cudaErrorInvalidClusterSize", "cluster misconfiguration"},
    {kUnknown, "cudaErrorUnknown", "unknown error"},
};
constexpr ErrorText kUnrecognised = {kUnknown, "unrecognized error code", "unrecognized error code"};

thread_local Result last = kSuccess;
std::atomic<int> sticky_code{kSuccess};

}  // namespace

const ErrorText& error_text(Result code) {
  const auto* found =
      std::find_if(std::begin(kErrors), std::end(kErrors), [&](const ErrorText& e) { return e.code == code; });
  return found == std::end(kErrors) ? kUnrecognised : *found;
}

Result remember(Result code) {
  if (code != kSuccess && !DriverCall::here()) last = code;
  return code;
}

Result last_error(bool clear) {
  const Result code = last;
  if (clear) last = kSuccess;
  return code;
}

void set_sticky(Result code) { sticky_code = code; }
Result sticky() { return static_cast<Result>(sticky_code.load()); }

void explain(const std::string& line) { logger("cuda")->error(line); }

Result unsupported(const char* function) {
  static std::mutex mutex;
  static std::set<std::string> told;
  std::scoped_lock lock(mutex);
  if (told.insert(function).second)
    explain(fmt::format("{} is not supported by this runtime; it returns {}", function,
                        DriverCall::here() ? "CUDA_ERROR_NOT_SUPPORTED" : "cudaErrorNotSupported"));
  return remember(kNotSupported);
}

}  // namespace sassim::cuda
