// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that copy boxes between pitched memory and arrays (cudaMemcpy3D) and fill boxes.
#include <cstring>

#include "sim/cuda/array.h"
#include "sim/cuda/copy.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

Result copy_box(const char* name, const Copy3D* box, Stream stream = {}) {
  return call(name, [&](Session& session) {
    if (box && (box->from_array || box->to_array)) {
      for (const void* array : {box->from_array, box->to_array})
        if (const Result known = array ? check_array(session, static_cast<const Array*>(array)) : kSuccess;
            known != kSuccess)
          return known;
      return submit(session, stream, array_box_work(session, *box));
    }
    if (!box || !box->from.pointer || !box->to.pointer) return kInvalidValue;
    return submit(session, stream, box_work(session, *box));
  });
}

Result fill_box(const char* name, const Pitched& to, int value, const Extent& extent, Stream stream = {}) {
  const CopyShape shape{.width = extent.width,
                        .height = extent.height,
                        .depth = extent.depth,
                        .to_pitch = to.pitch,
                        .to_slice = to.pitch * to.height};
  return call(name,
              [&](Session& session) { return submit(session, stream, fill_work(session, to.pointer, value, shape)); });
}

}  // namespace

SASSIM_CUDA Result cudaMemcpy3D(const Copy3D* box) { return copy_box(__func__, box); }
SASSIM_CUDA_PTDS(cudaMemcpy3D);
SASSIM_CUDA Result cudaMemcpy3DAsync(const Copy3D* box, Stream stream) { return copy_box(__func__, box, stream); }
SASSIM_CUDA_PTSZ(cudaMemcpy3DAsync);

SASSIM_CUDA Result cudaMemset3D(Pitched to, int value, Extent extent) { return fill_box(__func__, to, value, extent); }
SASSIM_CUDA_PTDS(cudaMemset3D);
SASSIM_CUDA Result cudaMemset3DAsync(Pitched to, int value, Extent extent, Stream stream) {
  return fill_box(__func__, to, value, extent, stream);
}
SASSIM_CUDA_PTSZ(cudaMemset3DAsync);

SASSIM_CUDA ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }

}  // namespace sassim::cuda
