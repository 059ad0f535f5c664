// SPDX-License-Identifier: Apache-2.0
// The driver's functions for arrays, textures and surfaces, which are the runtime's with other descriptions.
#include <algorithm>

#include "sim/cuda/array.h"
#include "sim/cuda/export.h"
#include "sim/driver/abi.h"
#include "sim/driver/call.h"
#include "sim/driver/pointers.h"

namespace sassim::cuda {

extern "C" {
Result cudaMalloc3DArray(Array**, const ChannelFormat*, Extent, unsigned);
Result cudaFreeArray(Array*);
Result cudaCreateTextureObject(std::uint64_t*, const TextureResource*, const TextureDescription*, const void*);
Result cudaDestroyTextureObject(std::uint64_t);
Result cudaCreateSurfaceObject(std::uint64_t*, const TextureResource*);
Result cudaDestroySurfaceObject(std::uint64_t);
}

namespace {

/// CUDA_ARRAY_DESCRIPTOR
struct ArrayDescription {
  std::size_t width, height;
  int format;
  unsigned channels;
};
/// CUDA_ARRAY3D_DESCRIPTOR
struct ArrayDescription3D {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
/// CUDA_RESOURCE_DESC
struct Resource {
  ResourceType type;
  union {
    Array* array;
    struct {
      DevicePointer pointer;
      int format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    struct {
      DevicePointer pointer;
      int format;
      unsigned channels;
      std::size_t width, height, pitch;
    } pitched;
    int reserved[32];
  } of;
  unsigned flags;
};
/// CUDA_TEXTURE_DESC
struct Texture {
  int addressing[3], filter;
  unsigned flags, anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_least, mipmap_most, border[4];
  int reserved[12];
};
static_assert(sizeof(Resource) == 144 && sizeof(Texture) == 104);

constexpr unsigned kReadAsInteger = 1, kNormalizedPlaces = 2, kSrgb = 0x10, kNoTrilinearOptimization = 0x20;

/// CUarray_format, and what it is for the runtime.
struct Format {
  int format, bits, kind;
};
constexpr Format kFormats[] = {{0x01, 8, 1},  {0x02, 16, 1}, {0x03, 32, 1}, {0x08, 8, 0},
                               {0x09, 16, 0}, {0x0a, 32, 0}, {0x10, 16, 2}, {0x20, 32, 2}};

/// False for a format that is not supported.
bool channels_of(int format, unsigned channels, ChannelFormat& out) {
  const auto* found =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& f) { return f.format == format; });
  if (found == std::end(kFormats) || (channels != 1 && channels != 2 && channels != 4)) return false;
  const auto bits = [&](unsigned channel) { return channel < channels ? found->bits : 0; };
  out = {bits(0), bits(1), bits(2), bits(3), found->kind};
  return true;
}
int format_of(const ChannelFormat& channels) {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const Format& f) { return f.bits == channels.x && f.kind == channels.kind; });
  return found == std::end(kFormats) ? 0 : found->format;
}
unsigned count_of(const ChannelFormat& channels) {
  return channels.w != 0 ? 4 : channels.z != 0 ? 3 : channels.y != 0 ? 2 : 1;
}

Result make_array(Array** array, const ArrayDescription3D& description) {
  ChannelFormat channels;
  if (!array || !channels_of(description.format, description.channels, channels)) return kInvalidValue;
  const Extent extent{description.width, description.height, description.depth};
  return as_driver(Needs::context, [&] { return cudaMalloc3DArray(array, &channels, extent, description.flags); });
}

/// Also says whether texels are integers of at most 16 bits.
Result resource_of(const Resource* resource, TextureResource& out, bool& small_integers) {
  if (!resource || resource->flags != 0) return kInvalidValue;
  out = {.type = resource->type, .of = {}};
  ChannelFormat channels{};
  switch (resource->type) {
    case kArrayResource:
      out.of.array = resource->of.array;
      if (resource->of.array) channels = resource->of.array->format;
      break;
    case kLinearResource:
      if (!channels_of(resource->of.linear.format, resource->of.linear.channels, channels)) return kInvalidValue;
      out.of.linear = {as_pointer(resource->of.linear.pointer), channels, resource->of.linear.bytes};
      break;
    case kPitchedResource:
      if (!channels_of(resource->of.pitched.format, resource->of.pitched.channels, channels)) return kInvalidValue;
      out.of.pitched = {as_pointer(resource->of.pitched.pointer), channels, resource->of.pitched.width,
                        resource->of.pitched.height, resource->of.pitched.pitch};
      break;
    default:
      return driver_lacks("mipmapped arrays");
  }
  small_integers = channels.kind != 2 && channels.x <= 16;
  return kSuccess;
}

