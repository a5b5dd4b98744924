#pragma once

#include "protocol/backoff.hpp"
#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace troupe::protocol {

/// Requests that are repeated after a failure, as no client would notice that the server works again. Repeats
/// `initialize` of a server that exited before it answered, and lists that failed or were not answered. Pauses double
/// with each failure, from a second to a minute. They start over if none failed for a minute longer than the last
/// pause. With a seed, each pause is up to half shorter, so that the sessions of a server do not ask it all at once.
class member_retries {
public:
  /// `seed` is 0 for no jitter.
  explicit member_retries(std::uint64_t seed = 0) : is_shortened_{seed != 0}, dice_{seed} {}

  struct request {
    std::uint64_t server = 0;
    /// List to request; empty for `initialize`.
    std::optional<list_kind> list = {};

    friend bool operator==(const request&, const request&) = default;
  };

  void failed(const request& what, time_point now);
  /// True if an action may be done now. If it was done a short time ago, returns false and schedules it after a pause,
  /// as after a failure.
  bool is_due_now(const request& what, time_point now);
  /// Cancels retries after a success or another request for the same, until it fails again. Keeps the pause, which then
  /// grows if the failure is soon. A list that works in part does not make clients request it all the time.
  void cancel(const request& what);
  /// Cancels retries and forgets the pause.
  void forget(const request& what);
  /// Forgets a removed server.
  void forget_all(std::uint64_t server);
  /// Returns the requests to repeat now, each once until it fails again.
  std::vector<request> extract_due(time_point now);

  /// Time of the next retry; max() if there is none.
  time_point deadline() const;

private:
  static constexpr std::chrono::seconds first_pause{1};
  static constexpr std::chrono::seconds longest_pause{60};

  struct retry {
    request what;
    backoff pause{first_pause, longest_pause};
    time_point at = time_point::max();
    time_point failed = {};

    bool is_recent(time_point now) const;
  };

  retry* find(const request& what);
  time_point after(std::chrono::milliseconds pause, time_point now);

  bool is_shortened_;
  /// Small generator, as each session has one.
  std::minstd_rand dice_;
  /// Retries of a few servers.
  std::vector<retry> all_;
};

} // namespace troupe::protocol
