#pragma once

#include "protocol/delivery/saved_event.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/call_outcome.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/sse.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// A request of a client that its session cannot take yet, or not here.
struct waiting_post {
  post_body body;
  friend bool operator==(const waiting_post&, const waiting_post&) = default;
};
struct waiting_listen {
  /// Its `Last-Event-ID`.
  std::string last;
  friend bool operator==(const waiting_listen&, const waiting_listen&) = default;
};
struct waiting_end {
  friend bool operator==(const waiting_end&, const waiting_end&) = default;
};
using client_wish = std::variant<waiting_post, waiting_listen, waiting_end>;

struct waiting_client {
  exchange_id exchange = 0;
  client_wish wants;
  /// Its connection is gone.
  bool left = false;
};

/// A request of a client that is under way no more: the exchange that brought it, its id (a JSON token), and how it
/// ended. Changes nothing: it is for metrics and logs.
struct finished_call {
  exchange_id exchange = 0;
  std::string id;
  call_outcome how = {};
};

using finished_calls = std::vector<finished_call>;

// What a session decides. Its actor carries the effects out in the order in which they stand.

/// Write to the server.
struct forward {
  message what;
  friend bool operator==(const forward&, const forward&) = default;
};

/// Answer an exchange with JSON. `opens`: the answer to `initialize`, which brings the client its session id.
struct reply {
  exchange_id exchange = 0;
  std::string text;
  bool opens = false;
  friend bool operator==(const reply&, const reply&) = default;
};

/// Answer an exchange with 202: its notifications or responses were accepted.
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

/// Tell a client that its DELETE ended the session.
struct confirm_end {
  exchange_id exchange = 0;
  friend bool operator==(const confirm_end&, const confirm_end&) = default;
};

/// Make the exchange's answer a stream of events.
struct open_stream {
  exchange_id exchange = 0;
  friend bool operator==(const open_stream&, const open_stream&) = default;
};

/// Send an event on an exchange that was made a stream.
struct publish {
  exchange_id exchange = 0;
  event what;
  friend bool operator==(const publish&, const publish&) = default;
};

/// End the answer of an exchange that was made a stream, after what was published on it.
struct end_stream {
  exchange_id exchange = 0;
  friend bool operator==(const end_stream&, const end_stream&) = default;
};

/// Write to the store what another node needs to restore the session: a `session_record`. Only for sessions with
/// `"recovery": "restore"`.
struct remember {
  std::string record;
  friend bool operator==(const remember&, const remember&) = default;
};

/// Write an event of such a session to the store. Comes before its `publish`, so that a client can resume after every
/// event that it has seen.
struct keep_event {
  saved_event what;
  friend bool operator==(const keep_event&, const keep_event&) = default;
};

/// Write nothing more to the store: once it has what was written before, it is to let another node have the session.
struct hand_over {
  friend bool operator==(const hand_over&, const hand_over&) = default;
};

/// Ask another node what a client has asked of this session, which has gone there.
struct pass_on {
  exchange_id exchange = 0;
  client_wish what;
  friend bool operator==(const pass_on&, const pass_on&) = default;
};

/// The session ends on this node; `why` is for the log. `survives`: another node may restore it.
struct end_session {
  std::string why;
  bool survives = false;
  friend bool operator==(const end_session&, const end_session&) = default;
};

using effect = std::variant<forward, reply, accept, reject, confirm_end, open_stream, publish, end_stream, remember,
                            keep_event, hand_over, pass_on, end_session>;
using effects = std::vector<effect>;

} // namespace troupe::protocol
