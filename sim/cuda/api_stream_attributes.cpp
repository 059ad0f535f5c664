// SPDX-License-Identifier: Apache-2.0
// The runtime's functions for attributes of streams. Attributes are kept and given back; what they ask of caches and of
// the host's way of waiting changes nothing in the model.
#include <array>
#include <cstring>
#include <map>

#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

/// cudaLaunchAttributeID: those that streams have.
constexpr int kAccessPolicyWindow = 1, kSynchronizationPolicy = 3, kPriority = 8, kMemorySyncDomainMap = 9,
              kMemorySyncDomain = 10;

/// cudaStreamAttrValue: as many of its bytes as CUDA 11 and CUDA 12 have in common.
using Attribute = std::array<std::byte, 32>;

/// By cudaLaunchAttributeID, for each stream's number, which no later stream gets.
std::map<int, Attribute>& attributes(const StreamState& stream) {
  static std::map<std::uint64_t, std::map<int, Attribute>> all;
  return all[stream.number];
}

bool known(int attribute) {
  return attribute == kAccessPolicyWindow || attribute == kSynchronizationPolicy || attribute == kPriority ||
         attribute == kMemorySyncDomainMap || attribute == kMemorySyncDomain;
}

Result with_stream(const char* name, Stream stream, const std::function<Result(StreamState&)>& work) {
  return call(name, [&](Session& session) {
    StreamState* state = session.find(stream);
    return state ? work(*state) : kInvalidResourceHandle;
  });
}

}  // namespace

SASSIM_CUDA Result cudaStreamSetAttribute(Stream stream, int attribute, const Attribute* value) {
  return with_stream(__func__, stream, [&](StreamState& state) {
    if (!value || !known(attribute)) return kInvalidValue;
    if (attribute == kPriority)
      std::memcpy(&state.priority, value->data(), sizeof state.priority);
    else
      attributes(state)[attribute] = *value;
    return kSuccess;
  });
}
SASSIM_CUDA_PTSZ(cudaStreamSetAttribute);
SASSIM_CUDA Result cudaStreamGetAttribute(Stream stream, int attribute, Attribute* value) {
  return with_stream(__func__, stream, [&](const StreamState& state) {
    if (!value || !known(attribute)) return kInvalidValue;
    const auto found = attributes(state).find(attribute);
    *value = found == attributes(state).end() ? Attribute{} : found->second;
    if (attribute == kPriority) std::memcpy(value->data(), &state.priority, sizeof state.priority);
    return kSuccess;
  });
}
SASSIM_CUDA_PTSZ(cudaStreamGetAttribute);
SASSIM_CUDA Result cudaStreamCopyAttributes(Stream to, Stream from) {
  return with_stream(__func__, to, [&](StreamState& target) {
    const StreamState* source = Session::get().find(from);
    if (!source) return kInvalidResourceHandle;
    attributes(target) = attributes(*source);
    return kSuccess;
  });
}
SASSIM_CUDA_PTSZ(cudaStreamCopyAttributes);
SASSIM_CUDA Result cudaCtxResetPersistingL2Cache() {
  return call(__func__, [](Session&) { return kSuccess; });
}

/// Managed memory is where both host and device reach it at any time, whatever stream it is attached to.
SASSIM_CUDA Result cudaStreamAttachMemAsync(Stream stream, void* pointer, std::size_t, unsigned flags) {
  constexpr unsigned kGlobal = 1, kHost = 2, kSingle = 4;
  return call(__func__, [&](Session& session) {
    if (!session.find(stream)) return kInvalidResourceHandle;
    if (flags != kGlobal && flags != kHost && flags != kSingle) return kInvalidValue;
    return session.memory().find(session.device_address(pointer)) ? kSuccess : kInvalidValue;
  });
}
SASSIM_CUDA_PTSZ(cudaStreamAttachMemAsync);

}  // namespace sassim::cuda
