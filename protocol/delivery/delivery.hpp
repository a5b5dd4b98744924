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

/// How a client speaks to its session: Streamable HTTP of the session era, or HTTP+SSE of revision 2024-11-05; or how
/// it speaks without one, from 2026-07-28 on.
enum class transport { streamable_http, http_sse, stateless };

/// What a session holds for its client, as counts for `/debug/state`.
struct delivery_counts {
  std::size_t primary = 0;
  std::size_t shadow = 0;
  /// Streams that answer a POST.
  std::size_t call = 0;
  /// Streams that no connection carries.
  std::size_t detached = 0;
  /// Messages that wait for a stream.
  std::size_t waiting = 0;
  std::size_t stored_events = 0;
  std::size_t stored_bytes = 0;
  /// Messages that were lost because too many waited.
  std::uint64_t dropped = 0;
};

/// What went with a connection: at most a request that waited for its answer, a stream, or the session, which cannot go
/// on without that connection.
enum class loss { request, stream, session };

/// How the messages of a session reach its client: the part of a session that depends on the transport. The session
/// says what to send; this decides on which exchange, and whether as JSON or as an event.
///
/// A question is a request of the server to the client, such as `sampling/createMessage`.
class delivery {
public:
  virtual ~delivery() = default;

  // -- what the client did
  /// A GET for the server's own messages; `last` is its `Last-Event-ID`, empty when it has none.
  virtual void listens(exchange_id exchange, std::string_view last, time_point now, effects& out) = 0;
  /// A POST that awaits the answers to `requests`, by their ids; none when it brought notifications or responses only.
  virtual void posted(exchange_id exchange, bool batch, std::vector<std::string> requests, time_point now,
                      effects& out) = 0;
  /// The POST of `initialize`, whose head waits for its answer.
  virtual void posted_initialize(exchange_id exchange, effects& out) = 0;
  /// A connection is gone.
  virtual loss lost(exchange_id exchange, time_point now, effects& out) = 0;

  // -- what the session says
  /// The server answered `initialize`, in this revision.
  virtual void opened(exchange_id exchange, std::string text, std::string_view version, effects& out) = 0;
  /// `initialize` is refused, for now: the session ends.
  virtual void refused(exchange_id exchange, rejection why, time_point now, effects& out) = 0;
  virtual void answer(exchange_id exchange, std::string text, time_point now, effects& out) = 0;
  /// The client cancelled the request of that id.
  virtual void withdraw(exchange_id exchange, const std::string& id, time_point now, effects& out) = 0;
  virtual void progress(exchange_id exchange, std::string text, time_point now, effects& out) = 0;
  /// A question or a log message of the server, which may belong to a call. Returns the exchange that it was sent
  /// with, 0 when it waits for one; nothing when it is a question that cannot wait.
  virtual std::optional<exchange_id> related(message what, time_point now, effects& out) = 0;
  /// A message that belongs to no call, such as `list_changed`.
  virtual void unrelated(message what, time_point now, effects& out) = 0;
  /// A message about a question that was sent, such as its cancellation: goes where the question went.
  virtual void follow(exchange_id exchange, message what, time_point now, effects& out) = 0;
  /// From here on events are kept outside of this node, too, by `keep_event`.
  virtual void keep() = 0;
  /// Of what was kept, the roles of streams that are not complete may be lost: they are kept once more.
  virtual void keep_roles(effects& out) const = 0;
  /// The session goes on after its node died, in this revision, with the events that were kept. No stream had a number
  /// above `last`.
  virtual void restore(std::string_view version, const std::vector<saved_event>& events, exchange_id last,
                       time_point now, effects& out) = 0;
  /// The session is over.
  virtual void end(time_point now, effects& out) = 0;

  virtual void tick(time_point now, effects& out) = 0;
  /// When `tick` has something to do.
  virtual time_point deadline() const = 0;
  /// Whether the client has a stream open for the server's own messages.
  virtual bool live() const = 0;
  /// Whether the client can come back for the rest of a call's stream whose connection was closed.
  virtual bool resumes_calls() const = 0;
  virtual delivery_counts counts() const = 0;
};

} // namespace troupe::protocol
