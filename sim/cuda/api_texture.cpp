// SPDX-License-Identifier: Apache-2.0
// The runtime's functions for texture and surface objects, and for the older texture references.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "sim/cuda/array.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"
#include "sim/isa/architecture.h"

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

Result image_of_levels(Session& session, const MipmappedArray* array, emu::Texture& texture) {
  if (!session.mipmapped_arrays().holds(array)) return kInvalidResourceHandle;
  const Result result = image_of_array(session, array->levels.front().get(), texture);
  for (std::size_t level = 1; level < array->levels.size(); ++level)
    texture.smaller.push_back(array->levels[level]->image);
  return result;
}

Result image_of_memory(Session& session, void* pointer, const ChannelFormat& channels, std::size_t width,
                       std::size_t height, std::size_t pitch, emu::Texture& texture) {
  const auto format = texel_format(channels);
  if (!format || width == 0) return kInvalidValue;
  emu::Image& image = texture.image;
  image.address = session.device_address(pointer);
  if (!session.memory_with(pointer).find(image.address)) return kInvalidValue;
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
    case kMipmappedResource:
      return image_of_levels(session, static_cast<const MipmappedArray*>(resource.of.array), texture);
    default:
      return kInvalidValue;
  }
}

Result read_as(const TextureDescription& how, emu::Texture& texture) {
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
  texture.srgb = how.srgb != 0 && texture.to_float && texture.image.format.bits == 8;
  texture.linear_between_levels = how.mipmap_filter == kLinearFilter && (!whole || texture.to_float);
  texture.level_bias = how.mipmap_bias;
  texture.least_level = how.mipmap_least, texture.most_level = how.mipmap_most;
  return kSuccess;
}

constexpr int kLastPlainView = 24;
/// cudaResourceViewFormat: one, two and four channels of each kind, in this order.
std::optional<emu::TexelFormat> view_format(int format) {
  using enum emu::TexelKind;
  constexpr struct {
    std::uint8_t bits;
    emu::TexelKind kind;
  } kKinds[] = {{8, unsigned_integer},  {8, signed_integer},  {16, unsigned_integer}, {16, signed_integer},
                {32, unsigned_integer}, {32, signed_integer}, {16, floating},         {32, floating}};
  constexpr std::uint8_t kChannels[] = {1, 2, 4};
  if (format < 1 || format > kLastPlainView) return std::nullopt;
  const auto& kind = kKinds[(format - 1) / 3];
  return emu::TexelFormat{.channels = kChannels[(format - 1) % 3], .bits = kind.bits, .kind = kind.kind};
}

/// Of an array's texture: other texels of the same size, some of its levels, some of its layers. The sizes are those of
/// the whole array, as an H200 wants them.
Result apply_view(const ResourceView& view, const Extent& extent, emu::Texture& texture) {
  if (view.format > kLastPlainView) return unsupported("views of textures in a compressed format");
  if (view.width != extent.width || view.height != extent.height || view.depth != extent.depth) return kInvalidValue;
  if (view.last_level < view.first_level || view.last_level > texture.smaller.size()) return kInvalidValue;
  if (view.last_layer < view.first_layer || view.last_layer >= (texture.layered ? texture.image.depth : 1))
    return kInvalidValue;
  std::vector<emu::Image> levels{texture.image};
  levels.insert(levels.end(), texture.smaller.begin(), texture.smaller.end());
  levels = {levels.begin() + view.first_level, levels.begin() + view.last_level + 1};
  const auto format = view_format(view.format);
  for (emu::Image& image : levels) {
    if (format && format->bytes() != image.format.bytes()) return kInvalidValue;
    if (format) image.format = *format;
    if (!texture.layered) continue;
    image.address += view.first_layer * image.slice_bytes();
    image.depth = view.last_layer - view.first_layer + 1;
  }
  texture.image = levels.front();
  texture.smaller.assign(levels.begin() + 1, levels.end());
  return kSuccess;
}

/// Of an array or of the largest level of one.
Extent extent_of(const TextureResource& resource) {
  if (resource.type == kArrayResource) return static_cast<const Array*>(resource.of.array)->extent;
  return static_cast<const MipmappedArray*>(resource.of.array)->levels.front()->extent;
}

/// What the program has said of each object, for the functions that ask for it.
struct Described {
  TextureResource resource;
  TextureDescription texture;
  ResourceView view;
  emu::SurfaceDescriptor surface{};  ///< of a Kepler GPU: what the object points to
  unsigned device = 0;
};
std::map<std::uint64_t, Described>& described() {
  static std::map<std::uint64_t, Described> all;
  return all;
}

/// A surface object of a Kepler GPU is the address of a descriptor, any other object a number.
constexpr std::uint64_t kDescriptorBytes = sizeof(emu::SurfaceDescriptor);
std::uint64_t number_of(std::uint64_t object) {
  const std::uint64_t begin = emu::kSurfaceDescriptors;
  return object < begin ? object : object % kDescriptorBytes != 0 ? 0 : (object - begin) / kDescriptorBytes;
}

template <class T>
Result give(const char* name, T* to, std::uint64_t object, T Described::*which) {
  return call(name, [&](Session& session) {
    const auto found = described().find(number_of(object));
    if (!to || !session.textures().find(number_of(object)) || found == described().end()) return kInvalidValue;
    *to = found->second.*which;
    return kSuccess;
  });
}

