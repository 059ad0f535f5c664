// SPDX-License-Identifier: Apache-2.0
// make_kernel(): a kernel for the emulator whose code does not come from a cubin.
#include "sim/emu/core/micro_op.h"
#include "sim/emu/core/module.h"
#include "sim/emu/memory/address_space.h"

namespace sassim::emu {

std::unique_ptr<Kernel> make_kernel(std::string name, int sm, std::vector<isa::Instruction> code,
                                    std::uint32_t param_bytes) {
  auto kernel = std::make_unique<Kernel>();
  kernel->name = std::move(name);
  kernel->sm = sm;
  kernel->param_bytes = param_bytes;
  kernel->param_base = kernel->architecture().bank.parameters;
  kernel->code = std::move(code);
  kernel->code_address = kCodeBase + 0x10000;
  kernel->regions.push_back({kernel->code_address, 0, static_cast<std::uint32_t>(kernel->code_bytes())});
  kernel->program = decode_program(kernel->code, sm);
  kernel->registers = kernel->program->registers;
  return kernel;
}

}  // namespace sassim::emu
