#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// Which options of a server are valid that concern its callers and its tokens. What is wrong is said in words that
// follow the server's name.

/// What a server needs to know of its callers, and what of that there is.
struct caller_needs {
  /// Its headers or its environment say who asks.
  bool is_told = false;
  /// The callers' tokens are exchanged for others.
  bool exchanges = false;
  /// Each of its processes, or sessions with it, has one caller only.
  bool has_one_caller = true;
  /// Callers show keys, tokens or certificates; tokens.
  bool knows_callers = false;
  bool knows_tokens = false;
};
/// Empty when nothing is wrong.
std::string fault_of_needs(const caller_needs& of);

/// How tokens for a server are obtained, as far as it can be wrong.
struct grant_words {
  std::string_view issuer;
  std::string_view endpoint;
  std::string_view client_id;
  std::string_view client_secret;
  std::optional<std::string_view> resource = {};
  std::vector<std::string_view> scopes = {};
  /// `Authorization` is configured as well.
  bool has_own_header = false;
};
/// Empty when nothing is wrong.
std::string fault_of_grant(const grant_words& of);

} // namespace troupe::protocol
