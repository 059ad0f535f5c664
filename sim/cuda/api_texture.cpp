// SPDX-License-Identifier: Apache-2.0
// The runtime's functions for texture and surface objects, and for the older texture references.
#include <algorithm>

#include "sim/cuda/array.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

constexpr int kLinearFilter = 1, kNormalizedFloat = 1;

Result image_of_array(Session& session, const Array* array, emu::Texture& texture) {
  if (!array) return kInvalidResourceHandle;
  if (const Result known = check_array(session, array); known != kSuccess) return known;
  texture.image = array->image;
  texture.dimensions = array->dimensions;
  texture.layered = (array->flags & kArrayLayered) != 0;
  return kSuccess;
}

Result image_of_memory(Session& session, void* pointer, const ChannelFormat& channels, std::size_t width,
                       std::size_t height, std::size_t pitch, emu::Texture& texture) {
  const auto format = texel_format(channels);
  if (!format || width == 0) return kInvalidValue;
  emu::Image& image = texture.image;
  image.address = session.device_address(pointer);
  if (!session.memory().find(image.address)) return kInvalidValue;
  image.format = *format;
  image.width = static_cast<std::uint32_t>(width);
  image.height = static_cast<std::uint32_t>(height);
  image.pitch = pitch;
  texture.dimensions = pitch != 0 ? 2 : 1;
  return kSuccess;
}

Result image_of(Session& session, const TextureResource& resource, emu::Texture& texture) {
  switch (resource.type) {
    case kArrayResource:
      return image_of_array(session, static_cast<const Array*>(resource.of.array), texture);
    case kLinearResource: {
      const auto& memory = resource.of.linear;
      const auto format = texel_format(memory.format);
      return image_of_memory(session, memory.pointer, memory.format, format ? memory.bytes / format->bytes() : 0, 1, 0,
                             texture);
    }
    case kPitchedResource: {
      const auto& memory = resource.of.pitched;
      return image_of_memory(session, memory.pointer, memory.format, memory.width, memory.height, memory.pitch,
                             texture);
    }
    default:
      return unsupported("mipmapped arrays");
  }
}

Result read_as(const TextureDescription& how, emu::Texture& texture) {
  if (how.srgb != 0) return unsupported("sRGB textures");
  for (std::size_t i = 0; i < 3; ++i) {
    if (how.addressing[i] < 0 || how.addressing[i] > 3) return kInvalidValue;
    texture.addressing[i] = static_cast<emu::Addressing>(how.addressing[i]);
  }
  texture.linear_filter = how.filter == kLinearFilter;
  texture.normalized = how.normalized != 0;
  const bool whole = texture.image.format.kind != emu::TexelKind::floating;
  texture.to_float = whole && texture.image.format.bits < 32 && how.read_mode == kNormalizedFloat;
  if (texture.linear_filter && whole && !texture.to_float) return kInvalidValue;
  std::copy_n(how.border, 4, texture.border.begin());
  return kSuccess;
}

Result create(const char* name, std::uint64_t* object, const TextureResource* resource,
              const TextureDescription* description, const void* view) {
  return call(name, [&](Session& session) {
    if (!object || !resource) return kInvalidValue;
    if (view) return unsupported("views of textures");
    emu::Texture texture;
    if (const Result result = image_of(session, *resource, texture); result != kSuccess) return result;
    if (description)
      if (const Result result = read_as(*description, texture); result != kSuccess) return result;
    *object = session.textures().add(texture);
    return kSuccess;
  });
}

Result destroy(const char* name, std::uint64_t object) {
  return call(name, [&](Session& session) { return session.textures().remove(object) ? kSuccess : kInvalidValue; });
}

