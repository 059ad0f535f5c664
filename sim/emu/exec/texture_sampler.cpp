// SPDX-License-Identifier: Apache-2.0
// Reads and filters texels for the emulator's texture instructions: levels of detail, cubes, gathers, sRGB.
#include "sim/emu/exec/texture_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "sim/emu/exec/half.h"

namespace sassim::emu {
namespace {

constexpr std::int64_t kWhole = 256;  // filter weights have eight bits

struct Texel {
  std::array<std::uint32_t, 4> channels{0, 0, 0, 0};
};

double value_of_texel(std::uint32_t raw, const TexelFormat& format) {
  if (format.kind == TexelKind::unsigned_integer) return raw / (std::exp2(format.bits) - 1);
  const double value = static_cast<std::int32_t>(raw << (32 - format.bits)) >> (32 - format.bits);
  return std::max(value / (std::exp2(format.bits - 1) - 1), -1.0);
}

/// The transfer function of sRGB (IEC 61966-2-1), rounded to eight significant bits and to multiples of 2^-14: so 242
/// of 256 values are those of an H200, and the others are the next ones to them.
float linear_of_srgb(double value) {
  const double linear = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  const double step = std::exp2(std::max(std::floor(std::log2(std::max(linear, 1e-9))) - 7, -14.0));
  return static_cast<float>(std::floor(linear / step + 0.5) * step);
}

std::uint32_t converted(std::uint32_t raw, const Texture& texture, std::size_t channel) {
  const TexelFormat& format = texture.image.format;
  if (texture.srgb && channel < 3) return std::bit_cast<std::uint32_t>(linear_of_srgb(value_of_texel(raw, format)));
  if (format.kind == TexelKind::floating)
    return format.bits == 16 ? std::bit_cast<std::uint32_t>(half_to_float(static_cast<std::uint16_t>(raw))) : raw;
  if (texture.to_float) return std::bit_cast<std::uint32_t>(static_cast<float>(value_of_texel(raw, format)));
  if (format.kind == TexelKind::unsigned_integer || format.bits == 32) return raw;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(raw << (32 - format.bits)) >> (32 - format.bits));
}

Texel decode(const Texture& texture, const std::byte* from) {
  Texel result;
  const TexelFormat& format = texture.image.format;
  for (std::size_t i = 0; i < format.channels; ++i) {
    std::uint32_t raw = 0;
    std::memcpy(&raw, from + i * format.bits / 8, format.bits / 8);
    result.channels[i] = converted(raw, texture, i);
  }
  const bool numbers = format.kind == TexelKind::floating || texture.to_float;
  if (format.channels < 4) result.channels[3] = numbers ? std::bit_cast<std::uint32_t>(1.0f) : 1;
  return result;
}

/// The index of a texel in a dimension of `size`; -1 if the border colour applies.
std::int64_t place(std::int64_t index, std::uint32_t size, Addressing mode) {
  const std::int64_t n = size;
  switch (mode) {
    case Addressing::clamp:
      return std::clamp<std::int64_t>(index, 0, n - 1);
    case Addressing::wrap:
      return (index % n + n) % n;
    case Addressing::mirror: {
      const std::int64_t turn = (index % (2 * n) + 2 * n) % (2 * n);
      return turn < n ? turn : 2 * n - 1 - turn;
    }
    case Addressing::border:
      break;
  }
  return index >= 0 && index < n ? index : -1;
}

/// In one dimension: the two texels that a filter blends, and the weight of the second.
struct Taps {
  std::int64_t first = 0, second = 0;
  std::int64_t weight = 0;
};

/// The addressing mode that holds: wrapping needs normalised coordinates, and the faces of a cube end at their edges.
Addressing addressing(const Texture& texture, std::size_t dimension, bool cube) {
  const Addressing mode = texture.addressing[dimension];
  const bool wraps = mode == Addressing::wrap || mode == Addressing::mirror;
  return cube || (!texture.normalized && wraps) ? Addressing::clamp : mode;
}

/// `blended`: the two texels around the coordinate, also if the texture is read without a filter.
Taps taps(const Texture& texture, std::size_t dimension, std::uint32_t size, const TexturePlace& where, bool blended) {
  const Addressing mode = addressing(texture, dimension, where.cube);
  const float coordinate = where.at[dimension];
  double x = std::isnan(coordinate) ? 0.0 : std::clamp<double>(coordinate, -1e9, 1e9);
  if (texture.normalized) x *= size;
  if (!blended) {
    const std::int64_t at = place(static_cast<std::int64_t>(std::floor(x)), size, mode);
    return {at, at, 0};
  }
  const auto fixed = static_cast<std::int64_t>(std::floor((x - 0.5) * kWhole + 0.5));
  const std::int64_t index = fixed >> 8;
  const std::int64_t first = place(index, size, mode), second = place(index + 1, size, mode);
  return {first, second, first == second ? 0 : fixed & (kWhole - 1)};
}

/// The product of two 256ths, rounded to the nearest one; ties away from zero, or towards it.
std::int64_t part(std::int64_t a, std::int64_t b) { return (a * b + kWhole / 2) / kWhole; }
std::int64_t part_down(std::int64_t a, std::int64_t b) { return (a * b + kWhole / 2 - 1) / kWhole; }

/// The weights of the taps, x first, which add up to `share`. A product is rounded, and the rest of its factor goes to
/// the other tap. An H200 does the same.
std::array<std::int64_t, 8> weights_of(std::int64_t share, std::int64_t x, std::int64_t y, std::int64_t z) {
  std::array<std::int64_t, 8> weights{};
  const std::int64_t behind = part(share, z);
  for (const std::size_t slice : {std::size_t{0}, std::size_t{4}}) {
    const std::int64_t all = slice == 0 ? share - behind : behind;
    const std::int64_t right = part(all, x), left = all - right;
    weights[slice + 3] = part(right, y);
    weights[slice + 2] = part_down(left, y);
    weights[slice + 1] = right - weights[slice + 3];
    weights[slice] = left - weights[slice + 2];
  }
  return weights;
}

/// Unsigned integers that are read as numbers from 0 to 1 are blended in steps of 1/65535.
constexpr double kSteps = 65535;
bool in_steps(const Texture& texture) {
  return texture.to_float && !texture.srgb && texture.image.format.kind == TexelKind::unsigned_integer;
}

/// Rounds to the nearest float, ties away from zero; sRGB, which is not negative, to the precision of a half.
float rounded(double sum, const Texture& texture, std::size_t channel) {
  if (in_steps(texture)) return static_cast<float>(std::floor(sum + 0.5) / kSteps);
  if (texture.srgb && channel < 3 && sum > 0) {
    const double step = std::exp2(std::max(std::floor(std::log2(sum)), -14.0) - 10);
    return static_cast<float>(std::floor(sum / step + 0.5) * step);
  }
  const auto nearest = static_cast<float>(sum);
  const float away = std::nextafter(nearest, sum > nearest ? INFINITY : -INFINITY);
  const bool tie = sum - nearest == (static_cast<double>(away) - nearest) / 2 && sum != nearest;
  return tie && std::fabs(away) > std::fabs(nearest) ? away : nearest;
}

Texel texel(const DeviceMemory& memory, const Texture& texture, const Image& image,
            const std::array<std::int64_t, 3>& at, Sample& sample) {
  if (std::min({at[0], at[1], at[2]}) < 0) {
    Texel border;
    const bool numbers = image.format.kind == TexelKind::floating || texture.to_float;
    for (std::size_t i = 0; i < 4; ++i)
      border.channels[i] = numbers ? std::bit_cast<std::uint32_t>(texture.border[i])
                                   : static_cast<std::uint32_t>(static_cast<std::int64_t>(texture.border[i]));
    return border;
  }
  const std::uint32_t bytes = image.format.bytes();
  const std::uint64_t address = image.place(static_cast<std::uint64_t>(at[0]) * bytes,
                                            static_cast<std::uint64_t>(at[1]), static_cast<std::uint64_t>(at[2]));
  const std::byte* from = memory.host(address, bytes);
  if (from) return decode(texture, from);
  sample.readable = false;
  sample.touched = address;
  return {};
}

/// The texels around a place of one level.
struct Footprint {
  Taps x, y, z;
  std::uint64_t touched = 0;
};

Footprint footprint(const Texture& texture, const Image& image, const TexturePlace& place, bool blended) {
  Footprint found;
  Taps &x = found.x, &y = found.y, &z = found.z;
  x = taps(texture, 0, image.width, place, blended);
  if (texture.dimensions > 1) y = taps(texture, 1, image.height, place, blended);
  if (texture.dimensions > 2) z = taps(texture, 2, image.depth, place, blended);
  if (texture.layered || place.cube) z.first = z.second = std::min(place.layer, image.depth - 1);
  const auto inside = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(a < 0 ? b : a, 0));
  };
  const std::uint64_t column = (place.corner & 2) != 0 ? inside(x.second, x.first) : inside(x.first, x.second);
  const std::uint64_t row = (place.corner & 1) != 0 ? inside(y.second, y.first) : inside(y.first, y.second);
  found.touched = image.place(column * image.format.bytes(), row, inside(z.first, z.second));
  return found;
}

