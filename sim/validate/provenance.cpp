// SPDX-License-Identifier: Apache-2.0
// Finds the comments of keys and the pages that cite a row, which then counts as fitted.
#include "sim/validate/provenance.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>
#include <utility>

#include "sim/base/input_file.h"
#include "sim/base/markup.h"
#include "sim/isa/opcode.h"
#include "sim/validate/glob.h"

namespace sassim::validate {

namespace fs = std::filesystem;

namespace {

/// Calls `take` with the groups of each match, from left to right. A comment or a page may be as long as its file: RE2
/// neither recurses nor tries a text twice.
template <std::size_t groups, class Take>
void each_match(std::string_view text, const re2::RE2& pattern, Take take) {
  const re2::StringPiece whole(text.data(), text.size());
  std::array<re2::StringPiece, groups + 1> found;
  for (std::size_t at = 0; pattern.Match(whole, at, whole.size(), re2::RE2::UNANCHORED, found.data(), groups + 1);) {
    std::array<std::string, groups + 1> texts;
    for (std::size_t i = 0; i <= groups; ++i) texts[i].assign(found[i].data() ? found[i].data() : "", found[i].size());
    take(texts);
    at = static_cast<std::size_t>(found[0].data() - whole.data()) + found[0].size();
  }
}

/// The report that words such as "micro 2025" or "v100 report" name: a report is named by the word before it.
std::string report_name(const std::string& given) {
  std::string words = upper_case(given);
  constexpr std::string_view kReport = " REPORT";
  if (words.ends_with(kReport)) words.replace(words.size() - kReport.size(), kReport.size(), " report");
  return words;
}

/// Whether a cited word names the row: its id, a prefix of the id that ends at a dot, or a pattern.
bool names_row(const std::string& cited, const std::string& id) {
  return cited == id || id.starts_with(cited + ".") || matches_glob(cited, id);
}

/// The parts of a text between anything that is no letter or digit, in lower case; '_' is kept if `joined`.
std::set<std::string> words_of(std::string_view text, bool joined) {
  std::set<std::string> words;
  std::string word;
  for (const char c : lower_case(text) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || (joined && c == '_'))
      word += c;
    else if (!word.empty())
      words.insert(std::exchange(word, ""));
  }
  return words;
}

/// The classes of the instructions that the row's id names: lat.iadd3 is about sm.pipes.ops.<class of IADD3>.
std::set<std::string> op_classes(const Target& target) {
  std::set<std::string> classes;
  for (const std::string& name : words_of(target.answer.empty() ? target.id : target.answer, true))
    if (const isa::OpcodeRow* row = isa::find_opcode(upper_case(name)))
      classes.insert(std::string(isa::op_class_name(row->op)));
  return classes;
}

/// How much a key has to do with a row.
std::size_t nearness(const std::string& key, const Target& target) {
  constexpr std::size_t kInstruction = 100;  // more than any number of words
  const std::set<std::string> about = words_of(target.id + " " + target.quantity, false);
  std::size_t shared = 0;
  for (const std::string& word : words_of(key, false)) shared += about.count(word);
  for (const std::string& part : words_of(key, true)) shared += op_classes(target).contains(part) ? kInstruction : 0;
  return shared;
}

/// Of several keys the one that has most to do with the row; if none stands out, how many there are.
std::string best_of(const std::vector<std::string>& keys, const Target& target) {
  std::string best = keys.front();
  std::size_t most = nearness(best, target), equals = 1;
  for (auto at = keys.begin() + 1; at != keys.end(); ++at) {
    const std::size_t near = nearness(*at, target);
    if (near > most) best = *at;
    equals = near > most ? 1 : equals + (near == most ? 1 : 0);
    most = std::max(most, near);
  }
  return equals == 1 ? best : fmt::format("one of {} keys that cite the table, such as {}", equals, best);
}

/// What a citation such as h200/l1.md#fences says: the section, or the whole page if it names none.
std::string cited_text(const std::string& measured, const std::string& citation) {
  const std::size_t mark = std::min(citation.find('#'), citation.size());
  const std::string page = read_whole_file(measured + "/" + citation.substr(0, mark)).value_or("");
  if (mark == citation.size()) return page;
  const std::vector<MarkdownSection> sections = sections_of(page);
  const auto cited = std::ranges::find(sections, citation.substr(mark + 1), &MarkdownSection::anchor);
  return cited == sections.end() ? "" : cited->text;
}

}  // namespace

