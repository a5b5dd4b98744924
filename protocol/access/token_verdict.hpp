#pragma once

#include "protocol/access/principal.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace troupe::protocol {

/// Result of the verification of a token.
struct token_verdict {
  /// `unavailable`: the issuer cannot be queried now, so that the token cannot be judged. `too_many`: the token was not
  /// examined, since too many come from its address.
  enum class kind { good, bad, unavailable, too_many };
  kind is = kind::bad;
  /// Caller with a good token.
  caller who = {};
  /// Reason of any other verdict, in one line for the client.
  std::string why = {};
  /// Time for which a good token need not be verified again, unless it expires before.
  std::chrono::milliseconds keep = {};
  /// Time after which to try again, with `too_many`.
  std::chrono::milliseconds pause = {};

  static token_verdict bad(std::string why) { return {.why = std::move(why)}; }
  static token_verdict unavailable(std::string why) { return {.is = kind::unavailable, .why = std::move(why)}; }
  static token_verdict too_many(std::string why, std::chrono::milliseconds pause) {
    return {.is = kind::too_many, .why = std::move(why), .pause = pause};
  }
};

/// Decides whether a stream that was opened with a token may continue. The token is verified again while the stream
/// lives, as if a request came with it. Facts in, decisions out.
class credential_watch {
public:
  /// Longest interval between verifications.
  static constexpr std::chrono::seconds period{30};
  /// Time for which a stream continues while its issuer is away. Clients that connect again are refused meanwhile.
  static constexpr std::chrono::minutes longest_doubt{5};

  enum class next { proceed, ask, end };

  /// `who` has opened the stream with a token that is valid at `now`.
  credential_watch(caller who, time_point now) : who_{std::move(who)}, known_{now}, look_at_{now} {}

  // -- facts
  /// Takes a cached result: the token belongs to `who`, and need not be verified before `until`.
  next is_known(const caller& who, time_point until, time_point now);
  /// Takes a missing result: the token must be verified. When the caller itself has expired, its session ends the
  /// stream, in an order that loses nothing (see `good_until`).
  next is_not_known(time_point now, calendar_time date);
  /// Takes the result of the verification that `next::ask` requested.
  next verdict_received(const token_verdict& verdict, time_point now);
  /// Time of the next verification; max() while one is under way.
  time_point deadline() const { return look_at_; }

private:
  caller who_;
  /// Time when the token was last known to be good.
  time_point known_;
  time_point look_at_;
};

/// True if one principal may continue the streams of the other: the same caller with the same rights.
bool has_same_rights(const principal& one, const principal& other);

} // namespace troupe::protocol
