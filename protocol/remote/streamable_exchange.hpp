#pragma once

#include "protocol/message/message.hpp"
#include "protocol/remote/remote_answer.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/remote/remote_exchanges.hpp"
#include "protocol/remote/remote_session.hpp"
#include "protocol/remote/stream_reconnects.hpp"
#include "protocol/time.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// HTTP exchange of Streamable HTTP with sessions: the POST of a message, or the GET of a stream.
struct streamable_exchange : remote_exchange {
  /// Purpose of an exchange. A `stream` is a GET: with an id it resumes the answer to that request, without an id it
  /// listens for the server's own messages. A `cancelled` exchange has lost its id, but the server may still send
  /// messages there. A `rest` is read to its end and dropped.
  enum class kind { request, initialized, other, stream, cancelled, rest };

  kind is = kind::other;
  /// Whether it was sent in a session.
  bool with_session = false;
  /// Whether the answer is a stream, read or not.
  bool is_stream = false;
  resume_point at = {};
  /// Start of the exchange, and start of its stream.
  time_point posted = {};
  time_point opened = {};

  /// POST of a message.
  streamable_exchange(const message& what, const remote_session& in, const remote_options& options, time_point now);
  /// GET that resumes the answer to a request, or that listens without an id.
  streamable_exchange(const std::string& of_request, resume_point from, const remote_session& in,
                      const remote_options& options);

  bool listens() const { return is == kind::stream && id.empty(); }
  /// Time by which the server has surely received the request; min() when it has.
  time_point heard_by() const;

  // -- answer
  /// A part of the answer has arrived.
  void heard(time_point now);
  void read(remote_answer::form form, const remote_options& options) { answer = {form, options.message}; }
  void read_refusal(const remote_options& options, time_point now);
  /// Returns the messages that the bytes complete, and notes how far the stream was read.
  std::vector<std::string> feed(std::string_view bytes);

  // -- ends
  /// Notes an interruption of the stream.
  void interrupted(time_point now);
  /// Leaves the exchange open for further messages of the server, after its request was cancelled.
  void cancel(time_point now, remote_effects& out);
  /// Reads the rest of an answer that is no longer needed, so that its connection can be used again. A stream, which
  /// may stay open for long, is released so that other requests do not wait for its end.
  void settle(time_point now, remote_effects& out);
};

} // namespace troupe::protocol
