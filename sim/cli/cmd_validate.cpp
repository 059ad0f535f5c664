// SPDX-License-Identifier: Apache-2.0
// sassim validate: results beside measurements of hardware.
#include <fmt/format.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sim/base/cores.h"
#include "sim/base/data_folder.h"
#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/printable.h"
#include "sim/cli/command_line.h"
#include "sim/cli/config_options.h"
#include "sim/cli/standard_streams.h"
#include "sim/validate/prepared.h"
#include "sim/validate/validate.h"

namespace sassim::cli {
namespace {

namespace fs = std::filesystem;

struct ValidateArguments {
  ConfigOptions gpu;
  std::string only, out, programs, data, hardware, subset;
  bool all = false, prepared = false, record = false;
  unsigned jobs = 0;
};

constexpr std::size_t kMostPrinted = std::size_t{64} << 20;  ///< by a program; a microbenchmark prints a few KiB

std::string shell_word(const std::string& word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// A benchmark as target files name it: a program and its arguments, or `mix` and its options.
struct Benchmark {
  explicit Benchmark(const std::string& command) {
    std::istringstream words(command);
    std::string word;
    words >> name;
    while (words >> word) {
      const bool change = word == "-o" && words >> word;
      (change ? changes : arguments) += (change ? " -o " : " ") + shell_word(word);
    }
  }
  std::string name, arguments;
  std::string changes;  ///< of the configuration: what stands behind -o
};

/// The command that runs the benchmark with this program: `sassim exec`, `sassim sass` for hand-written SASS, or
/// `sassim mix` for what `sassim sweep` has built in. `missing` says why there is none.
std::string command_line(const ValidateArguments& parsed, const Benchmark& benchmark, std::string& missing) {
  const bool sass = benchmark.name.ends_with(".sass"), built_in = benchmark.name == "mix";
  const fs::path program =
      (sass ? fs::path(parsed.data) / "programs/sass" : fs::path(parsed.programs)) / benchmark.name;
  if (!built_in && !fs::exists(program)) {
    missing =
        sass ? program.string() + " does not exist" : "not built: " + program.string() + " (see validation/build)";
    return {};
  }
  std::string line = shell_word(fs::read_symlink("/proc/self/exe")) +
                     (built_in ? " mix"
                      : sass   ? " sass"
                               : " exec") +
                     " --config " + shell_word(parsed.gpu.config) + benchmark.changes;
  if (!parsed.gpu.clocks.empty()) line += " --clocks " + shell_word(parsed.gpu.clocks);
  for (const std::string& change : parsed.gpu.overrides) line += " -o " + shell_word(change);
  if (built_in) return line + benchmark.arguments;
  // Discards the report of `exec`; its errors go to standard error.
  return line + (sass ? " -- " : " --json /dev/null -- ") + shell_word(program.string()) + benchmark.arguments;
}

/// Runs one microbenchmark and reads its output.
validate::ProgramOutput run_program(const ValidateArguments& parsed, const std::string& command) {
  std::string missing;
  const std::string line = command_line(parsed, Benchmark(command), missing);
  if (!missing.empty()) return {{}, missing};
  std::fprintf(stderr, "sassim: running %s\n", printable(command).c_str());
  FILE* pipe = popen(line.c_str(), "re");
  if (pipe == nullptr) return {{}, "could not be started"};
  std::string printed;
  char buffer[4096];
  // What a program prints without end is read and dropped: it would wait if its pipe were full.
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    if (printed.size() <= kMostPrinted) printed.append(buffer, got);
  int status = pclose(pipe);
  validate::ProgramOutput output{validate::read_values(printed), ""};
  if (printed.size() > kMostPrinted) output = {{}, "it printed more than 64 MiB"};
  if (status != 0) {
    output.failure =
        WIFEXITED(status) ? fmt::format("the run ended with status {}", WEXITSTATUS(status)) : "the run was killed";
  }
  return output;
}

std::vector<validate::Target> load_targets(const ValidateArguments& parsed, const std::string& gpu) {
  std::vector<validate::Target> targets;
  fs::path published = fs::path(parsed.data) / "published";
  if (!fs::is_directory(published)) {
    throw InputError("{}: no such folder: --data (or $SASSIM_VALIDATION) names the folder that has it",
                     published.string());
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(published)) {
    if (const std::string name = entry.path().filename(); name.ends_with(".yaml") || name.ends_with(".yaml.xz"))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    for (validate::Target& target : validate::load_published(file.string(), gpu)) targets.push_back(std::move(target));
  }
  const std::string hardware = parsed.hardware.empty() ? validate::hardware_file(parsed.data, gpu) : parsed.hardware;
  if (!hardware.empty()) {
    for (validate::Target& target : validate::load_hardware(hardware, gpu)) targets.push_back(std::move(target));
  }
  const std::string example = targets.empty() ? "" : targets.front().id;
  if (!parsed.only.empty()) {
    std::erase_if(targets,
                  [&](const validate::Target& target) { return target.id.find(parsed.only) == std::string::npos; });
  }
  if (!parsed.subset.empty())
    validate::select(targets, validate::load_subset((fs::path(parsed.data) / "subsets.yaml").string(), parsed.subset));
  if (targets.empty())
    throw InputError("{}: no target for '{}'{}", parsed.data, gpu,
                     parsed.only.empty() || example.empty()
                         ? ""
                         : fmt::format(" has '{}' in its name (--only); names are such as {}", parsed.only, example));
  return targets;
}

/// Uses programs built in this source tree if there are any, otherwise the prepared ones.
void find_programs(ValidateArguments& parsed, int arch) {
  if (!parsed.programs.empty()) return;
  parsed.programs = (fs::path(parsed.data).parent_path() / fmt::format("build/validation/sm_{}-shared", arch)).string();
  if (!parsed.prepared && fs::exists(parsed.programs)) return;
  const validate::Prepared prepared = validate::unpack_prepared(parsed.data);
  parsed.programs = prepared.programs;
  setenv("SASSIM_LISTINGS", prepared.listings.c_str(), 0);
}

/// By GPU, how many rows are within their tolerance: what the last `--record` of each found.
constexpr char kSummaries[] = "summaries.json";

fs::path results_of(const ValidateArguments& parsed) { return fs::path(parsed.data) / "results"; }

nlohmann::ordered_json summaries_of(const ValidateArguments& parsed) {
  const fs::path file = results_of(parsed) / kSummaries;
  if (!fs::exists(file)) return nlohmann::ordered_json::object();
  auto summaries = nlohmann::ordered_json::parse(read_input_file(file, kValidationFile), nullptr, false);
  if (!summaries.is_object())
    throw InputError("{} has no JSON object: delete it, and record each GPU anew", file.string());
  return summaries;
}

/// Checks this before anything runs: hours of work must not end with "cannot be written".
void check_record(const ValidateArguments& parsed) {
  const fs::path results = results_of(parsed), builder = fs::path(parsed.data) / "build";  // which is not installed
  if (parsed.record && !fs::exists(builder))
    throw UsageError("--record keeps results in a source tree; {} does not exist", builder.string());
  if (!parsed.record) return;
  check_outputs({}, {{"--record", results / "known-gaps.md"}, {"--record", results / kSummaries}});
  summaries_of(parsed);
}

/// A line for each subset of a GPU's rows, so that changes can be read.
std::string lines_of(const nlohmann::ordered_json& summaries) {
  std::string gpus;
  for (const auto& [gpu, subsets] : summaries.items()) {
    std::string lines;
    for (const auto& [subset, summary] : subsets.items())
      lines += fmt::format("{}\n  \"{}\": {}", lines.empty() ? "" : ",", subset, summary.dump());
    gpus += fmt::format("{}\n \"{}\": {{{}}}", gpus.empty() ? "" : ",", gpu, lines);
  }
  return fmt::format("{{{}\n}}\n", gpus);
}

/// The rows that have an answer.
std::uint64_t answered(const nlohmann::ordered_json& summary) {
  std::uint64_t rows = 0;
  if (!summary.contains("all")) return rows;
  for (const auto& counts : summary.at("all"))
    if (counts.is_object()) rows += counts.value("rows", std::uint64_t{0});
  return rows;
}

void record(const ValidateArguments& parsed, const validate::Validation& validation, const std::string& gpu) {
  nlohmann::ordered_json summaries = summaries_of(parsed);
  const nlohmann::ordered_json now = validate::summary(validation);
  const std::uint64_t rows = answered(now), before = summaries.contains(gpu) ? answered(summaries.at(gpu)) : 0;
  if (rows < before)
    throw InputError(
        "--record: rows with an answer are {}, and were {} when {} was recorded last: that record stays; why "
        "rows have none is said above. To record fewer, delete \"{}\" from {}",
        rows, before, gpu, gpu, (results_of(parsed) / kSummaries).string());
  summaries[gpu] = now;
  write_durably(results_of(parsed) / kSummaries, lines_of(summaries));
  write_durably(
      results_of(parsed) / "known-gaps.md",
      validate::known_gaps_page(validate::load_known_gaps((fs::path(parsed.data) / "known-gaps.yaml").string())));
}

ExitStatus run_validate(ValidateArguments& parsed) {
  config::GpuConfig gpu = parsed.gpu.load();
  if (parsed.data.empty()) parsed.data = find_data_folder("validation", "SASSIM_VALIDATION");
  parsed.data = fs::absolute(parsed.data).lexically_normal().string();
  check_record(parsed);
  check_output_folder(parsed.out, {"validation.json", "index.html"});
  std::vector<validate::Target> targets = load_targets(parsed, gpu.name);
  find_programs(parsed, gpu.arch);
  if (parsed.jobs == 0) parsed.jobs = usable_cores();
  validate::Validation validation = validate::validate(
      std::move(targets), gpu, [&](const std::string& command) { return run_program(parsed, command); }, parsed.jobs);
  validate::trace_origins(
      validation, validate::Citations(config::read_config(parsed.gpu.config, parsed.gpu.load_options()).provenance,
                                      (fs::path(parsed.data) / "measured").string(), gpu.name));
  validate::explain(validation, validate::load_known_gaps((fs::path(parsed.data) / "known-gaps.yaml").string()),
                    gpu.name);
  show(validate::to_text(validation, parsed.all));
  if (!parsed.out.empty()) {
    write_durably(fs::path(parsed.out) / "validation.json", validate::to_json(validation).dump(1) + "\n");
    write_durably(fs::path(parsed.out) / "index.html",
                  validate::to_html(validation, "sassim validate --config " + gpu.name));
  }
  if (parsed.record) record(parsed, validation, gpu.name);
  return validation.all_within() ? ExitStatus::done : ExitStatus::check_failed;
}

void add_validate(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<ValidateArguments>();
  CLI::App* command = program.add_subcommand("validate", "run the microbenchmarks and compare with real hardware");
  parsed->gpu.add_to(*command);
  command->add_option("--only", parsed->only, "only targets whose id contains this text")->type_name("PATTERN");
  command->add_option("--out", parsed->out, "write validation.json and index.html here")->type_name("DIR");
  command
      ->add_option("--programs", parsed->programs,
                   "the folder of the microbenchmarks, built with -cudart shared for the GPU's architecture")
      ->type_name("DIR");
  command
      ->add_option("--data", parsed->data,
                   "the folder with published/ and measured/; default: $SASSIM_VALIDATION, or what comes with sassim")
      ->type_name("DIR");
  command
      ->add_option("--hardware", parsed->hardware,
                   "results of a real GPU, written by tools/measure; default: measured/NAME.json in the data")
      ->type_name("FILE");
  command
      ->add_option(
          "--subset", parsed->subset,
          "only the programs of this list in subsets.yaml (quick, memory-mix), and targets that need no program")
      ->type_name("NAME");
  command->add_option("--jobs", parsed->jobs, "programs that run at the same time; default: one per core")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u));
  command->add_flag("--prepared", parsed->prepared, "use the prepared programs even if there are built ones");
  command->add_flag("--record", parsed->record, "write summaries.json and known-gaps.md to results/ in the data");
  command->add_flag("--all", parsed->all, "show targets within tolerance too");
  command->callback([&action, parsed] { action = [parsed] { return run_validate(*parsed); }; });
}

const Command validate_command(50, add_validate);

}  // namespace
}  // namespace sassim::cli