/// Binds memory to a texture reference: the program's variable says how the texture is read, the call says what is
/// read.
Result bind(const char* name, std::size_t* offset, const TextureReference* reference,
            const std::function<Result(Session&, emu::Texture&)>& image) {
  return call(name, [&](Session& session) {
    if (!reference) return kInvalidValue;
    if (offset) *offset = 0;
    const std::optional<RegisteredTexture> registered = session.find_texture(reference);
    if (!registered) return kInvalidValue;
    emu::Texture texture;
    if (const Result result = image(session, texture); result != kSuccess) return result;
    TextureDescription how{};
    how.filter = reference->filter;
    std::copy_n(reference->addressing, 3, how.addressing);
    how.read_mode = registered->normalized_float ? kNormalizedFloat : 0;
    how.srgb = reference->srgb;
    how.normalized = reference->normalized;
    if (const Result result = read_as(how, texture); result != kSuccess) return result;
    session.textures().replace(registered->handle, texture);
    return kSuccess;
  });
}

}  // namespace

SASSIM_CUDA Result cudaCreateTextureObject(std::uint64_t* object, const TextureResource* resource,
                                           const TextureDescription* description, const void* view) {
  if (!description) return remember(kInvalidValue);
  return create(__func__, object, resource, description, view);
}
SASSIM_CUDA Result cudaCreateTextureObject_v2(std::uint64_t* object, const TextureResource* resource,
                                              const TextureDescription* description, const void* view) {
  if (!description) return remember(kInvalidValue);
  return create(__func__, object, resource, description, view);
}
SASSIM_CUDA Result cudaDestroyTextureObject(std::uint64_t object) { return destroy(__func__, object); }
SASSIM_CUDA Result cudaCreateSurfaceObject(std::uint64_t* object, const TextureResource* resource) {
  if (resource && resource->type != kArrayResource) return remember(kInvalidValue);
  return create(__func__, object, resource, nullptr, nullptr);
}
SASSIM_CUDA Result cudaDestroySurfaceObject(std::uint64_t object) { return destroy(__func__, object); }

SASSIM_CUDA Result cudaBindTexture(std::size_t* offset, const TextureReference* reference, const void* pointer,
                                   const ChannelFormat* format, std::size_t bytes) {
  if (!format) return remember(kInvalidValue);
  return bind(__func__, offset, reference, [&](Session& session, emu::Texture& texture) {
    void* const start = const_cast<void*>(pointer);
    const std::uint64_t address = session.device_address(pointer);
    const emu::Allocation* memory = session.memory().find(address);
    const auto texel = texel_format(*format);
    if (!memory || !texel) return kInvalidValue;
    const std::uint64_t left = memory->address + memory->bytes - address;
    return image_of_memory(session, start, *format, std::min<std::uint64_t>(bytes, left) / texel->bytes(), 1, 0,
                           texture);
  });
}
SASSIM_CUDA Result cudaBindTexture2D(std::size_t* offset, const TextureReference* reference, const void* pointer,
                                     const ChannelFormat* format, std::size_t width, std::size_t height,
                                     std::size_t pitch) {
  if (!format) return remember(kInvalidValue);
  return bind(__func__, offset, reference, [&](Session& session, emu::Texture& texture) {
    return image_of_memory(session, const_cast<void*>(pointer), *format, width, height, pitch, texture);
  });
}
SASSIM_CUDA Result cudaBindTextureToArray(const TextureReference* reference, const Array* array, const ChannelFormat*) {
  return bind(__func__, nullptr, reference,
              [&](Session& session, emu::Texture& texture) { return image_of_array(session, array, texture); });
}
SASSIM_CUDA Result cudaUnbindTexture(const TextureReference*) { return kSuccess; }
SASSIM_CUDA Result cudaGetTextureAlignmentOffset(std::size_t* offset, const TextureReference*) {
  if (!offset) return remember(kInvalidValue);
  *offset = 0;
  return kSuccess;
}

/// `name` is the variable's name in device code; the parameter after it is its C++ name.
SASSIM_CUDA void __cudaRegisterTexture(void** binary, const TextureReference* reference, const void** name, const char*,
                                       int, int normalized_float, int) {
  call(__func__, [&](Session& session) {
    session.add_texture(reference, reinterpret_cast<RegisteredBinary*>(binary), reinterpret_cast<const char*>(name),
                        normalized_float != 0);
    return kSuccess;
  });
}

}  // namespace sassim::cuda
