// SPDX-License-Identifier: Apache-2.0
// cuModuleLoad and cuLibraryLoad: takes the GPU's code from a cubin or fat binary, or compiles PTX.
#include "sim/driver/modules.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "sim/base/error.h"
#include "sim/base/host_maps.h"
#include "sim/base/input_file.h"
#include "sim/emu/core/fatbin.h"
#include "sim/isa/cubin.h"
#include "sim/isa/ptx.h"

namespace sassim::cuda {
namespace {

constexpr std::uint32_t kFatbinMagic = 0xba55ed50;

template <class T>
T read_as(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

using Image = std::span<const std::uint8_t>;

/// What can be read from `image` on: an image in memory does not say where it ends, and a damaged one says it wrongly.
Image readable_from(const void* image) {
  const auto begin = reinterpret_cast<std::uintptr_t>(image);
  constexpr std::size_t kWhereUnknown = std::size_t{1} << 30;
  const HostMaps maps = host_maps();
  std::uintptr_t end = maps.empty() ? begin + kWhereUnknown : begin;
  for (const HostMap& map : maps)
    if (map.readable && map.begin <= end && end < map.end) end = map.end;
  return {static_cast<const std::uint8_t*>(image), end - begin};
}

template <class T>
T record(Image image, std::uint64_t offset) {
  if (offset > image.size() || sizeof(T) > image.size() - offset)
    throw InputError("module: expected a cubin: a table at byte {} reaches beyond its end", offset);
  return read_as<T>(image.data() + offset);
}

/// An ELF file ends behind its tables and its sections.
std::size_t elf_size(Image image) {
  const auto header = record<Elf64_Ehdr>(image, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64) throw InputError("module: expected a cubin: it is not a 64-bit ELF file");
  std::uint64_t end = std::max<std::uint64_t>(sizeof header, header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr));
  end = std::max<std::uint64_t>(end, header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr));
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = record<Elf64_Shdr>(image, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_NOBITS) end = std::max<std::uint64_t>(end, section.sh_offset + section.sh_size);
  }
  if (end > image.size())
    throw InputError("module: expected a cubin: it claims {} bytes, {} are there", end, image.size());
  return end;
}

std::vector<std::uint8_t> of_fatbin(Image bytes, int sm) {
  const std::vector<emu::FatImage> images = emu::unpack_fatbin(bytes, "module");
  if (std::vector<std::uint8_t> code = emu::machine_code(images, sm, "module"); !code.empty()) return code;
  throw ApiError{kNoKernelImageForDevice,
                 fmt::format("the module has no machine code for sm_{} (it has: {}); compile it with "
                             "-gencode arch=compute_{},code=sm_{}",
                             sm, emu::list_images(images), sm, sm)};
}

std::vector<std::uint8_t> of_elf(Image bytes, int sm) {
  const Image file = bytes.first(elf_size(bytes));
  std::vector<std::uint8_t> cubin(file.begin(), file.end());
  const int compiled = isa::read_cubin(cubin, "module").sm;
  if (compiled / 10 != sm / 10 || compiled > sm)
    throw ApiError{
        kNoKernelImageForDevice,
        fmt::format("the module is for sm_{}, the GPU is of sm_{}; compile it with -arch=sm_{}", compiled, sm, sm)};
  return cubin;
}

bool is_ptx(Image image) {
  constexpr std::size_t kBegin = 4096;  // comments may come first
  const auto* text = reinterpret_cast<const char*>(image.data());
  return std::string_view(text, strnlen(text, std::min(kBegin, image.size()))).find(".version") !=
         std::string_view::npos;
}

}  // namespace

