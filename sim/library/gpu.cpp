// SPDX-License-Identifier: Apache-2.0
// Implements sassim::Gpu and sassim::System of the library: they run traces, one GPU alone or several with one clock.
#include <sassim/gpu.h>

#include <memory>
#include <utility>

#include "arch/gpu/system.h"
#include "sim/library/application.h"
#include "sim/library/guarded.h"
#include "sim/library/inside.h"

namespace sassim {

Gpu::Gpu(const Configuration& configuration) : impl_(new Impl{configuration}) {
  library::guarded([&] { impl_->gpu = std::make_unique<arch::Gpu>(configuration.impl().config); });
}
Gpu::Gpu(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Gpu::~Gpu() = default;
Gpu::Gpu(Gpu&&) noexcept = default;
Gpu& Gpu::operator=(Gpu&&) noexcept = default;

const Configuration& Gpu::configuration() const { return impl_->configuration; }

Metrics Gpu::metrics() const {
  return library::guarded([&] { return library::metrics_of(impl_->gpu->metrics()); });
}

/// After an error the hardware is in the middle of a launch, so the next run begins with a new one.
Result Gpu::run(const Trace& trace, const RunOptions& options) {
  return library::guarded([&] {
    if (impl_->in_system) throw UsageError("a GPU of a system: System::run runs it");
    if (!impl_->gpu) {
      impl_->gpu = std::make_unique<arch::Gpu>(impl_->configuration.impl().config);
      impl_->launched = 0;
    }
    library::Application application(*impl_, trace, options);
    try {
      return application.run();
    } catch (...) {
      impl_->gpu.reset();
      throw;
    }
  });
}

struct System::Impl {
  arch::System system;
  std::vector<std::unique_ptr<Gpu>> gpus;
  bool failed = false;
};

System::System() : impl_(std::make_unique<Impl>()) {}
System::~System() = default;

Gpu& System::add(const Configuration& configuration) {
  return library::guarded([&]() -> Gpu& {
    auto gpu = std::unique_ptr<Gpu::Impl>(new Gpu::Impl{configuration});
    gpu->gpu = std::make_unique<arch::Gpu>(impl_->system, configuration.impl().config,
                                           "gpu" + std::to_string(impl_->gpus.size()));
    gpu->in_system = true;
    impl_->gpus.push_back(std::make_unique<Gpu>(std::move(gpu)));
    return *impl_->gpus.back();
  });
}

std::vector<Result> System::run(const std::vector<Work>& all) {
  return library::guarded([&] {
    if (impl_->failed) throw UsageError("a run of this system has failed; make another system");
    std::vector<std::unique_ptr<library::Application>> applications;
    std::vector<arch::System::Work> work;
    for (const Work& one : all) {
      applications.push_back(std::make_unique<library::Application>(one.gpu->impl(), *one.trace, one.options));
      library::Application& application = *applications.back();
      work.push_back(
          {one.gpu->impl().gpu.get(), {}, [&application](std::size_t number, const arch::KernelResult& result) {
             application.ended(number, result);
             if (number + 1 < application.size()) application.began(number + 1);
           }});
      for (std::size_t i = 0; i < application.size(); ++i)
        work.back().launches.push_back({&application.source(i), application.options(i)});
      if (application.size() != 0) application.began(0);
    }
    impl_->failed = true;
    impl_->system.run(work);
    impl_->failed = false;
    std::vector<Result> results;
    for (auto& application : applications) results.push_back(application->finish());
    return results;
  });
}

}  // namespace sassim
