#pragma once

#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

struct principal;

/// Position up to which a server's stream was read, to resume it over another connection, and time of the next attempt.
struct resume_point {
  /// Attempts without progress after which an answer is given up.
  static constexpr unsigned most_attempts = 5;

  std::string last_event = {};
  std::optional<std::chrono::milliseconds> retry = {};
  unsigned attempts = 0;
  /// Caller whose request the stream answers; null for no caller in particular.
  std::shared_ptr<const principal> requester = {};

  /// Records progress of the stream.
  void progressed(std::string_view at) {
    attempts = 0;
    if (!at.empty())
      last_event = at;
  }

  /// Returns the pause before the next attempt: the server's choice or one second, growing by half with every failed
  /// attempt, up to 30 seconds (2025-11-25, transports, "Sending Messages to the Server" 6). A floor of 100 ms protects
  /// servers that ask for no pause.
  std::chrono::milliseconds pause() const {
    constexpr std::chrono::milliseconds longest = std::chrono::seconds{30};
    constexpr std::chrono::milliseconds shortest{100};
    auto asked = std::max(retry.value_or(std::chrono::seconds{1}), shortest);
    auto grown = asked;
    for (unsigned i = 0; i < attempts && grown < longest; ++i)
      grown += grown / 2;
    return std::max(asked, std::min(grown, longest));
  }
};

/// Streams of a server that wait to reconnect, each by the id of the request that it answers; the id is empty for the
/// stream of the server's own messages. A stream waits once at most.
class stream_reconnects {
public:
  /// Stream whose pause is over.
  struct stream {
    std::string id;
    resume_point at;
  };

  /// `seed` randomizes the pauses.
  explicit stream_reconnects(std::uint64_t seed) : dice_{seed} {}

  /// Adds jitter, so that clients do not reconnect all at once to a server that comes back.
  void wait(const std::string& id, resume_point at, time_point now) {
    auto pause = at.pause();
    pause += std::chrono::milliseconds{dice_() % static_cast<std::uint64_t>(pause.count() / 10 + 1)};
    ++at.attempts;
    waiting_.insert_or_assign(id, waiting{std::move(at), now + pause});
  }

  /// The request needs no answer any more.
  void forget(const std::string& id) { waiting_.erase(id); }
  void clear() { waiting_.clear(); }

  /// Removes the streams that are to reconnect now.
  std::vector<stream> take_due(time_point now) {
    std::vector<stream> due;
    for (auto at = waiting_.begin(); at != waiting_.end();)
      if (auto here = at++; now >= here->second.when) {
        auto node = waiting_.extract(here);
        due.push_back({std::move(node.key()), std::move(node.mapped().at)});
      }
    return due;
  }

  std::vector<std::string> ids() const {
    std::vector<std::string> result;
    for (auto& [id, one] : waiting_)
      result.push_back(id);
    return result;
  }

  /// Time at which the first stream is to reconnect.
  time_point deadline() const {
    auto first = time_point::max();
    for (auto& [id, one] : waiting_)
      first = std::min(first, one.when);
    return first;
  }

private:
  struct waiting {
    resume_point at;
    time_point when;
  };

  std::mt19937_64 dice_;
  std::map<std::string, waiting> waiting_;
};

} // namespace troupe::protocol
