// SPDX-License-Identifier: Apache-2.0
// sassim._native: results as the command writes them, and comparisons with profiles, for the Python package.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/version.h"
#include "sim/report/bound.h"
#include "sim/report/kernel_json.h"
#include "sim/validate/compare.h"

namespace py = pybind11;

namespace {

using sassim::report::KernelReport;
using sassim::report::LineStalls;
using Json = nlohmann::ordered_json;

struct RunResult {
  std::string config_name, config_hash, config_json, version, commit, caches;
  bool complete = true;
  std::vector<KernelReport> kernels;
};

std::string word(const Json& json, const char* key) { return json.value(key, ""); }

/// `path`: where the text is from, for messages.
RunResult parse_result(const std::string& text, const std::string& path) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || word(json, "schema") != "sassim-result/1" || !json.contains("kernels"))
    throw sassim::InputError("{}: expected a result of `sassim run --json` (schema sassim-result/1)", path);
  const Json config = json.value("config", Json::object());
  RunResult result{word(config, "name"),
                   word(config, "hash"),
                   config.value("resolved", Json::object()).dump(),
                   word(json, "version"),
                   word(json, "commit"),
                   word(json, "caches"),
                   json.value("complete", true),
                   {}};
  sassim::report::KernelReader reader;
  for (const Json& kernel : json["kernels"])
    result.kernels.push_back(reader.read(kernel, fmt::format("{}: kernel {}", path, result.kernels.size())));
  return result;
}

RunResult read_result(const std::string& path) {
  return parse_result(sassim::read_input_file(path, sassim::kResultFile), path);
}

py::tuple shape(const sassim::Dim3& dim) { return py::make_tuple(dim.x, dim.y, dim.z); }

py::dict metrics(const KernelReport& kernel) {
  py::dict all;
  for (const auto& [row, value] : kernel.metrics.all()) all[py::str(row->name)] = value;
  return all;
}

py::dict units(const KernelReport& kernel) {
  py::dict all;
  for (const auto& [row, value] : kernel.metrics.all()) all[py::str(row->name)] = row->unit;
  return all;
}

py::dict stalls(const LineStalls& line) {
  py::dict all;
  for (const auto& [reason, cycles] : line.stalls) all[py::str(reason)] = cycles;
  return all;
}

/// A dictionary for each quantity of each kernel that both have.
py::list compare(const RunResult& result, const std::vector<std::string>& profiles) {
  std::vector<sassim::validate::ProfiledKernel> profiled;
  for (const std::string& path : profiles)
    for (auto& kernel : sassim::validate::read_ncu_csv(path)) profiled.push_back(std::move(kernel));
  py::list rows;
  for (const auto& kernel : sassim::validate::compare(result.kernels, profiled).kernels)
    for (const auto& difference : kernel.differences) {
      py::dict row;
      row["kernel"] = kernel.name;
      row["launch"] = kernel.launch;
      row["quantity"] = difference.quantity->name;
      row["hardware"] = difference.hardware;
      row["simulated"] = difference.simulated;
      row["relative"] = difference.relative();
      row["error"] = difference.error;
      row["within"] = difference.within();
      rows.append(row);
    }
  return rows;
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

PYBIND11_MODULE(_native, module) {
  module.doc() = "Results as the sassim command writes them.";
  module.attr("version") = sassim::kVersion;
  translate_errors();
  py::class_<LineStalls>(module, "Line")
      .def_readonly("pc", &LineStalls::pc)
      .def_readonly("sass", &LineStalls::text)
      .def_readonly("executed", &LineStalls::executed)
      .def_readonly("control", &LineStalls::control)
      .def_readonly("file", &LineStalls::file)
      .def_readonly("line", &LineStalls::source_line)
      .def_readonly("threads", &LineStalls::threads)
      .def_property_readonly("requests", [](const LineStalls& line) { return line.memory.requests; })
      .def_property_readonly("sectors", [](const LineStalls& line) { return line.memory.sectors; })
      .def_property_readonly("ideal_sectors", [](const LineStalls& line) { return line.memory.ideal_sectors; })
      .def_property_readonly("passes", [](const LineStalls& line) { return line.memory.passes; })
      .def_property_readonly("ideal_passes", [](const LineStalls& line) { return line.memory.ideal_passes; })
      .def_readonly("waits_for", &LineStalls::waits_for)
      .def_property_readonly("stalls", stalls);
  py::class_<KernelReport>(module, "Kernel")
      .def_readonly("name", &KernelReport::name)
      .def_property_readonly("grid", [](const KernelReport& kernel) { return shape(kernel.grid); })
      .def_property_readonly("block", [](const KernelReport& kernel) { return shape(kernel.block); })
      .def_readonly("trace", &KernelReport::trace)
      .def_readonly("trace_hash", &KernelReport::trace_hash)
      .def_readonly("dependence_mode", &KernelReport::dependence_mode)
      .def_readonly("slice_blocks", &KernelReport::slice_blocks)
      .def_readonly("warp_instructions", &KernelReport::warp_instructions)
      .def_readonly("notes", &KernelReport::notes)
      .def_property_readonly(
          "fault", [](const KernelReport& kernel) { return kernel.fault ? kernel.fault->message : std::string(); })
      .def_property_readonly("bound",
                             [](const KernelReport& kernel) { return sassim::report::find_bound(kernel).sentence; })
      .def_property_readonly("metrics", metrics)
      .def_property_readonly("units", units)
      .def_readonly("lines", &KernelReport::lines);
  py::class_<RunResult>(module, "RunResult")
      .def_readonly("config_name", &RunResult::config_name)
      .def_readonly("config_hash", &RunResult::config_hash)
      .def_readonly("config_json", &RunResult::config_json)
      .def_readonly("version", &RunResult::version)
      .def_readonly("commit", &RunResult::commit)
      .def_readonly("caches", &RunResult::caches)
      .def_readonly("complete", &RunResult::complete)
      .def_readonly("kernels", &RunResult::kernels);
  module.def("read_result", &read_result, py::arg("path"));
  module.def("parse_result", &parse_result, py::arg("text"), py::arg("path"));
  module.def("compare", &compare, py::arg("result"), py::arg("profiles"));
}
