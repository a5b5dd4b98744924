#pragma once

#include "protocol/delivery/backlog.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/delivery/streams.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Streams that a client opened with GET, for messages that answer no POST, and the queue of messages that wait for
/// such a stream.
///
/// The oldest is the **primary** and carries all messages; the others are **shadows**, open and silent. So clients that
/// reconnect without closing do not take messages from each other (2025-11-25, transports, "Multiple Connections": a
/// message goes on exactly one stream). When the primary goes, the oldest shadow replaces it.
class listening_streams {
public:
  /// `most_shadows`: limit of streams beside the primary.
  listening_streams(streams& all, std::size_t most_shadows, backlog waiting)
      : all_{all}, most_shadows_{most_shadows}, waiting_{std::move(waiting)} {}

  /// Adds an opened or resumed stream. Above the limit the oldest shadow ends: the newest may be the only one with a
  /// living client.
  void joined(exchange_id stream, time_point now, effects& out);
  /// Removes a stream whose connection is gone; no effect on other streams.
  void left(exchange_id stream, effects& out);
  /// Ends every stream.
  void end(time_point now, effects& out);
  /// Sends on the primary, or queues. False for a question that cannot wait.
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
