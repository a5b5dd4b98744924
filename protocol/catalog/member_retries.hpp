#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace troupe::protocol {

/// What servers are asked again because they failed and nobody else would find out that they work now: `initialize` of
/// a server that exited before it answered, and a list that was answered with an error or not at all. Pauses double
/// from one failure to the next, from a second to a minute, and begin anew when none has failed for a minute longer
/// than the last pause. With a seed, each is up to half shorter, so that the sessions of one server do not ask it all
/// at once.
class member_retries {
public:
  /// 0 for none.
  explicit member_retries(std::uint64_t seed = 0) : is_shortened_{seed != 0}, dice_{seed} {}

  struct request {
    std::uint64_t server = 0;
    /// The list; nothing for `initialize`.
    std::optional<list_kind> list = {};

    friend bool operator==(const request&, const request&) = default;
  };

  void failed(const request& what, time_point now);
  /// Whether what is to be done once may be done now. If it was done a short time ago, this is false, and it is due
  /// after a pause, as after a failure.
  bool is_due_now(const request& what, time_point now);
  /// It has succeeded, or another has asked for it: it is not asked again unless it fails. What fails again soon waits
  /// longer than before, so that a list of which only a part works does not make clients ask for it all the time.
  void cancel(const request& what);
  /// Ends its retries, and forgets its pause.
  void forget(const request& what);
  /// The server was removed.
  void forget_all(std::uint64_t server);
  /// What is to be asked now; each once until it has failed again.
  std::vector<request> take_due(time_point now);

  /// Never when there is none.
  time_point deadline() const;

private:
  struct retry {
    request what;
    std::chrono::seconds pause{0};
    time_point at = time_point::max();
    time_point failed = {};

    bool is_recent(time_point now) const;
  };

  retry* find(const request& what);
  time_point after(std::chrono::seconds pause, time_point now);

  bool is_shortened_;
  /// Of few bytes: each session has one.
  std::minstd_rand dice_;
  /// Of few servers.
  std::vector<retry> all_;
};

} // namespace troupe::protocol
