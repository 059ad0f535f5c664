// SPDX-License-Identifier: Apache-2.0
// Links the cubins, PTX and objects that a program gives to cuLink into one cubin, with nvlink.
#include "sim/isa/link.h"

#include <elf.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/printable.h"
#include "sim/isa/child_output.h"
#include "sim/isa/memory_file.h"
#include "sim/isa/ptx.h"

namespace sassim::isa {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLongest{600};
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// A folder that is gone with the object. nvlink tells kinds of files apart by the ends of their names.
class WorkFolder {
 public:
  WorkFolder() {
    std::string name = (fs::temp_directory_path() / "sassim-link-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw InputError("cannot make the folder {} to link in", name);
    path_ = name;
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// What a tool says, with the program's names of the files.
std::string with_names(std::string text, const std::vector<std::string>& files, const std::vector<LinkInput>& inputs) {
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t at = 0; (at = text.find(files[i], at)) != std::string::npos; at += inputs[i].name.size())
      text.replace(at, files[i].size(), inputs[i].name);
  return text;
}

ChildOutput run_tool(const std::vector<std::string>& arguments, std::span<const std::uint8_t> input,
                     const std::string& name) {
  const MemoryFile file(input);
  const ChildOutput output = run_for_output(arguments, file.descriptor(), {kLongest, kMostBytes});
  if (output.end == ChildOutput::End::too_late)
    throw InputError("{}: {} had not ended after {} s", name, printable(arguments[0]), kLongest.count());
  return output;
}

/// Throws unless the tool ended well.
void check(const ChildOutput& output, const std::string& tool, const std::string& name, std::string text) {
  if (output.end == ChildOutput::End::well) return;
  text = text.substr(0, text.find('\n'));
  throw InputError("{}: {} refused it: {}", name, printable(tool), printable(text));
}

std::string_view ending(LinkInput::Kind kind) {
  switch (kind) {
    case LinkInput::Kind::object:
      return "o";
    case LinkInput::Kind::archive:
      return "a";
    default:
      return "cubin";
  }
}

}  // namespace

std::vector<std::uint8_t> link_code(const std::vector<LinkInput>& inputs, int sm) {
  if (inputs.empty()) throw InputError("link: there is nothing to link");
  if (inputs.size() == 1 && inputs[0].kind == LinkInput::Kind::ptx)
    return compile_ptx({reinterpret_cast<const char*>(inputs[0].bytes.data()), inputs[0].bytes.size()}, sm,
                       inputs[0].name);
  const std::string ptxas = find_ptxas();
  const std::string nvlink = fs::path(ptxas).replace_filename("nvlink").string();
  if (ptxas.empty() || !fs::exists(nvlink))
    throw NotSupported("link: linking needs ptxas and nvlink: install them with tools/bootstrap --with-cuda");
  const WorkFolder folder;
  const std::string target = fmt::format("-arch=sm_{}", sm), made = folder.file("linked.cubin");
  std::vector<std::string> files;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const LinkInput& input = inputs[i];
    files.push_back(folder.file(fmt::format("{}.{}", i, ending(input.kind))));
    if (input.kind == LinkInput::Kind::ptx) {
      const ChildOutput output =
          run_tool({ptxas, "-w", "-c", target, "-o", files.back(), "/proc/self/fd/0"}, input.bytes, input.name);
      check(output, ptxas, input.name, output.text);
    } else {
      write_durably(files.back(), {reinterpret_cast<const char*>(input.bytes.data()), input.bytes.size()});
    }
  }
  std::vector<std::string> arguments = {nvlink, target, "-o", made};
  arguments.insert(arguments.end(), files.begin(), files.end());
  const ChildOutput output = run_tool(arguments, {}, "link");
  check(output, nvlink, "link", with_names(output.text, files, inputs));
  const std::optional<std::string> linked = read_whole_file(made);
  if (!linked || !linked->starts_with(ELFMAG)) throw InputError("link: {} made no cubin", printable(nvlink));
  return {linked->begin(), linked->end()};
}

}  // namespace sassim::isa
