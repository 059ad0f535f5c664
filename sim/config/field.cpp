// SPDX-License-Identifier: Apache-2.0
// Parses and prints the value of a key by its unit and range, and finds keys and groups by their dotted names.
#include "sim/config/field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "sim/base/suggest.h"
#include "sim/config/describe.h"
#include "sim/isa/architecture.h"

namespace sassim::config {

namespace {

constexpr std::size_t kMaxListLength = 1024;
constexpr std::uint64_t kMostSm = 9999;  ///< larger numbers are shown as this one

std::string out_of_range(const Field& field, std::string_view text) {
  return fmt::format("{} is out of range; allowed: {}", text, field.range());
}

std::string parse_name(const Field& field, std::string_view text, std::string& value) {
  const auto& names = field.spec.names;
  if (!names.empty() && !field.spec.plugin && std::find(names.begin(), names.end(), text) == names.end())
    return fmt::format("unknown name '{}'{}; known: {}", text, did_you_mean(text, names), fmt::join(names, ", "));
  const bool word = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  });
  if (text.empty() || !word) return fmt::format("'{}' is not a name (letters, digits, '_' and '-')", text);
  value = text;
  return {};
}

std::string parse_flag(std::string_view text, bool& value) {
  if (text != "true" && text != "false") return fmt::format("'{}' is neither true nor false", text);
  value = text == "true";
  return {};
}

std::string parse_real(const Field& field, std::string_view text, double& value) {
  double parsed = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(parsed))
    return fmt::format("'{}' is not a number", text);
  if (parsed < static_cast<double>(field.spec.min) || parsed > static_cast<double>(field.spec.max))
    return out_of_range(field, text);
  value = parsed;
  return {};
}

template <class Number>
std::string parse_whole(const Field& field, std::string_view text, Number& value) {
  std::uint64_t parsed = 0;
  std::string problem = parse_quantity(text, field.spec.unit, parsed);
  if (!problem.empty()) return problem;
  const auto limit = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
  if (field.spec.unit == Unit::arch)
    if (const auto sm = static_cast<int>(std::min(parsed, kMostSm)); isa::find_architecture(sm) == nullptr)
      return isa::unknown_architecture(sm);
  if (parsed < field.spec.min || parsed > std::min(field.spec.max, limit)) return out_of_range(field, text);
  value = static_cast<Number>(parsed);
  return {};
}

/// Adds quotes if YAML could read the plain text as something else.
std::string quote(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

struct Parser {
  const Field& field;
  std::string_view text;

  std::string operator()(std::string* value) const {
    if (field.spec.unit == Unit::name) return parse_name(field, text, *value);
    *value = text;
    return {};
  }
  std::string operator()(bool* value) const { return parse_flag(text, *value); }
  std::string operator()(double* value) const { return parse_real(field, text, *value); }
  std::string operator()(std::vector<std::uint64_t>* list) const {
    std::uint64_t element = 0;
    std::string problem = parse_whole(field, text, element);
    if (!problem.empty()) return problem;
    if (list->size() >= kMaxListLength) return fmt::format("more than {} values", kMaxListLength);
    list->push_back(element);
    return {};
  }
  template <class Number>
  std::string operator()(Number* value) const {
    return parse_whole(field, text, *value);
  }
};

struct Formatter {
  Unit unit;

  std::string operator()(const std::string* value) const { return unit == Unit::text ? quote(*value) : *value; }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const double* value) const { return fmt::format("{}", *value); }
  std::string operator()(const std::vector<std::uint64_t>* list) const {
    std::vector<std::string> words;
    for (std::uint64_t element : *list) words.push_back(format_quantity(element, unit));
    return fmt::format("[{}]", fmt::join(words, ", "));
  }
  template <class Number>
  std::string operator()(const Number* value) const {
    return format_quantity(static_cast<std::uint64_t>(*value), unit);
  }
};

Spec spec_of(Unit unit, std::uint64_t min, std::uint64_t max) {
  return {unit, min, max, {}, false, Domain::none, false};
}

/// The fields of a new GpuConfig, whose values switch every mechanism off.
const FieldList& switched_off() {
  static GpuConfig config;
  static const FieldList list(config);
  return list;
}

/// For each key of an optional group, and each key that may be left out, the value that switches the mechanism off.
const std::map<std::string, std::string, std::less<>>& values_of_none() {
  static const auto values = [] {
    const FieldList& list = switched_off();
    std::map<std::string, std::string, std::less<>> found;
    for (const Field& field : list.fields())
      if (field.optional || list.option_of(field)) found[field.path] = field.format();
    return found;
  }();
  return values;
}

}  // namespace