std::string_view origin_name(Origin origin) {
  return origin == Origin::echo ? "echo" : origin == Origin::fitted ? "fitted" : "predicted";
}

std::set<std::string> cited_tables(std::string_view given) {
  // A report applies until the next one is named: "V100 report table 3.1, section 5.3; T4 report table 1".
  static const re2::RE2 kWords(
      R"(([a-z0-9]+ report|micro 2025|volkov)|(tables?|sections?|figures?|figs?\.?|chapters?) ([0-9]+(?:\.[0-9]+)?)|gpu-([a-z0-9]+(?:-[a-z0-9]+)*)|(disassembler('s)? depende))");
  const std::string text = lower_case(given);
  std::set<std::string> found;
  std::string report;
  each_match<5>(text, kWords, [&](const auto& match) {
    if (!match[1].empty())
      report = report_name(match[1]);
    else if (!match[2].empty() && !report.empty())
      found.insert(report + " " +
                   (match[2][0] == 't'   ? "table"
                    : match[2][0] == 'f' ? "figure"
                                         : "section") +
                   " " + match[3]);
    else if (!match[4].empty() && match[4] != "benches")
      found.insert("RRZE gpu-" + match[4]);
    else if (!match[5].empty())
      found.insert("disassembler's dependence tables");
  });
  return found;
}

std::set<std::string> cited_ids(std::string_view given) {
  static const re2::RE2 kId(R"([a-z][a-z0-9_-]*(?:\.(?:[a-z0-9_]*\*|[a-z0-9_]+))+)");
  std::set<std::string> found;
  each_match<0>(given, kId, [&](const auto& match) {
    if (!match[0].ends_with(".md")) found.insert(match[0]);
  });
  return found;
}

std::set<std::string> cited_pages(std::string_view given) {
  static const re2::RE2 kPage(R"([a-z0-9-]+/[a-z0-9-]+\.md(?:#[a-z0-9-]+)?)");
  std::set<std::string> found;
  each_match<0>(given, kPage, [&](const auto& match) { found.insert(match[0]); });
  return found;
}

Citations::Citations(const std::map<std::string, config::Provenance, std::less<>>& keys, const std::string& measured,
                     std::string_view gpu) {
  for (const auto& [key, set] : keys) {
    for (const std::string& table : cited_tables(set.comment)) tables_[table].push_back(key);
    for (const std::string& id : cited_ids(set.comment)) ids_.try_emplace(id, key);
    for (const std::string& page : cited_pages(set.comment))
      if (page.starts_with(std::string(gpu) + "/"))  // pages of other GPUs do not count
        add_page(cited_text(measured, page), key);
  }
  add_modelled_pages(fs::path(measured) / gpu);
}

void Citations::add_page(const std::string& text, const std::string& key) {
  static const re2::RE2 kProgram(R"([a-z0-9]+(?:_[a-z0-9]+)+)");
  for (const std::string& id : cited_ids(text)) ids_.try_emplace(id, key);
  each_match<0>(text, kProgram, [&](const auto& match) { programs_.try_emplace(match[0], key); });
}

void Citations::add_modelled_pages(const fs::path& folder) {
  constexpr std::size_t kSubject = 2;  // of a page that has several
  static const re2::RE2 kModelled(R"(\*\*Modelled in\*\*\s+`([^`]+)`)");
  std::error_code none;
  std::vector<fs::path> pages;
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none))
    if (at->path().extension() == ".md") pages.push_back(at->path());
  std::ranges::sort(pages);
  for (const fs::path& page : pages) {
    for (const MarkdownSection& section : sections_of(read_whole_file(page).value_or("")))
      if (std::string key; section.level == kSubject && re2::RE2::PartialMatch(section.text, kModelled, &key))
        add_page(section.text, key);
  }
}

std::string Citations::key_behind(const Target& target) const {
  if (target.published) {
    for (const std::string& table : cited_tables(target.source))
      if (const auto found = tables_.find(table); found != tables_.end()) return best_of(found->second, target);
  } else if (const auto found = programs_.find(target.benchmark.substr(0, target.benchmark.find(' ')));
             found != programs_.end()) {
    return found->second;
  }
  for (const auto& [cited, key] : ids_)
    if (names_row(cited, target.answer) || names_row(cited, target.id)) return key;
  return {};
}

}  // namespace sassim::validate
