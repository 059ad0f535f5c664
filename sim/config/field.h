// SPDX-License-Identifier: Apache-2.0
// The field list: every configurable member with its dotted key, range, unit and meaning. Parsing, checks, dumps and
// documentation use the list and do not name members.
//
// To add a member: one line in the header of its group (groups/) and one line in the group's describe() (fields_*.cpp).
// The meaning says what the key is in the hardware and what happens when it grows; the comment in the YAML files says
// where the value comes from.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/config/units.h"

namespace sassim::config {

struct GpuConfig;

/// The clock whose cycles a field counts, if the value may also be given in nanoseconds.
enum class Domain : std::uint8_t { none, sm, l2, dram };

/// The values that a field accepts.
struct Spec {
  Unit unit = Unit::count;
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::string> names;  ///< Unit::name: the allowed names; empty if plug-ins define them
  bool plugin = false;             ///< Unit::name: plug-ins may add names (see KnownNames)
  Domain domain = Domain::none;    ///< Unit::cycles: the clock that converts 14.4ns and 83+57ns to cycles
  bool as_sm = false;              ///< Unit::hertz: the value "sm" means the SM clock
};

Spec count(std::uint64_t min, std::uint64_t max);
Spec cycles(std::uint64_t min, std::uint64_t max);
Spec bytes(std::uint64_t min, std::uint64_t max);
Spec hertz(std::uint64_t min, std::uint64_t max);
Spec rate(std::uint64_t min, std::uint64_t max);
/// Cycles that may also be given as time: 14.4ns, or a sum such as 83+57ns; rounded up to cycles of `domain`.
Spec time(Domain domain, std::uint64_t min, std::uint64_t max);
/// A real number between two whole numbers.
Spec ratio(std::uint64_t min, std::uint64_t max);
/// A bit mask, written in hexadecimal.
Spec mask(std::uint64_t max);
/// An architecture of the table (sim/isa/architecture.h).
Spec architecture();
Spec flag();
Spec text();
Spec one_of(std::initializer_list<std::string> names);
/// The name of a registered policy.
Spec plugin();

/// One member of one GpuConfig object; `member` points into that object.
struct Field {
  using Member =
      std::variant<std::uint32_t*, std::uint64_t*, int*, double*, bool*, std::string*, std::vector<std::uint64_t>*>;
  std::string path;  ///< dotted path from the top of the YAML file
  Member member;
  Spec spec;
  std::string meaning;
  std::size_t option = static_cast<std::size_t>(-1);  ///< of the optional group in FieldList::groups(); -1: none
  bool optional = false;                              ///< may be left out, which means 0, false or an empty list

  bool is_list() const { return std::holds_alternative<std::vector<std::uint64_t>*>(member); }
  /// Reads one scalar; for a list, reads one element and appends it. Returns the error, or an empty string.
  std::string parse(std::string_view text) const;
  void clear_list() const;
  /// The value on one line, as YAML writes it; it reads back as the same value.
  std::string format() const;
  /// "1..64 cycles", "one of a, b", ...
  std::string range() const;
};

/// A mapping of the YAML: its path and its meaning.
struct Group {
  std::string path;
  std::string meaning;
  /// A mechanism that a GPU may lack, written `merge: none`. Its keys then have the values of a new GpuConfig, which
  /// switch it off.
  bool optional = false;
  bool partly = false;  ///< a configuration may set some of its keys; the others are off
};

/// All fields of one GpuConfig object, in the order of the file. The object must outlive the list.
class FieldList {
 public:
  explicit FieldList(GpuConfig& config);

  const std::vector<Field>& fields() const { return fields_; }
  const std::vector<Group>& groups() const { return groups_; }
  /// The field with this full path, or nullptr.
  const Field* find(std::string_view path) const;
  const Group* find_group(std::string_view path) const;
  std::vector<std::string> paths() const;
  /// The names that may follow `prefix` ("" is the top level).
  std::vector<std::string> children(std::string_view prefix) const;
  /// The optional group that the key belongs to, or nullptr.
  const Group* option_of(const Field& field) const {
    return field.option < groups_.size() ? &groups_[field.option] : nullptr;
  }
  /// Whether the GPU lacks this optional group: all its keys have the values that switch it off.
  bool is_absent(const Group& group) const;
  /// Whether the key is of such a group, or may be left out and is.
  bool is_absent(const Field& field) const;
  /// Sets the group's keys to the values that switch it off.
  void remove(const Group& group) const;

  // For describe(): adds a member, or the members of a struct under a key.
  template <class T>
  void add(std::string_view key, T& member, Spec spec, std::string_view meaning) {
    fields_.push_back({prefix_ + std::string(key), &member, std::move(spec), std::string(meaning), option_, false});
  }
  /// Adds a member that a configuration may leave out: it then has the value of a new GpuConfig, which is 0, false,
  /// none or an empty list and says that the GPU lacks what the key is about.
  template <class T>
  void optional(std::string_view key, T& member, Spec spec, std::string_view meaning) {
    fields_.push_back({prefix_ + std::string(key), &member, std::move(spec), std::string(meaning), option_, true});
  }
  template <class Struct>
  void group(std::string_view key, Struct& member, std::string_view meaning) {
    const std::string outer = prefix_;
    groups_.push_back({prefix_ + std::string(key), std::string(meaning), false, false});
    prefix_ += std::string(key) + ".";
    describe(*this, member);
    prefix_ = outer;
  }
  /// Adds a group that a GPU may lack; `describe_keys` adds its members. `partly`: see Group.
  static constexpr bool kPartly = true;
  template <class Describe>
  void option(std::string_view key, std::string_view meaning, const Describe& describe_keys, bool partly = false) {
    const std::string outer = prefix_;
    groups_.push_back({prefix_ + std::string(key), std::string(meaning), true, partly});
    prefix_ += std::string(key) + ".";
    const std::size_t outer_option = option_;
    if (option_ == kNoOption) option_ = groups_.size() - 1;
    describe_keys();
    option_ = outer_option;
    prefix_ = outer;
  }

 private:
  static constexpr std::size_t kNoOption = static_cast<std::size_t>(-1);

  std::string prefix_;
  std::size_t option_ = kNoOption;  ///< the optional group that is being described
  std::vector<Field> fields_;
  std::vector<Group> groups_;
};

}  // namespace sassim::config