Spec count(std::uint64_t min, std::uint64_t max) { return spec_of(Unit::count, min, max); }
Spec cycles(std::uint64_t min, std::uint64_t max) { return spec_of(Unit::cycles, min, max); }
Spec bytes(std::uint64_t min, std::uint64_t max) { return spec_of(Unit::bytes, min, max); }
Spec hertz(std::uint64_t min, std::uint64_t max) { return spec_of(Unit::hertz, min, max); }
Spec ratio(std::uint64_t min, std::uint64_t max) { return spec_of(Unit::ratio, min, max); }
Spec rate(std::uint64_t min, std::uint64_t max) { return spec_of(Unit::rate, min, max); }
Spec time(Domain domain, std::uint64_t min, std::uint64_t max) {
  Spec spec = spec_of(Unit::cycles, min, max);
  spec.domain = domain;
  return spec;
}
Spec mask(std::uint64_t max) { return spec_of(Unit::mask, 0, max); }
Spec architecture() {
  const auto known = isa::architectures();
  return spec_of(Unit::arch, static_cast<std::uint64_t>(known.front().sm), static_cast<std::uint64_t>(known.back().sm));
}
Spec flag() { return spec_of(Unit::flag, 0, 1); }
Spec text() { return spec_of(Unit::text, 0, 0); }
Spec one_of(std::initializer_list<std::string> names) { return {Unit::name, 0, 0, names, false, Domain::none, false}; }
Spec plugin() { return {Unit::name, 0, 0, {}, true, Domain::none, false}; }

std::string Field::parse(std::string_view text) const { return std::visit(Parser{*this, text}, member); }

void Field::clear_list() const { std::get<std::vector<std::uint64_t>*>(member)->clear(); }

std::string Field::format() const { return std::visit(Formatter{spec.unit}, member); }

std::string Field::range() const {
  switch (spec.unit) {
    case Unit::flag:
      return "true or false";
    case Unit::text:
      return "any text";
    case Unit::name:
      return spec.names.empty() ? "a policy's name" : fmt::format("one of {}", fmt::join(spec.names, ", "));
    case Unit::ratio:
      return fmt::format("{}..{}", spec.min, spec.max);
    case Unit::arch:
      return fmt::format("one of {}", isa::known_architectures());
    default:
      break;
  }
  std::string_view unit = spec.unit == Unit::cycles ? " cycles" : "";
  if (spec.domain != Domain::none) unit = " cycles, or a time in ns";
  if (spec.as_sm) unit = ", or sm";
  return fmt::format("{}..{}{}", format_quantity(spec.min, spec.unit), format_quantity(spec.max, spec.unit), unit);
}

FieldList::FieldList(GpuConfig& config) {
  fields_.reserve(640);  // more than there are: a list is made several times before a run begins
  groups_.reserve(128);
  describe(*this, config);
}

const Field* FieldList::find(std::string_view path) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.path == path; });
  return found == fields_.end() ? nullptr : &*found;
}

const Group* FieldList::find_group(std::string_view path) const {
  const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.path == path; });
  return found == groups_.end() ? nullptr : &*found;
}

std::vector<std::string> FieldList::paths() const {
  std::vector<std::string> all;
  for (const Field& field : fields_) all.push_back(field.path);
  return all;
}

std::vector<std::string> FieldList::children(std::string_view prefix) const {
  const std::string start = prefix.empty() ? std::string() : std::string(prefix) + ".";
  std::vector<std::string> names;
  for (const Field& field : fields_) {
    if (!field.path.starts_with(start)) continue;
    std::string name = field.path.substr(start.size(), field.path.find('.', start.size()) - start.size());
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

bool FieldList::is_absent(const Group& group) const {
  return group.optional && std::all_of(fields_.begin(), fields_.end(), [&](const Field& field) {
           return option_of(field) != &group || field.format() == values_of_none().at(field.path);
         });
}

bool FieldList::is_absent(const Field& field) const {
  if (field.optional && field.format() == values_of_none().at(field.path)) return true;
  const Group* group = option_of(field);
  return group && is_absent(*group);
}

void FieldList::remove(const Group& group) const {
  const FieldList& off = switched_off();
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (option_of(fields_[i]) == &group)
      std::visit([&](auto* member) { *member = *std::get<decltype(member)>(off.fields()[i].member); },
                 fields_[i].member);
}

}  // namespace sassim::config
