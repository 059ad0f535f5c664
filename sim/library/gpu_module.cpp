// SPDX-License-Identifier: Apache-2.0
// Implements sassim::GpuModule of the library: the GPU in a SystemC platform.
#include <sassim/gpu_module.h>

#include "arch/gpu/memory_sockets.h"
#include "arch/gpu/system.h"
#include "sim/library/application.h"
#include "sim/library/guarded.h"
#include "sim/library/inside.h"

namespace sassim {

struct GpuModule::Impl {
  explicit Impl(const Configuration& configuration) : gpu{configuration, nullptr, 0, false} {
    gpu.gpu = std::make_unique<arch::Gpu>(system, configuration.impl().config, "gpu");
  }
  arch::System system{arch::System::Simulation::platform};
  Gpu::Impl gpu;
  enum class State { idle, runs, failed } state = State::idle;
};

GpuModule::GpuModule(sc_core::sc_module_name name, const Configuration& configuration) : sc_module(name) {
  library::guarded([&] { impl_ = std::make_unique<Impl>(configuration); });
}
GpuModule::~GpuModule() = default;

std::size_t GpuModule::channels() const { return impl_->gpu.gpu->sockets().size(); }

tlm::tlm_initiator_socket<>& GpuModule::channel(std::size_t number) {
  return library::guarded([&]() -> auto& { return impl_->gpu.gpu->sockets().socket(number); });
}

Result GpuModule::run(const Trace& trace, const RunOptions& options) {
  return library::guarded([&] {
    if (impl_->state != Impl::State::idle)
      throw UsageError("{}: {}", name(),
                       impl_->state == Impl::State::runs ? "another thread of the platform runs kernels on this GPU"
                                                         : "a run has failed, so the GPU is in the middle of a launch");
    library::Application application(impl_->gpu, trace, options);
    impl_->state = Impl::State::runs;
    Result result;
    try {
      result = application.run();
    } catch (...) {
      impl_->state = Impl::State::failed;
      throw;
    }
    impl_->state = Impl::State::idle;
    return result;
  });
}

}  // namespace sassim
