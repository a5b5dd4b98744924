#pragma once

#include "protocol/access/principal.hpp"
#include "protocol/time.hpp"

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

/// Whether a stream may go on that was opened with a token: this is found out again while the stream lives, as
/// if a request came with it. Facts in, what to do out.
class credential_watch {
public:
  /// How often it is found out again, at least.
  static constexpr std::chrono::seconds period{30};
  /// For how long a stream goes on while its issuer is away. A client that comes anew is refused meanwhile.
  static constexpr std::chrono::minutes longest_doubt{5};

  enum class next { go_on, ask, end };

  /// `who` has opened it, by what is known now.
  credential_watch(caller who, time_point now) : who_{std::move(who)}, known_{now}, look_at_{now} {}

  // -- facts
  /// What is known without asking: who has it, which need not be found out before `until`.
  next is_known(const caller& who, time_point until, time_point now);
  /// Nothing is: the token has to be looked at. When the caller's own time is over its session ends the stream, in an
  /// order that loses nothing (see `good_until`).
  next is_not_known(time_point now, calendar_time date);
  /// What was found out, after `ask`.
  next judged(const token_verdict& verdict, time_point now);
  /// When it is to be looked at again; never while that is being asked.
  time_point deadline() const { return look_at_; }

private:
  caller who_;
  /// When it was last known to be good.
  time_point known_;
  time_point look_at_;
};

/// Whether what one of them has begun may go on for the other: it is the same caller, who may do the same.
bool has_same_rights(const principal& one, const principal& other);

} // namespace troupe::protocol