Sample nearest_texel(const DeviceMemory& memory, const Texture& texture, const Image& image,
                     const TexturePlace& place) {
  const auto [x, y, z, touched] = footprint(texture, image, place, false);
  Sample result;
  result.touched = touched;
  result.channels = texel(memory, texture, image, {x.first, y.first, z.first}, result).channels;
  return result;
}

/// Adds what a level contributes, `share` of kWhole, to the sums of the channels.
void blend_level(const DeviceMemory& memory, const Texture& texture, const Image& image, const TexturePlace& place,
                 std::int64_t share, std::array<double, 4>& sums, Sample& result) {
  const auto [x, y, z, touched] = footprint(texture, image, place, texture.linear_filter);
  if (result.readable) result.touched = touched;
  const std::array<std::int64_t, 8> weights = weights_of(share, x.weight, y.weight, z.weight);
  for (std::size_t tap = 0; tap < 8; ++tap) {
    if (weights[tap] == 0) continue;
    const Texel one = texel(
        memory, texture, image,
        {(tap & 1) != 0 ? x.second : x.first, (tap & 2) != 0 ? y.second : y.first, (tap & 4) != 0 ? z.second : z.first},
        result);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto value = static_cast<double>(std::bit_cast<float>(one.channels[i]));
      sums[i] += static_cast<double>(weights[tap]) / kWhole * (in_steps(texture) ? std::round(value * kSteps) : value);
    }
  }
}