Result create(const char* name, std::uint64_t* object, const TextureResource* resource,
              const TextureDescription* description, const ResourceView* view) {
  return call(name, [&](Session& session) {
    if (!object || !resource) return kInvalidValue;
    const bool of_array = resource->type == kArrayResource || resource->type == kMipmappedResource;
    if (view && !of_array) return kInvalidValue;
    emu::Texture texture;
    if (const Result result = image_of(session, *resource, texture); result != kSuccess) return result;
    if (view) {
      const Extent extent = extent_of(*resource);
      if (const Result result = apply_view(*view, extent, texture); result != kSuccess) return result;
    }
    if (description)
      if (const Result result = read_as(*description, texture); result != kSuccess) return result;
    *object = session.textures().add(texture);
    described()[*object] = {*resource, description ? *description : TextureDescription{},
                            view ? *view : ResourceView{}};
    return kSuccess;
  });
}

/// No object, 0, may be destroyed: NVIDIA's sample volumeFiltering does so, and ends well on a GPU.
Result destroy(const char* name, std::uint64_t object) {
  return call(name, [&](Session& session) {
    if (object == 0) return kSuccess;
    const std::uint64_t number = number_of(object);
    if (const auto found = described().find(number); found != described().end()) {
      if (number != object) session.device(static_cast<int>(found->second.device)).memory.unmap_driver(object);
      described().erase(found);
    }
    return session.textures().remove(number) ? kSuccess : kInvalidValue;
  });
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
    how.mipmap_filter = reference->mipmap_filter;
    how.mipmap_bias = reference->mipmap_bias;
    how.mipmap_least = reference->mipmap_least, how.mipmap_most = reference->mipmap_most;
    if (const Result result = read_as(how, texture); result != kSuccess) return result;
    session.textures().replace(registered->handle, texture);
    return kSuccess;
  });
}

}  // namespace

SASSIM_CUDA Result cudaCreateTextureObject(std::uint64_t* object, const TextureResource* resource,
                                           const TextureDescription* description, const ResourceView* view) {
  if (!description) return remember(kInvalidValue);
  return create(__func__, object, resource, description, view);
}
SASSIM_CUDA Result cudaCreateTextureObject_v2(std::uint64_t* object, const TextureResource* resource,
                                              const TextureDescription* description, const ResourceView* view) {
  if (!description) return remember(kInvalidValue);
  return create(__func__, object, resource, description, view);
}
SASSIM_CUDA Result cudaDestroyTextureObject(std::uint64_t object) { return destroy(__func__, object); }
SASSIM_CUDA Result cudaCreateSurfaceObject(std::uint64_t* object, const TextureResource* resource) {
  if (resource && resource->type != kArrayResource) return remember(kInvalidValue);
  if (const Result result = create(__func__, object, resource, nullptr, nullptr); result != kSuccess) return result;
  return call(__func__, [&](Session& session) {
    if (!isa::architecture(session.gpu().arch).surface_descriptors) return kSuccess;
    Described& made = described().at(*object);
    const auto& array = *static_cast<const Array*>(resource->of.array);
    made.surface = emu::surface_descriptor(array.image, (array.flags & (kArrayLayered | kArrayCube)) != 0);
    made.device = session.device().ordinal;
    *object = emu::kSurfaceDescriptors + *object * kDescriptorBytes;
    session.memory().map_driver(*object, reinterpret_cast<std::byte*>(made.surface.data()), kDescriptorBytes);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaDestroySurfaceObject(std::uint64_t object) { return destroy(__func__, object); }

SASSIM_CUDA Result cudaGetTextureObjectResourceDesc(TextureResource* to, std::uint64_t object) {
  return give(__func__, to, object, &Described::resource);
}
SASSIM_CUDA Result cudaGetSurfaceObjectResourceDesc(TextureResource* to, std::uint64_t object) {
  return give(__func__, to, object, &Described::resource);
}
SASSIM_CUDA Result cudaGetTextureObjectTextureDesc(TextureDescription* to, std::uint64_t object) {
  return give(__func__, to, object, &Described::texture);
}
SASSIM_CUDA Result cudaGetTextureObjectResourceViewDesc(ResourceView* to, std::uint64_t object) {
  return give(__func__, to, object, &Described::view);
}

SASSIM_CUDA Result cudaBindTexture(std::size_t* offset, const TextureReference* reference, const void* pointer,
                                   const ChannelFormat* format, std::size_t bytes) {
  if (!format) return remember(kInvalidValue);
  return bind(__func__, offset, reference, [&](Session& session, emu::Texture& texture) {
    void* const start = const_cast<void*>(pointer);
    const std::uint64_t address = session.device_address(pointer);
    const emu::Allocation* memory = session.memory_with(pointer).find(address);
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
SASSIM_CUDA Result cudaBindTextureToMipmappedArray(const TextureReference* reference, const MipmappedArray* array,
                                                   const ChannelFormat*) {
  return bind(__func__, nullptr, reference,
              [&](Session& session, emu::Texture& texture) { return image_of_levels(session, array, texture); });
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
