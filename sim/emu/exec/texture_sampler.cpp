// SPDX-License-Identifier: Apache-2.0
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

std::uint32_t converted(std::uint32_t raw, const Texture& texture) {
  const TexelFormat& format = texture.image.format;
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
    result.channels[i] = converted(raw, texture);
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

Taps taps(const Texture& texture, std::size_t dimension, std::uint32_t size, float coordinate) {
  Addressing mode = texture.addressing[dimension];
  if (!texture.normalized && (mode == Addressing::wrap || mode == Addressing::mirror)) mode = Addressing::clamp;
  double x = std::isnan(coordinate) ? 0.0 : std::clamp<double>(coordinate, -1e9, 1e9);
  if (texture.normalized) x *= size;
  if (!texture.linear_filter) {
    const std::int64_t at = place(static_cast<std::int64_t>(std::floor(x)), size, mode);
    return {at, at, 0};
  }
  const auto fixed = static_cast<std::int64_t>(std::floor((x - 0.5) * kWhole + 0.5));
  const std::int64_t index = fixed >> 8;
  return {place(index, size, mode), place(index + 1, size, mode), fixed & (kWhole - 1)};
}

/// The weights of the taps, x first. A product is rounded, and the rest of its factor goes to the other tap, so that
/// all weights add up to kWhole.
std::array<std::int64_t, 8> weights_of(std::int64_t x, std::int64_t y, std::int64_t z) {
  const auto part = [](std::int64_t a, std::int64_t b) { return (a * b + kWhole / 2) / kWhole; };
  const std::int64_t both = part(x, y);
  const std::array<std::int64_t, 4> flat{kWhole - x - y + both, x - both, y - both, both};
  std::array<std::int64_t, 8> weights{};
  for (std::size_t i = 0; i < 4; ++i) {
    weights[i + 4] = part(flat[i], z);
    weights[i] = flat[i] - weights[i + 4];
  }
  return weights;
}

/// Unsigned integers that are read as numbers from 0 to 1 are blended in steps of 1/65535.
constexpr double kSteps = 65535;
bool in_steps(const Texture& texture) {
  return texture.to_float && texture.image.format.kind == TexelKind::unsigned_integer;
}

/// Rounds to the nearest float, ties away from zero.
float rounded(double sum, const Texture& texture) {
  if (in_steps(texture)) return static_cast<float>(std::floor(sum + 0.5) / kSteps);
  const auto nearest = static_cast<float>(sum);
  const float away = std::nextafter(nearest, sum > nearest ? INFINITY : -INFINITY);
  const bool tie = sum - nearest == (static_cast<double>(away) - nearest) / 2 && sum != nearest;
  return tie && std::fabs(away) > std::fabs(nearest) ? away : nearest;
}

Texel texel(const DeviceMemory& memory, const Texture& texture, const std::array<std::int64_t, 3>& at, Sample& sample) {
  if (std::min({at[0], at[1], at[2]}) < 0) {
    Texel border;
    const bool numbers = texture.image.format.kind == TexelKind::floating || texture.to_float;
    for (std::size_t i = 0; i < 4; ++i)
      border.channels[i] = numbers ? std::bit_cast<std::uint32_t>(texture.border[i])
                                   : static_cast<std::uint32_t>(static_cast<std::int64_t>(texture.border[i]));
    return border;
  }
  const std::uint32_t bytes = texture.image.format.bytes();
  const std::uint64_t address = texture.image.place(
      static_cast<std::uint64_t>(at[0]) * bytes, static_cast<std::uint64_t>(at[1]), static_cast<std::uint64_t>(at[2]));
  const std::byte* from = memory.host(address, bytes);
  if (from) return decode(texture, from);
  sample.readable = false;
  sample.touched = address;
  return {};
}

}  // namespace

Sample sample(const DeviceMemory& memory, const Texture& texture, std::array<float, 3> at, std::uint32_t slice,
              unsigned corner) {
  const Image& image = texture.image;
  const bool layered = texture.layered;
  Taps x = taps(texture, 0, image.width, at[0]), y, z;
  if (texture.dimensions > 1) y = taps(texture, 1, image.height, at[1]);
  if (texture.dimensions > 2) z = taps(texture, 2, image.depth, at[2]);
  if (layered) z.first = z.second = std::min(slice, image.depth - 1);
  Sample result;
  const auto inside = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(a < 0 ? b : a, 0));
  };
  const std::uint64_t column = (corner & 2) != 0 ? inside(x.second, x.first) : inside(x.first, x.second);
  const std::uint64_t row = (corner & 1) != 0 ? inside(y.second, y.first) : inside(y.first, y.second);
  result.touched = image.place(column * image.format.bytes(), row, inside(z.first, z.second));
  if (!texture.linear_filter) {
    result.channels = texel(memory, texture, {x.first, y.first, z.first}, result).channels;
    return result;
  }
  const std::array<std::int64_t, 8> weights = weights_of(x.weight, y.weight, z.weight);
  std::array<double, 4> sums{};
  for (std::size_t tap = 0; tap < 8; ++tap) {
    if (weights[tap] == 0) continue;
    const Texel one = texel(
        memory, texture,
        {(tap & 1) != 0 ? x.second : x.first, (tap & 2) != 0 ? y.second : y.first, (tap & 4) != 0 ? z.second : z.first},
        result);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto value = static_cast<double>(std::bit_cast<float>(one.channels[i]));
      sums[i] += static_cast<double>(weights[tap]) / kWhole * (in_steps(texture) ? std::round(value * kSteps) : value);
    }
  }
  for (std::size_t i = 0; i < 4; ++i) result.channels[i] = std::bit_cast<std::uint32_t>(rounded(sums[i], texture));
  return result;
}

Sample fetch(const DeviceMemory& memory, const Texture& texture, std::int32_t index) {
  Sample result;
  const bool outside = index < 0 || static_cast<std::uint32_t>(index) >= texture.image.width;
  result.touched =
      texture.image.place(outside ? 0 : static_cast<std::uint64_t>(index) * texture.image.format.bytes(), 0, 0);
  if (!outside) result.channels = texel(memory, texture, {index, 0, 0}, result).channels;
  return result;
}

}  // namespace sassim::emu
