// SPDX-License-Identifier: Apache-2.0
// Times a hand-written SASS loop on the model, for `sassim sass`.
#include "sim/validate/sass_benchmark.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <sstream>

#include "arch/gpu/gpu.h"
#include "arch/sm/common/pipeline_observer.h"
#include "sim/base/error.h"
#include "sim/config/gpu_config.h"
#include "sim/isa/assembly.h"
#include "sim/isa/opcode.h"
#include "sim/trace/memory_trace.h"
#include "sim/validate/key_expression.h"

namespace sassim::validate {
namespace {

constexpr std::uint64_t kFewTurns = 10, kManyTurns = 30;
constexpr std::uint64_t kMostRepeats = 1 << 16;
constexpr std::uint64_t kCode = 0x7f0000000000, kConstants = 0x7f1000000000, kGlobal = 0x7f2000000000;

struct Program {
  std::uint32_t warps = 1, lanes = 32, registers = 32, shared = 0;
  std::vector<std::pair<std::string, std::string>> answers;  ///< id, expression
  std::string code;
  std::map<std::string, std::uint32_t> labels;  ///< the instruction behind each, counted from 0
};

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") + 1 - from);
}

std::uint64_t count_in(std::string_view text, std::uint64_t least, std::uint64_t most, const std::string& place) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || value < least || value > most)
    throw InputError("{}: expected a number from {} to {}, not '{}'", place, least, most, text);
  return value;
}

/// Replaces {NAME} by the value of the argument NAME=VALUE.
std::string with_arguments(std::string_view text, const std::string& file, const std::vector<std::string>& arguments) {
  std::string out(text);
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string name = "{" + argument.substr(0, equals) + "}";
    if (equals == std::string::npos || out.find(name) == std::string::npos)
      throw InputError("{}: argument '{}': expected NAME=VALUE, where the file has {{NAME}}", file, argument);
    for (std::size_t at = 0; (at = out.find(name, at)) != std::string::npos; at += argument.size() - equals - 1)
      out.replace(at, name.size(), argument, equals + 1);
  }
  return out;
}

/// Reads the text behind "//!".
void read_directive(Program& program, std::string_view text, const std::string& place) {
  if (const std::size_t equals = text.find(" = "); equals != std::string_view::npos) {
    program.answers.emplace_back(trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 3)));
    return;
  }
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view key = trimmed(text.substr(0, colon)),
                         value = trimmed(text.substr(std::min(colon + 1, text.size())));
  if (key == "warps")
    program.warps = static_cast<std::uint32_t>(count_in(value, 1, 32, place));
  else if (key == "lanes")
    program.lanes = static_cast<std::uint32_t>(count_in(value, 1, 32, place));
  else if (key == "registers")
    program.registers = static_cast<std::uint32_t>(count_in(value, 1, 255, place));
  else if (key == "shared")
    program.shared = static_cast<std::uint32_t>(count_in(value, 1, 1 << 20, place));
  else
    throw InputError("{}: expected 'warps: N', 'lanes: N', 'registers: N', 'shared: N' or 'ID = EXPRESSION' after //!",
                     place);
}

/// Finds the labels of the code, all repetitions written out.
void find_labels(Program& program) {
  std::istringstream in(program.code);
  std::uint32_t instructions = 0;
  for (std::string row; std::getline(in, row);) {
    const std::string_view words = trimmed(row);
    if (words.empty() || words.starts_with("//")) continue;
    if (words.ends_with(':'))
      program.labels.emplace(words.substr(0, words.size() - 1), instructions);
    else
      ++instructions;
  }
}

Program read_program(const std::string& text, const std::string& file) {
  Program program;
  std::istringstream in(text);
  std::string row, repeated;
  std::uint64_t repeats = 0;
  bool inside = false;  // between .rept and .endr
  for (int line = 1; std::getline(in, row); ++line) {
    const std::string place = fmt::format("{}:{}", file, line);
    const std::string_view words = trimmed(row);
    if (words.starts_with("//!")) {
      read_directive(program, trimmed(words.substr(3)), place);
    } else if (words.starts_with(".rept ")) {
      if (inside) throw InputError("{}: .rept inside .rept", place);
      repeats = count_in(trimmed(words.substr(6)), 0, kMostRepeats, place);
      inside = true;
    } else if (words == ".endr") {
      if (!inside) throw InputError("{}: .endr without .rept", place);
      for (std::uint64_t i = 0; i < repeats; ++i) program.code += repeated;
      repeated.clear();
      inside = false;
    } else {
      (inside ? repeated : program.code) += row + "\n";
    }
  }
  if (inside) throw InputError("{}: .rept without .endr", file);
  if (program.answers.empty()) throw InputError("{}: no line '//! ID = EXPRESSION' says what to print", file);
  find_labels(program);
  return program;
}

