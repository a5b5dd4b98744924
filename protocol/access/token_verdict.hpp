#pragma once

#include "protocol/access/principal.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace troupe::protocol {

/// What was found out of a token.
struct token_verdict {
  /// `unavailable`: its issuer cannot be asked now, so that nobody can tell.
  enum class kind { good, bad, unavailable };
  kind is = kind::bad;
  /// Of a good one.
  caller who = {};
  /// Of any other: one line for the client.
  std::string why = {};
  /// For how long a good one need not be looked at again, unless it expires before.
  std::chrono::milliseconds keep = {};

  static token_verdict bad(std::string why) { return {.why = std::move(why)}; }
  static token_verdict unavailable(std::string why) { return {.is = kind::unavailable, .why = std::move(why)}; }
};

} // namespace troupe::protocol
