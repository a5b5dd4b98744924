#pragma once

#include "protocol/delivery/backlog.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/streams.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace troupe::protocol {

/// The streams that a client opened with GET, on which its session sends what answers no POST, and the messages that
/// wait for one.
///
/// The oldest is the **primary** and carries everything; the others are **shadows**, alive and silent, so that clients
/// that reconnect without closing do not take messages from each other (2025-11-25, transports, "Multiple
/// Connections": a message goes on exactly one stream). When the primary goes, the oldest shadow takes over.
class listening_streams {
public:
  /// `most_shadows` live beside the primary.
  listening_streams(streams& all, std::size_t most_shadows, backlog waiting)
      : all_{all}, most_shadows_{most_shadows}, waiting_{std::move(waiting)} {}

  /// A stream was opened or resumed. Above the limit the oldest shadow ends: the newest may be the
  /// only one whose client still lives.
  void joined(exchange_id stream, time_point now, effects& out);
  /// A stream's connection is gone; nothing happens when it is not one of these.
  void left(exchange_id stream, effects& out);
  /// Ends every stream.
  void end(time_point now, effects& out);
  /// Sends on the primary, or waits for one. False when it is a question that cannot wait.
  bool send(message what, effects& out);

  std::optional<exchange_id> primary() const;
  bool empty() const { return present_.empty(); }
  std::size_t shadows() const { return present_.empty() ? 0 : present_.size() - 1; }
  const backlog& waiting() const { return waiting_; }

private:
  void flush(effects& out);

  streams& all_;
  std::size_t most_shadows_;
  std::vector<exchange_id> present_;
  backlog waiting_;
};

} // namespace troupe::protocol
