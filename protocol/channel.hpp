#pragma once

#include "protocol/effects.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace troupe::protocol {

/// A session's way to speak to its client unasked: the streams that the client opened with GET, and what waits for one.
///
/// The oldest is the **primary** and carries everything; the others are **shadows**, alive and silent, so that clients
/// that reconnect without closing do not take messages from each other (2025-11-25, transports, "Multiple
/// Connections": a message goes on exactly one stream). When the primary goes, the oldest shadow takes over.
class channel {
public:
  /// `most_shadows` live beside the primary; `most_waiting` messages wait for a stream.
  channel(std::size_t most_shadows, std::size_t most_waiting)
      : most_shadows_{most_shadows}, most_waiting_{most_waiting} {}

  /// A client opened a stream. Above the limit the oldest shadow ends: the newest may be the only one that lives.
  void opened(exchange_id stream, effects& out);
  /// A stream is gone; nothing happens when it was none of ours.
  void closed(exchange_id stream, effects& out);
  /// Every stream ends.
  void end(effects& out);
  /// Sends on the primary, or waits for one. Of what waits too long, the oldest that may be lost is lost;
  /// false when nothing may, and the message was not taken.
  bool send(std::string text, bool may_be_lost, effects& out);

  std::optional<exchange_id> primary() const;
  bool empty() const { return streams_.empty(); }

private:
  struct waiting {
    std::string text;
    bool may_be_lost;
  };

  bool make_room();
  void flush(effects& out);

  std::size_t most_shadows_;
  std::size_t most_waiting_;
  std::deque<exchange_id> streams_;
  std::deque<waiting> waiting_;
};

} // namespace troupe::protocol
