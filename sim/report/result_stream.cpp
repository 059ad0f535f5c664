// SPDX-License-Identifier: Apache-2.0
// Writes the files of --json and --csv while a run goes on, one kernel after the other.
#include "sim/report/result_stream.h"

#include <fmt/format.h>

#include <utility>

#include "sim/base/csv.h"
#include "sim/base/printable.h"
#include "sim/base/version.h"
#include "sim/report/terminal.h"

namespace sassim::report {

using Json = nlohmann::ordered_json;

namespace {

/// Names from a damaged program need not be UTF-8.
std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string JsonText::head(const RunReport& run) {
  const Json config = {{"name", run.config_name},
                       {"hash", run.config_hash},
                       {"resolved", run.config_json.empty() ? Json::object() : Json::parse(run.config_json)}};
  std::string text = "{\n\"schema\": \"sassim-result/1\",\n\"version\": " + text_of(kVersion) +
                     ",\n\"config\": " + text_of(config, 1) + ",\n";
  if (!run.commit.empty()) text += "\"commit\": " + text_of(run.commit) + ",\n";
  if (!run.caches.empty()) text += "\"caches\": " + text_of(run.caches) + ",\n";
  return text + "\"kernels\": [";
}

std::string JsonText::kernel(const KernelReport& kernel) {
  // The second time a kernel says nothing that only a first one says; from then on its text is the same.
  last_.times = last_.times != 0 && last_.kernel == kernel ? last_.times + 1 : 1;
  if (last_.times <= 2) last_.text = text_of(writer_.write(kernel));
  if (last_.times == 1) last_.kernel = kernel;
  return (std::exchange(empty_, false) ? "\n" : ",\n") + last_.text;
}

std::string JsonText::end(bool complete, const Json& more) const {
  std::string text = empty_ ? "],\n" : "\n],\n";
  for (const auto& [name, value] : more.items()) text += text_of(name) + ": " + text_of(value) + ",\n";
  return text + (complete ? "\"complete\": true\n}\n" : "\"complete\": false\n}\n");
}

CsvStream::CsvStream(const std::string& path) : file_(path) { file_.write(csv_head()); }

void CsvStream::add(const KernelReport& kernel) { file_.write(csv_rows(count_++, kernel)); }

void CsvStream::stopped(const std::optional<RunningKernel>& running) {
  const std::string name = running ? csv_cell(printable(running->name)) : "";
  const auto row = [&](const char* metric, const char* unit, std::uint64_t value) {
    file_.write(fmt::format("{},{},{},{},{}\n", count_, name, metric, unit, value));
  };
  row("sassim__complete", "", 0);
  if (!running) return;
  row("sassim__running_cycles", "cycle", running->cycles);
  row("sassim__running_blocks_ended", "block", running->blocks_ended);
}

}  // namespace sassim::report
