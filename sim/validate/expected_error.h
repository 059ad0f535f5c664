// SPDX-License-Identifier: Apache-2.0
// How far the cycles of a GPU can be trusted: the error against measured cycles, as the GPU's page in validation/
// states it, and how many values of its configuration are assumed.
#pragma once

#include <optional>
#include <string>

#include "sim/config/loader.h"

namespace sassim::validate {

struct ExpectedError {
  double mean = 0;       ///< percent; over kernels that no configuration value was chosen by, if the page has some
  std::string measured;  ///< "404 validation kernels with cold caches, worst 23.0 %"
};

/// For kernels that start with these caches ("cold", "keep", ...). Empty for a GPU without a page about such kernels,
/// and for a GPU with changed values ("t4 with ...").
std::optional<ExpectedError> expected_error(const std::string& config_name, const std::string& caches);

/// The same from the text of a page.
std::optional<ExpectedError> expected_error_in(const std::string& page, const std::string& config_name,
                                               const std::string& caches);

/// How far the cycles of a GPU can be trusted.
struct Trust {
  std::string word;  ///< "measured" (kernels on the board), "published" (microbenchmarks), or "carried over"
  std::string page;  ///< that says more, below the folder of sassim's data
};
/// `config_name` may name changed values, too ("t4 with ..."): the word is the GPU's.
Trust trust_in(const std::string& config_name);

/// "Expected error of the cycles: 4.1 % (404 validation kernels ...)." or why it is unknown, and the share of values of
/// the configuration that are assumed; then the word of trust_in and its page.
std::string trust_sentence(const std::optional<ExpectedError>& error, const config::LoadedConfig& loaded,
                           const std::string& config_name, const std::string& caches);

}  // namespace sassim::validate
