#pragma once

#include "protocol/delivery/effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Protocol of a client: Streamable HTTP with sessions, HTTP+SSE of revision 2024-11-05, or stateless, from 2026-07-28
/// on.
enum class transport { streamable_http, http_sse, stateless };

/// Counts of one session's streams and messages, for `/debug/state`.
struct delivery_counts {
  std::size_t primary = 0;
  std::size_t shadow = 0;
  /// Streams that answer a POST.
  std::size_t call = 0;
  /// Streams without a connection.
  std::size_t detached = 0;
  /// Messages that wait for a stream.
  std::size_t waiting = 0;
  std::size_t stored_events = 0;
  std::size_t stored_bytes = 0;
  /// Messages dropped because too many waited.
  std::uint64_t dropped = 0;
};

/// Loss caused by a closed connection: no more than a request that waited for its answer, a stream, or the session,
/// which cannot continue without that connection.
enum class loss { request, stream, session };

/// Transport of a session's messages to its client. The session decides on the message; this class decides on the
/// exchange, and on JSON or an event.
///
/// A question is a request of the server to the client, such as `sampling/createMessage`.
class delivery {
public:
  virtual ~delivery() = default;

  // -- actions of the client
  /// A GET for the server's own messages. `last`: its `Last-Event-ID`; empty if it has none.
  virtual void listens(exchange_id exchange, std::string_view last, time_point now, effects& out) = 0;
  /// A POST that awaits answers to `requests`, given by their ids; none if it has only notifications or responses.
  virtual void posted(exchange_id exchange, bool batch, std::vector<std::string> requests, time_point now,
                      effects& out) = 0;
  /// The POST of `initialize`. Its HTTP header is sent with the answer.
  virtual void posted_initialize(exchange_id exchange, effects& out) = 0;
  /// The connection of an exchange is gone.
  virtual loss lost(exchange_id exchange, time_point now, effects& out) = 0;

  // -- messages of the session
  /// The server has answered `initialize`, in this revision.
  virtual void opened(exchange_id exchange, std::string text, std::string_view version, effects& out) = 0;
  /// Refuses `initialize` for now: the session ends.
  virtual void refused(exchange_id exchange, rejection why, time_point now, effects& out) = 0;
  virtual void answer(exchange_id exchange, std::string text, time_point now, effects& out) = 0;
  /// The client has cancelled the request of that id.
  virtual void withdraw(exchange_id exchange, const std::string& id, time_point now, effects& out) = 0;
  virtual void progress(exchange_id exchange, std::string text, time_point now, effects& out) = 0;
  /// Sends a question or a log message of the server, which may belong to a call. Returns the exchange used, 0 if the
  /// message waits for one; empty for a question that cannot wait.
  virtual std::optional<exchange_id> related(message what, time_point now, effects& out) = 0;
  /// Sends a message that belongs to no call, such as `list_changed`.
  virtual void unrelated(message what, time_point now, effects& out) = 0;
  /// Sends a message about an earlier question, such as its cancellation, to where the question went.
  virtual void follow(exchange_id exchange, message what, time_point now, effects& out) = 0;
  /// From now on events are also written to the store, by `keep_event`.
  virtual void keep() = 0;
  /// Writes the roles of incomplete streams to the store again, which may have lost them.
  virtual void keep_roles(effects& out) const = 0;
  /// Restores the session after its node died, in this revision, from the stored events. No stream had a number above
  /// `last`.
  virtual void restore(std::string_view version, const std::vector<saved_event>& events, exchange_id last,
                       time_point now, effects& out) = 0;
  /// Ends all streams: the session is over.
  virtual void end(time_point now, effects& out) = 0;

  virtual void tick(time_point now, effects& out) = 0;
  /// When `tick` has something to do.
  virtual time_point deadline() const = 0;
  /// True if the client has a stream open for the server's own messages.
  virtual bool live() const = 0;
  /// True if the client can resume a call's stream after its connection was closed.
  virtual bool resumes_calls() const = 0;
  virtual delivery_counts counts() const = 0;
};

} // namespace troupe::protocol
