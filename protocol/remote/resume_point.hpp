#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

struct principal;

/// How far a stream of a server was read, so that it can be resumed over another connection, and when to try that.
struct resume_point {
  /// Attempts without progress before an answer is given up.
  static constexpr unsigned most_attempts = 5;

  std::string last_event = {};
  std::optional<std::chrono::milliseconds> retry = {};
  unsigned attempts = 0;
  /// Whose request it answers; null for nobody's in particular.
  std::shared_ptr<const principal> asker = {};

  /// The stream made progress.
  void progressed(std::string_view at) {
    attempts = 0;
    if (!at.empty())
      last_event = at;
  }

  /// How long to wait before the next attempt: what the server asked for, or a second, growing by half with every
  /// attempt in vain, up to half a minute (2025-11-25, transports, "Sending Messages to the Server" 6). The floor keeps
  /// a server that asks for no wait at all from being stormed.
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

} // namespace troupe::protocol