Result known_array(const char* name, const Array* array, const std::function<Result()>& work) {
  return in_context(name, [&](Session& session) {
    if (!array || check_array(session, array) != kSuccess) return kInvalidResourceHandle;
    return work();
  });
}

}  // namespace

SASSIM_CUDA Result cuArray3DCreate_v2(Array** array, const ArrayDescription3D* description) {
  return description ? make_array(array, *description) : kInvalidValue;
}
SASSIM_CUDA Result cuArrayCreate_v2(Array** array, const ArrayDescription* description) {
  if (!description) return kInvalidValue;
  return make_array(array, {description->width, description->height, 0, description->format, description->channels, 0});
}
SASSIM_CUDA Result cuArray3DGetDescriptor_v2(ArrayDescription3D* description, const Array* array) {
  return known_array(__func__, array, [&] {
    if (!description) return kInvalidValue;
    *description = {array->extent.width,      array->extent.height,    array->extent.depth,
                    format_of(array->format), count_of(array->format), array->flags};
    return kSuccess;
  });
}
SASSIM_CUDA Result cuArrayGetDescriptor_v2(ArrayDescription* description, const Array* array) {
  return known_array(__func__, array, [&] {
    if (!description) return kInvalidValue;
    *description = {array->extent.width, array->extent.height, format_of(array->format), count_of(array->format)};
    return kSuccess;
  });
}
SASSIM_CUDA Result cuArrayDestroy(Array* array) {
  const Result known = known_array(__func__, array, [] { return kSuccess; });
  return known == kSuccess ? as_driver(Needs::context, [&] { return cudaFreeArray(array); }) : known;
}

SASSIM_CUDA Result cuTexObjectCreate(std::uint64_t* object, const Resource* resource, const Texture* texture,
                                     const void* view) {
  if (!object || !texture) return kInvalidValue;
  if (view) return driver_lacks("cuTexObjectCreate with a view of the resource");
  TextureResource from;
  bool small_integers = false;
  if (const Result result = resource_of(resource, from, small_integers); result != kSuccess) return result;
  TextureDescription how{};
  std::copy_n(texture->addressing, 3, how.addressing);
  how.filter = texture->filter;
  how.read_mode = small_integers && (texture->flags & kReadAsInteger) == 0 ? 1 : 0;
  how.srgb = (texture->flags & kSrgb) != 0 ? 1 : 0;
  std::copy_n(texture->border, 4, how.border);
  how.normalized = (texture->flags & kNormalizedPlaces) != 0 ? 1 : 0;
  how.anisotropy = texture->anisotropy;
  how.mipmap_filter = texture->mipmap_filter;
  how.mipmap_bias = texture->mipmap_bias;
  how.mipmap_least = texture->mipmap_least;
  how.mipmap_most = texture->mipmap_most;
  how.no_trilinear_optimization = (texture->flags & kNoTrilinearOptimization) != 0 ? 1 : 0;
  return as_driver(Needs::context, [&] { return cudaCreateTextureObject(object, &from, &how, nullptr); });
}
SASSIM_CUDA Result cuTexObjectDestroy(std::uint64_t object) {
  return as_driver(Needs::context, [&] { return cudaDestroyTextureObject(object); });
}
SASSIM_CUDA Result cuSurfObjectCreate(std::uint64_t* object, const Resource* resource) {
  TextureResource from;
  bool small_integers = false;
  if (!object) return kInvalidValue;
  if (const Result result = resource_of(resource, from, small_integers); result != kSuccess) return result;
  return as_driver(Needs::context, [&] { return cudaCreateSurfaceObject(object, &from); });
}
SASSIM_CUDA Result cuSurfObjectDestroy(std::uint64_t object) {
  return as_driver(Needs::context, [&] { return cudaDestroySurfaceObject(object); });
}

}  // namespace sassim::cuda