/// Where a direction meets a face of the cube: the programming guide's table of faces. The face is a slice.
TexturePlace on_face(const TexturePlace& place) {
  const auto [x, y, z] = place.at;
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  std::uint32_t face = 0;
  float s = 0, t = 0, longest = 1;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1, longest = ax, s = x >= 0 ? -z : z, t = -y;
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3, longest = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = z >= 0 ? 4 : 5, longest = az, s = z >= 0 ? x : -x, t = -y;
  }
  TexturePlace found = place;
  found.at = {(s / longest + 1) / 2, (t / longest + 1) / 2, 0};
  found.layer = place.layer * 6 + face;
  return found;
}

/// The level of detail after bias and limits: whole levels and their 256th parts. Each value is rounded down.
std::int64_t limited_level(const Texture& texture, float level) {
  const auto parts = [](float value) {
    return static_cast<std::int64_t>(std::floor(std::clamp(value, -1e4f, 1e4f) * static_cast<float>(kWhole)));
  };
  const std::int64_t wanted = (std::isnan(level) ? 0 : parts(level)) + parts(texture.level_bias);
  const std::int64_t least = parts(texture.least_level), most = std::max(least, parts(texture.most_level));
  const auto last = static_cast<std::int64_t>(texture.smaller.size()) * kWhole;
  return std::clamp<std::int64_t>(std::clamp(wanted, least, most), 0, last);
}

