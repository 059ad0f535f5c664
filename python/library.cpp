// SPDX-License-Identifier: Apache-2.0
// sassim._library: runs traces in this process, through libsassim. A module of its own, because the rest of the package
// also works where the library is missing.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <sassim/sassim.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace py = pybind11;

namespace {

/// Lets Ctrl-C and the time limit end a run.
class Watch final : public sassim::Observer {
 public:
  explicit Watch(std::optional<double> seconds) {
    if (seconds) end_ = std::chrono::steady_clock::now() + std::chrono::duration<double>(*seconds);
  }
  void launch_began(std::size_t, const sassim::KernelInfo&) override { look(); }
  void interval(std::size_t, const sassim::Interval&) override { look(); }

 private:
  void look() const {
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!end_ || std::chrono::steady_clock::now() < *end_) return;
    PyErr_SetString(PyExc_TimeoutError, "the run took longer than its timeout");
    throw py::error_already_set();
  }
  std::optional<std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>>> end_;
};

sassim::Caches caches_of(const std::string& name) {
  if (name == "cold") return sassim::Caches::cold;
  if (name == "warm") return sassim::Caches::warm;
  if (name == "keep") return sassim::Caches::keep;
  throw sassim::Error(sassim::ExitStatus::usage, "--caches: '" + name + "' is none of cold, warm, keep");
}

/// What `sassim run --json` writes.
std::string run(const std::vector<std::string>& traces, const std::string& config,
                const std::vector<std::string>& overrides, const std::string& caches, unsigned threads,
                bool allow_arch_mismatch, std::optional<double> timeout) {
  constexpr unsigned kMostThreads = 1024;
  constexpr std::uint64_t kCyclesBetweenLooks = 20000;
  sassim::RunOptions options;
  options.caches = caches_of(caches);
  if (threads < 1 || threads > kMostThreads)
    throw sassim::Error(sassim::ExitStatus::usage,
                        "--threads: " + std::to_string(threads) + " is not between 1 and " + std::to_string(kMostThreads));
  options.threads = threads;
  options.allow_arch_mismatch = allow_arch_mismatch;
  Watch watch(timeout);
  options.observer = &watch;
  options.interval = kCyclesBetweenLooks;
  const py::gil_scoped_release release;
  const sassim::Configuration configuration = sassim::Configuration::load(config, overrides);
  const sassim::Trace trace = sassim::Trace::open(traces);
  return sassim::Gpu(configuration).run(trace, options).json;
}

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const sassim::Error& error) {
      const py::object made =
          py::module_::import("sassim.errors").attr("error_of")(static_cast<int>(error.status()), error.what());
      PyErr_SetObject(py::type::of(made).ptr(), made.ptr());
    }
  });
}

}  // namespace

PYBIND11_MODULE(_library, module) {
  module.doc() = "Simulations in this process.";
  module.attr("version") = SASSIM_VERSION;
  translate_errors();
  module.def("run", &run, py::arg("traces"), py::arg("config"), py::arg("overrides"), py::arg("caches"),
             py::arg("threads"), py::arg("allow_arch_mismatch"), py::arg("timeout"));
}
