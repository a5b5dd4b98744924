#pragma once

#include "deploy/operator/admin_place.hpp"
#include "deploy/operator/operator_command.hpp"

#include <string>
#include <vector>

namespace troupe::deploy {

/// The token that an operator's command shows, and how it came by it.
struct operator_token {
  /// Empty when none is shown.
  std::string text = {};
  /// The gateway's own file, when nobody has named another.
  std::string found_in = {};
  /// Where there was no such file.
  std::vector<std::string> looked_for = {};
};

/// Reads the token that the options name, or the variable `TROUPE_ADMIN_TOKEN`. Without either, a gateway on loopback
/// may have made one: it is searched for by address and port, and `place` becomes that address, so that nobody else is
/// shown it. Throws `operator_failure`.
operator_token token_for(const operator_options& options, admin_place& place);

/// What an operator is told whom the gateway at that place has not let in, and what to do.
std::string refused_token_text(const std::string& at, const operator_token& shown);

} // namespace troupe::deploy
