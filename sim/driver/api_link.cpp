// SPDX-License-Identifier: Apache-2.0
// The driver's functions that link machine code and PTX while the program runs (cuLink*), by the toolkit's linker.
#include <algorithm>
#include <cstring>

#include "sim/base/input_file.h"
#include "sim/cuda/export.h"
#include "sim/driver/call.h"
#include "sim/driver/modules.h"
#include "sim/isa/link.h"

namespace sassim::cuda {
namespace {

/// CUjitInputType
enum InputType : int { kCubin = 0, kPtx = 1, kFatBinary = 2, kObject = 3, kLibrary = 4 };

/// CUjit_option of a buffer, whose size is the next option.
enum LogBuffer : int { kInfoLog = 3, kErrorLog = 5 };

/// The object behind a CUlinkState.
struct LinkState {
  std::vector<isa::LinkInput> inputs;
  std::vector<std::uint8_t> linked;
  char* error_log = nullptr;
  std::size_t error_bytes = 0;

  void read(unsigned count, const int* options, void** values) {
    for (unsigned i = 0; i < count; ++i) {
      if ((options[i] == kInfoLog || options[i] == kErrorLog) && values[i]) *static_cast<char*>(values[i]) = '\0';
      if (options[i] == kErrorLog) error_log = static_cast<char*>(values[i]);
      if (options[i] == kErrorLog + 1) error_bytes = reinterpret_cast<std::size_t>(values[i]);
    }
  }
  void say(const std::string& text) const {
    if (!error_log || error_bytes == 0) return;
    const std::size_t length = std::min(text.size(), error_bytes - 1);
    std::memcpy(error_log, text.data(), length);
    error_log[length] = '\0';
  }
};

Handles<LinkState>& states() {
  static Handles<LinkState> all;
  return all;
}

Result with_state(const char* function, LinkState* state, const std::function<Result(Session&)>& work) {
  return in_context(function, [&](Session& session) {
    if (!states().holds(state)) return kInvalidResourceHandle;
    try {
      return work(session);
    } catch (const NotSupported& error) {
      throw ApiError{kJitCompilerNotFound, error.what()};
    } catch (const Error& error) {
      state->say(error.what());
      throw ApiError{kInvalidKernelImage, error.what()};
    }
  });
}

Result add(Session& session, LinkState& state, int type, std::vector<std::uint8_t> bytes, const char* name) {
  using Kind = isa::LinkInput::Kind;
  constexpr Kind kKinds[] = {Kind::cubin, Kind::ptx, Kind::cubin, Kind::object, Kind::archive};
  if (type < kCubin || type > kLibrary)
    return type == kLibrary + 1 ? driver_lacks("cuLinkAddData of NVVM code") : kInvalidValue;
  if (type == kFatBinary) bytes = choose_cubin(bytes.data(), session.gpu().arch);
  state.inputs.push_back({kKinds[type], name && *name ? name : "link", std::move(bytes)});
  return kSuccess;
}

}  // namespace

SASSIM_CUDA Result cuLinkCreate_v2(unsigned count, const int* options, void** values, LinkState** state) {
  return in_context(__func__, [&](Session&) {
    if (!state || (count != 0 && (!options || !values))) return kInvalidValue;
    auto made = std::make_unique<LinkState>();
    made->read(count, options, values);
    *state = states().add(std::move(made));
    return kSuccess;
  });
}
SASSIM_CU_ALSO(cuLinkCreate_v2, cuLinkCreate);
SASSIM_CUDA Result cuLinkAddData_v2(LinkState* state, int type, const void* data, std::size_t bytes, const char* name,
                                    unsigned, const int*, void**) {
  return with_state(__func__, state, [&](Session& session) {
    if (!data || bytes == 0) return kInvalidValue;
    const auto* const begin = static_cast<const std::uint8_t*>(data);
    return add(session, *state, type, {begin, begin + bytes}, name);
  });
}
SASSIM_CU_ALSO(cuLinkAddData_v2, cuLinkAddData);
SASSIM_CUDA Result cuLinkAddFile_v2(LinkState* state, int type, const char* path, unsigned, const int*, void**) {
  return with_state(__func__, state, [&](Session& session) {
    if (!path) return kInvalidValue;
    const std::optional<std::string> content = read_whole_file(path);
    return content ? add(session, *state, type, {content->begin(), content->end()}, path) : kFileNotFound;
  });
}
SASSIM_CU_ALSO(cuLinkAddFile_v2, cuLinkAddFile);
/// The cubin lives as long as the state.
SASSIM_CUDA Result cuLinkComplete(LinkState* state, void** cubin, std::size_t* bytes) {
  return with_state(__func__, state, [&](Session& session) {
    if (!cubin) return kInvalidValue;
    state->linked = isa::link_code(state->inputs, session.gpu().arch);
    *cubin = state->linked.data();
    if (bytes) *bytes = state->linked.size();
    return kSuccess;
  });
}
SASSIM_CUDA Result cuLinkDestroy(LinkState* state) {
  return in_context(__func__, [&](Session&) { return states().erase(state) ? kSuccess : kInvalidResourceHandle; });
}

}  // namespace sassim::cuda
