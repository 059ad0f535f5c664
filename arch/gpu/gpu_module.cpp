// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/gpu_module.h"

#include <exception>
#include <systemc>

#include "arch/common/simulation_context.h"
#include "arch/gpu/signal_dump.h"
#include "arch/sm/sm.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

using sc_core::sc_module_name;

/// What the memory offers to an SM through its SystemC port.
class MemoryDoor : public virtual sc_core::sc_interface {
 public:
  virtual MemoryPort& port_of(SmId sm) = 0;
};

class MemoryModule : public sc_core::sc_module, public MemoryDoor {
 public:
  MemoryModule(sc_module_name name, const config::GpuConfig& config)
      : sc_module(name), door("door"), system(MemorySystem::make(config)) {
    door.bind(*this);
  }
  MemoryPort& port_of(SmId sm) override { return system->port(sm); }

  sc_core::sc_export<MemoryDoor> door;
  std::unique_ptr<MemorySystem> system;
};

class ProcessingBlockModule : public sc_core::sc_module {
 public:
  explicit ProcessingBlockModule(sc_module_name name) : sc_module(name) {}
};

class SmModule : public sc_core::sc_module {
 public:
  SmModule(sc_module_name name, const config::GpuConfig& config, SmId id)
      : sc_module(name), memory("memory"), config_(config), id_(id) {
    for (std::uint32_t i = 0; i < config.sm.processing_blocks; ++i)
      blocks_.push_back(std::make_unique<ProcessingBlockModule>(fmt::format("processing_block{}", i).c_str()));
  }
  void end_of_elaboration() override { sm = std::make_unique<Sm>(config_, id_, memory->port_of(id_)); }

  sc_core::sc_port<MemoryDoor> memory;
  std::unique_ptr<Sm> sm;

 private:
  const config::GpuConfig& config_;
  SmId id_;
  std::vector<std::unique_ptr<ProcessingBlockModule>> blocks_;
};

class TopModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(TopModule);
  TopModule(sc_module_name name, const config::GpuConfig& config)
      : sc_module(name),
        memory("memory", config),
        config_(config),
        picoseconds_(1e12 / static_cast<double>(config.clock.sm)) {
    for (std::uint32_t i = 0; i < config.sm.count; ++i) {
      sms.push_back(
          std::make_unique<SmModule>(fmt::format("sm{}", i).c_str(), config, SmId(static_cast<std::uint16_t>(i))));
      sms.back()->memory.bind(memory.door);
    }
    SC_METHOD(epochs);
  }

  const config::GpuConfig& config() const { return config_; }

  MemoryModule memory;
  std::vector<std::unique_ptr<SmModule>> sms;
  const std::function<Cycle()>* step = nullptr;
  std::exception_ptr error;

 private:
  // A method, not a thread: the simulation stays on the caller's stack, where sanitizers and debuggers can follow it.
  void epochs() {
    for (;;) {
      Cycle next = kNever;
      try {
        if (step != nullptr) next = (*step)();
      } catch (...) {
        error = std::current_exception();
      }
      if (next == kNever) {
        step = nullptr;
        sc_core::sc_pause();
        next_trigger(sc_core::SC_ZERO_TIME);
        return;
      }
      const sc_core::sc_time at(static_cast<double>(next.value) * picoseconds_, sc_core::SC_PS);
      if (at > sc_core::sc_time_stamp()) {
        next_trigger(at - sc_core::sc_time_stamp());
        return;
      }
    }
  }

  const config::GpuConfig& config_;
  double picoseconds_;
};

struct GpuModule::Impl {
  SimulationContext context;
  std::unique_ptr<TopModule> top;
  std::unique_ptr<SignalDump> dump;
  ~Impl() {
    context.use([&] {
      dump.reset();
      top.reset();
    });
  }
};

GpuModule::GpuModule(const config::GpuConfig& config) : impl_(std::make_unique<Impl>()) {
  impl_->context.use([&] {
    impl_->top = std::make_unique<TopModule>("gpu", config);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates
  });
}

GpuModule::~GpuModule() = default;

std::vector<Sm*> GpuModule::sms() {
  std::vector<Sm*> all;
  for (auto& module : impl_->top->sms) all.push_back(module->sm.get());
  return all;
}

MemorySystem& GpuModule::memory() { return *impl_->top->memory.system; }

std::vector<std::string> GpuModule::names() const {
  std::vector<std::string> all;
  const std::function<void(const sc_core::sc_object&)> visit = [&](const sc_core::sc_object& object) {
    if (dynamic_cast<const sc_core::sc_module*>(&object) == nullptr) return;
    all.push_back(object.name());
    for (const sc_core::sc_object* child : object.get_child_objects()) visit(*child);
  };
  visit(*impl_->top);
  return all;
}

SignalDump& GpuModule::dump(const SignalFile& file) {
  if (!impl_->dump) impl_->context.use([&] { impl_->dump = std::make_unique<SignalDump>(file, impl_->top->config()); });
  return *impl_->dump;
}

void GpuModule::run(const std::function<Cycle()>& step) {
  impl_->context.use([&] {
    impl_->top->step = &step;
    impl_->top->error = nullptr;
    sc_core::sc_start();
    if (impl_->top->error) std::rethrow_exception(impl_->top->error);
  });
}

}  // namespace sassim::arch