void add_address(trace::Step& step, const isa::Decoded& decoded, const std::string& file) {
  if (decoded.space == isa::Space::none || decoded.space == isa::Space::constant) return;
  const bool global = decoded.space == isa::Space::global;
  if (!global && decoded.space != isa::Space::shared)
    throw InputError("{}: only shared and global memory can be accessed", file);
  step.has_addresses = true;
  step.space = decoded.space;
  step.addresses.set_affine(global ? kGlobal : 0, 0);
}

std::shared_ptr<const trace::WarpStream> stream_of(const trace::KernelInfo& kernel, LaneMask lanes, std::uint64_t turns,
                                                   const std::string& file) {
  trace::WarpStreamBuilder builder(kernel, std::make_shared<trace::BodyPool>());
  std::uint64_t turn = 1;
  for (std::size_t line = 0; line < kernel.code.size();) {
    const isa::Instruction& instruction = kernel.code[line];
    trace::Step step;
    step.index = static_cast<std::uint32_t>(line);
    step.active = step.lanes = lanes;
    add_address(step, isa::decode(instruction, kernel.sm), file);
    builder.append(step);
    if (instruction.opcode == "EXIT") return builder.finish();
    ++line;
    for (const isa::Operand& operand : instruction.operands) {
      if (operand.kind != isa::OperandKind::label) continue;
      const auto to = kernel.layout().index(static_cast<std::uint64_t>(operand.value));
      if (to >= line) throw InputError("{}: the only branch is the one back to the start of the loop", file);
      if (turn++ < turns) line = to;
    }
  }
  throw InputError("{}: the code ends without EXIT", file);
}

/// When each warp issued the instructions behind the labels the last time.
class LastTurn : public arch::PipelineObserver {
 public:
  explicit LastTurn(const std::map<std::string, std::uint32_t>& labels) : labels_(labels) {}

  void issued(const arch::WarpName& name, std::uint32_t line, Cycle at, Cycle /*result*/) override {
    for (const auto& [label, index] : labels_)
      if (index == line) at_[label][name.warp] = at.value;
  }

  /// NAME and NAME_first of each label that was passed, in cycles after the first of all of them.
  void add_to(NamedValues& values) const {
    std::uint64_t origin = ~std::uint64_t{0};
    for (const auto& [label, warps] : at_)
      for (const auto& [warp, at] : warps) origin = std::min(origin, at);
    for (const auto& [label, warps] : at_) {
      std::uint64_t first = ~std::uint64_t{0}, last = 0;
      for (const auto& [warp, at] : warps) {
        first = std::min(first, at);
        last = std::max(last, at);
      }
      values[label] = static_cast<double>(last - origin);
      values[label + "_first"] = static_cast<double>(first - origin);
    }
  }

 private:
  const std::map<std::string, std::uint32_t>& labels_;
  std::map<std::string, std::map<std::uint32_t, std::uint64_t>> at_;  ///< by label and warp
};

double cycles_of(const Program& program, const config::GpuConfig& gpu, std::uint64_t turns, const std::string& file,
                 LastTurn& labels) {
  trace::KernelInfo kernel;
  kernel.name = file;
  kernel.sm = gpu.arch;
  kernel.registers = program.registers;
  kernel.static_shared = program.shared;
  kernel.block = {32 * program.warps, 1, 1};
  kernel.code_address = kCode;
  kernel.constant_address = kConstants;
  kernel.code = isa::assemble(program.code, file, isa::architecture(gpu.arch));
  auto block = std::make_shared<trace::BlockTrace>();
  block->warps.assign(program.warps, stream_of(kernel, LaneMask{0xffffffffu >> (32 - program.lanes)}, turns, file));
  trace::MemoryTrace source(kernel);
  source.add(block);
  arch::Gpu simulated(gpu);
  arch::RunOptions options;
  options.pipeline = &labels;
  return static_cast<double>(simulated.run(source, options).cycles.value);
}

}  // namespace

std::vector<std::pair<std::string, double>> run_sass_benchmark(std::string_view text, const std::string& file,
                                                               const config::GpuConfig& gpu,
                                                               const std::vector<std::string>& arguments) {
  const Program program = read_program(with_arguments(text, file, arguments), file);
  LastTurn labels(program.labels);
  const double few = cycles_of(program, gpu, kFewTurns, file, labels),
               many = cycles_of(program, gpu, kManyTurns, file, labels);
  const double turn = (many - few) / static_cast<double>(kManyTurns - kFewTurns);
  if (turn <= 0) throw InputError("{}: no branch goes back to a label: there is no loop to time", file);
  NamedValues variables{{"cycles", turn}, {"warps", program.warps}};
  labels.add_to(variables);
  std::vector<std::pair<std::string, double>> values;
  for (const auto& [id, expression] : program.answers) values.emplace_back(id, evaluate(expression, gpu, variables));
  return values;
}

}  // namespace sassim::validate
