#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/call_outcome.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/sse.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// An event in the store outside of this node: its stream, its position there, and the message. Position 0 has no
/// message: its text is the role of the stream (see `stream_role`; the last one counts), or empty if the stream was
/// forgotten.
struct saved_event {
  exchange_id stream = 0;
  std::uint64_t position = 0;
  std::string text;
  /// True for an answer or a question.
  bool vital = false;

  std::size_t bytes() const { return text.size(); }
  friend bool operator==(const saved_event&, const saved_event&) = default;
};

/// Role of a stream: for the server's own messages, or for the answers to a POST.
struct stream_role {
  bool listens = false;
  /// Ids of the requests that the stream answers, as JSON tokens.
  std::vector<std::string> answers = {};

  friend bool operator==(const stream_role&, const stream_role&) = default;
};

/// `{"listens":true}` or `{"answers":[7,"a"]}`.
std::string stream_role_text(const stream_role& of);

/// Reads the text of `stream_role_text`; empty for any other text.
std::optional<stream_role> read_stream_role(std::string_view text);

/// Positions that a restore of a stream skips. Events that a client received may not have reached the store before
/// their node died; so no position stands for two events.
inline constexpr std::uint64_t unsaved_positions = 1'000;

/// A client's request that its session cannot handle yet, or not on this node.
struct waiting_post {
  post_body body;
  friend bool operator==(const waiting_post&, const waiting_post&) = default;
};
struct waiting_listen {
  /// The client's `Last-Event-ID`.
  std::string last;
  friend bool operator==(const waiting_listen&, const waiting_listen&) = default;
};
struct waiting_end {
  friend bool operator==(const waiting_end&, const waiting_end&) = default;
};
using deferred_request = std::variant<waiting_post, waiting_listen, waiting_end>;

struct waiting_client {
  exchange_id exchange = 0;
  deferred_request wants;
  /// True once the connection is gone.
  bool left = false;
};

/// Receives each request of a client that finishes, when its answer is made: its exchange, its id (a JSON token), and
/// its outcome. For metrics and logs only.
using request_observer = std::function<void(exchange_id exchange, std::string_view id, call_outcome how)>;

/// Order to end a session or lease: nothing new begins, and calls in flight may finish.
struct session_closing {
  /// Reason for clients and for the log.
  std::string why = "the gateway is stopping";
  /// Calls in flight are cut off.
  bool at_once = false;
  /// Otherwise they are cut off after this time; empty if they may finish.
  std::optional<std::chrono::milliseconds> grace = {};
  /// The session ends everywhere. Otherwise one that the store keeps goes on at another node.
  bool for_good = false;
};

// Effects of a session, carried out by its actor in this order.

/// Send a message to the server.
struct forward {
  message what;
  friend bool operator==(const forward&, const forward&) = default;
};

/// Answer an exchange with JSON. `opens`: for the answer to `initialize`, which carries the session id.
struct reply {
  exchange_id exchange = 0;
  std::string text;
  bool opens = false;
  friend bool operator==(const reply&, const reply&) = default;
};

/// Answer an exchange with 202: its notifications or responses are accepted.
struct accept {
  exchange_id exchange = 0;
  friend bool operator==(const accept&, const accept&) = default;
};

/// Refuse an exchange.
struct reject {
  exchange_id exchange = 0;
  rejection why;
  friend bool operator==(const reject&, const reject&) = default;
};

/// Confirm to a client that its DELETE ended the session.
struct confirm_end {
  exchange_id exchange = 0;
  friend bool operator==(const confirm_end&, const confirm_end&) = default;
};

/// Answer an exchange with a stream of events.
struct open_stream {
  exchange_id exchange = 0;
  friend bool operator==(const open_stream&, const open_stream&) = default;
};

/// Send an event on the stream of an exchange.
struct publish {
  exchange_id exchange = 0;
  event what;
  friend bool operator==(const publish&, const publish&) = default;
};

/// End the stream of an exchange, after its events.
struct end_stream {
  exchange_id exchange = 0;
  friend bool operator==(const end_stream&, const end_stream&) = default;
};

/// Write the session's `session_record` to the store, so that another node can restore the session. Only for sessions
/// with `"recovery": "restore"`.
struct remember {
  std::string record;
  friend bool operator==(const remember&, const remember&) = default;
};

/// Write an event of a restorable session to the store. Precedes its `publish`, so that a client can resume after every
/// event that it has received.
struct keep_event {
  saved_event what;
  friend bool operator==(const keep_event&, const keep_event&) = default;
};

/// Finish writing to the store, which then releases the session to other nodes.
struct hand_over {
  friend bool operator==(const hand_over&, const hand_over&) = default;
};

/// Pass a client's request on to the node that the session moves to.
struct pass_on {
  exchange_id exchange = 0;
  deferred_request what;
  friend bool operator==(const pass_on&, const pass_on&) = default;
};

/// The session has ended for good: release its servers, and have the store forget it. `session::forgotten` follows.
struct forget_session {
  friend bool operator==(const forget_session&, const forget_session&) = default;
};

/// End the session on this node. `why` is for the log; `survives` if another node may restore the session.
struct end_session {
  std::string why;
  bool survives = false;
  friend bool operator==(const end_session&, const end_session&) = default;
};

using effect = std::variant<forward, reply, accept, reject, confirm_end, open_stream, publish, end_stream, remember,
                            keep_event, hand_over, pass_on, forget_session, end_session>;
using effects = std::vector<effect>;

/// Consecutive effects on one stream: its beginning, its events, its end.
struct stream_part {
  exchange_id exchange = 0;
  bool begins = false;
  /// Events in SSE encoding.
  std::string events = {};
  bool ends = false;
  friend bool operator==(const stream_part&, const stream_part&) = default;
};

/// Takes the effects on one stream from `at` on, and moves `at` behind them; empty if the effect at `at` is on no
/// stream. Takes no more events once they are over 64 KiB.
std::optional<stream_part> take_stream_part(effects::iterator& at, effects::iterator end);

} // namespace troupe::protocol