/// One or two levels, and how much of the second one.
struct Levels {
  const Image* first;
  const Image* second = nullptr;
  std::int64_t part = 0;
};
Levels levels_at(const Texture& texture, float wanted) {
  const auto image = [&](std::int64_t level) {
    return level == 0 ? &texture.image : &texture.smaller[static_cast<std::size_t>(level - 1)];
  };
  if (texture.smaller.empty()) return {image(0)};
  const std::int64_t level = limited_level(texture, wanted), part = level % kWhole;
  if (!texture.linear_between_levels) return {image((level + kWhole / 2) / kWhole)};
  if (part == 0) return {image(level / kWhole)};
  return {image(level / kWhole), image(level / kWhole + 1), part};
}

}  // namespace

Sample sample(const DeviceMemory& memory, const Texture& texture, const TexturePlace& place) {
  const TexturePlace flat = place.cube ? on_face(place) : place;
  const Levels levels = levels_at(texture, place.level);
  if (!texture.linear_filter && !levels.second) return nearest_texel(memory, texture, *levels.first, flat);
  Sample result;
  std::array<double, 4> sums{};
  if (levels.second) blend_level(memory, texture, *levels.second, flat, levels.part, sums, result);
  blend_level(memory, texture, *levels.first, flat, kWhole - levels.part, sums, result);
  for (std::size_t i = 0; i < 4; ++i) result.channels[i] = std::bit_cast<std::uint32_t>(rounded(sums[i], texture, i));
  return result;
}

Sample gather(const DeviceMemory& memory, const Texture& texture, const TexturePlace& place, unsigned channel) {
  const TexturePlace flat = place.cube ? on_face(place) : place;
  const auto [x, y, z, touched] = footprint(texture, texture.image, flat, true);
  Sample result;
  result.touched = touched;
  const std::int64_t columns[] = {x.first, x.second, x.second, x.first};
  const std::int64_t rows[] = {y.second, y.second, y.first, y.first};
  for (std::size_t i = 0; i < 4; ++i)
    result.channels[i] =
        texel(memory, texture, texture.image, {columns[i], rows[i], z.first}, result).channels[channel & 3];
  return result;
}

Sample fetch(const DeviceMemory& memory, const Texture& texture, const std::array<std::int32_t, 3>& at,
             std::uint32_t layer) {
  const Image& image = texture.image;
  std::array<std::int64_t, 3> texel_at{at[0], at[1], at[2]};
  const std::uint32_t sizes[] = {image.width, image.height, image.depth};
  const std::size_t dimensions = texture.dimensions;
  bool outside = false;
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (image.tiled) texel_at[i] = place(texel_at[i], sizes[i], addressing(texture, i, false));
    outside = outside || texel_at[i] < 0 || texel_at[i] >= sizes[i];
  }
  if (texture.layered) texel_at[2] = std::min(layer, image.depth - 1);
  Sample result;
  result.touched = image.place(outside ? 0 : static_cast<std::uint64_t>(texel_at[0]) * image.format.bytes(),
                               outside ? 0 : static_cast<std::uint64_t>(texel_at[1]),
                               outside ? 0 : static_cast<std::uint64_t>(texel_at[2]));
  if (outside && !image.tiled) return result;
  result.channels = texel(memory, texture, image, texel_at, result).channels;
  return result;
}

/// A vector's length is the longer part and 11/32 of the shorter one, and the logarithm is rounded up to a 256th part:
/// so an H200 does it for vectors along the axes exactly, and for others within a 256th part.
float level_of(const Texture& texture, const std::array<float, 6>& derivatives) {
  const float sizes[] = {static_cast<float>(texture.image.width), static_cast<float>(texture.image.height)};
  double longest = 0;
  for (std::size_t along = 0; along < 2; ++along) {
    std::array<double, 2> parts{};
    for (std::size_t i = 0; i < std::min<std::size_t>(texture.dimensions, 2); ++i)
      parts[i] = std::fabs(derivatives[2 * i + along]) * (texture.normalized ? sizes[i] : 1.0f);
    const auto [shorter, longer] = std::minmax(parts[0], parts[1]);
    longest = std::max(longest, longer + shorter * 11 / 32);
  }
  return static_cast<float>(std::ceil(std::log2(longest) * kWhole) / kWhole);
}

}  // namespace sassim::emu
