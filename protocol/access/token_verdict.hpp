#pragma once

#include "protocol/access/principal.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace troupe::protocol {

/// What was found out of a token.
struct token_verdict {
  /// `unavailable`: its issuer cannot be asked now, so that nobody can tell. `too_many`: it was not looked at, since
  /// too many come from where it does.
  enum class kind { good, bad, unavailable, too_many };
  kind is = kind::bad;
  /// Of a good one.
  caller who = {};
  /// Of any other: one line for the client.
  std::string why = {};
  /// For how long a good one need not be looked at again, unless it expires before.
  std::chrono::milliseconds keep = {};
  /// Of one too many: when to come again.
  std::chrono::milliseconds pause = {};

  static token_verdict bad(std::string why) { return {.why = std::move(why)}; }
  static token_verdict unavailable(std::string why) { return {.is = kind::unavailable, .why = std::move(why)}; }
  static token_verdict too_many(std::string why, std::chrono::milliseconds pause) {
    return {.is = kind::too_many, .why = std::move(why), .pause = pause};
  }
};

} // namespace troupe::protocol
