// SPDX-License-Identifier: Apache-2.0
// The program's modules and libraries: images that it loads, with their kernels and variables. An image is checked
// when it is loaded; its code is loaded when the first of its kernels or variables is used.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/cuda/contexts.h"
#include "sim/cuda/handles.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

struct Module;

/// The object behind a CUfunction and a CUkernel.
struct Function {
  Module* module = nullptr;
  std::string name;  ///< mangled
};

/// The object behind a CUmodule and a CUlibrary. A library belongs to no context.
struct Module {
  Context* context = nullptr;
  bool library = false;
  bool of_runtime = false;  ///< stands for a binary that the program's start-up code has registered, and stays
  RegisteredBinary* binary = nullptr;
  std::vector<std::string> kernels = {};                            ///< in the order of the file
  std::map<std::string, std::unique_ptr<Function>> functions = {};  ///< that the program has asked for
};

class Modules {
 public:
  static Modules& get();

  /// The module of an image: a cubin, a fat binary or its wrapper. Throws ApiError.
  Module* load(Session&, const void* image, Context*);
  Result load_file(Session&, const std::string& path, Context*, Module*& module);
  void unload(Session&, Module*);
  void unload_all(Session&, const Context*);
  /// After a reset of the device, all are gone.
  void release_all(Session&);
  bool holds(const Module* module) const { return modules_.holds(module); }
  bool holds(const Function*) const;

  /// Throws ApiError.
  Function* function(Session&, Module&, const std::string& name);
  /// The module that stands for a binary of the program's start-up code.
  Module& of_runtime(RegisteredBinary* binary) {
    for (const auto& module : modules_.all())
      if (module->binary == binary) return *module;
    return *modules_.add(std::make_unique<Module>(Module{.library = true, .of_runtime = true, .binary = binary}));
  }
  const emu::Variable& variable(Session&, Module&, const std::string& name);

 private:
  Handles<Module> modules_;
};

/// The machine code that the GPU runs of an image whose length is not known. Throws ApiError and InputError.
std::vector<std::uint8_t> choose_cubin(const void* image, int sm);

}  // namespace sassim::cuda