std::vector<std::uint8_t> choose_cubin(const void* image, int sm) {
  const Image bytes = readable_from(image);
  if (bytes.size() < sizeof(std::uint32_t)) throw InputError("module: its memory cannot be read");
  const auto magic = read_as<std::uint32_t>(image);
  if (magic == kFatbinWrapperMagic) {
    if (bytes.size() < sizeof(FatbinWrapper)) throw InputError("module: a fat binary's wrapper is cut off");
    return of_fatbin(readable_from(read_as<FatbinWrapper>(image).data), sm);
  }
  if (magic == kFatbinMagic) return of_fatbin(bytes, sm);
  if (bytes.size() >= SELFMAG && std::memcmp(image, ELFMAG, SELFMAG) == 0) return of_elf(bytes, sm);
  if (is_ptx(bytes) && !isa::find_ptxas().empty())
    return isa::compile_ptx({static_cast<const char*>(image), strnlen(static_cast<const char*>(image), bytes.size())},
                            sm, "module");
  if (is_ptx(bytes))
    throw ApiError{kJitCompilerNotFound,
                   fmt::format("the module is PTX, which is not compiled here; give it a cubin: nvcc -cubin, ptxas, or "
                               "nvrtc with --gpu-architecture=sm_{}",
                               sm)};
  throw InputError("module: starts with {:#010x}, which is neither a cubin nor a fat binary nor PTX", magic);
}

Modules& Modules::get() {
  static Modules modules;
  return modules;
}

Module* Modules::load(Session& session, const void* image, Context* context) {
  auto module = std::make_unique<Module>();
  try {
    std::vector<std::uint8_t> cubin = choose_cubin(image, session.gpu().arch);
    for (const isa::CubinKernel& kernel : isa::read_cubin(cubin, "module").kernels)
      if (kernel.entry) module->kernels.push_back(kernel.name);
    module->binary = session.add_image(std::move(cubin));
  } catch (const Error& error) {  // damaged, or of an unknown version
    throw ApiError{kInvalidKernelImage, error.what()};
  }
  module->context = context;
  module->library = context == nullptr;
  return modules_.add(std::move(module));
}

Result Modules::load_file(Session& session, const std::string& path, Context* context, Module*& module) {
  std::optional<std::string> bytes = read_whole_file(path);
  if (!bytes) return kFileNotFound;
  bytes->resize(bytes->size() + sizeof(Elf64_Ehdr));  // PTX ends with a zero; a header can always be read
  module = load(session, bytes->data(), context);
  return kSuccess;
}

void Modules::unload(Session& session, Module* module) {
  if (module->of_runtime) return;
  session.settle();
  session.remove_binary(module->binary);
  modules_.erase(module);
}

void Modules::unload_all(Session& session, const Context* context) {
  std::vector<Module*> gone;
  for (const auto& module : modules_.all())
    if (!module->library && module->context == context) gone.push_back(module.get());
  for (Module* module : gone) unload(session, module);
}

void Modules::release_all(Session& session) {
  std::vector<Module*> gone;
  for (const auto& module : modules_.all())
    if (!module->of_runtime &&
        (session.devices() == 1 || (module->context && module->context->device == session.device().ordinal)))
      gone.push_back(module.get());
  for (Module* module : gone) {
    session.remove_binary(module->binary);
    modules_.erase(module);
  }
}

bool Modules::holds(const Function* function) const {
  return std::any_of(modules_.all().begin(), modules_.all().end(), [&](const auto& module) {
    return std::any_of(module->functions.begin(), module->functions.end(),
                       [&](const auto& entry) { return entry.second.get() == function; });
  });
}

Function* Modules::function(Session& session, Module& module, const std::string& name) {
  if (std::find(module.kernels.begin(), module.kernels.end(), name) == module.kernels.end())
    throw ApiError{kSymbolNotFound, ""};
  std::unique_ptr<Function>& function = module.functions[name];
  if (!function) {
    function = std::make_unique<Function>(Function{&module, name});
    session.add_function(function.get(), {.binary = module.binary, .name = name});
  }
  return function.get();
}

const emu::Variable& Modules::variable(Session& session, Module& module, const std::string& name) {
  const emu::Variable* variable = session.module(*module.binary).find_variable(name);
  if (!variable) throw ApiError{kSymbolNotFound, ""};
  return *variable;
}

}  // namespace sassim::cuda
