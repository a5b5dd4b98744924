#pragma once

#include "actors/messages.hpp"

#include <utility>

namespace troupe::actors {

// Conversion of clients' requests to and from the form in which they travel between nodes.

inline relay_request make_relay_request(client_post& msg) {
  return {.is = relay_request::kind::post,
          .server = std::move(msg.server),
          .session = std::move(msg.session),
          .body = std::move(msg.body),
          .via = msg.via,
          .caller = std::move(msg.caller),
          .counted_as = std::move(msg.counted_as),
          .envelope = std::move(msg.envelope),
          .is_anonymous_remote = msg.is_anonymous_remote,
          .is_local = msg.is_local};
}
inline relay_request make_relay_request(client_listen& msg) {
  return {.is = relay_request::kind::listen,
          .server = std::move(msg.server),
          .session = std::move(msg.session),
          .last = std::move(msg.last),
          .caller = std::move(msg.caller),
          .is_local = msg.is_local};
}
inline relay_request make_relay_request(client_delete& msg) {
  return {.is = relay_request::kind::end,
          .server = std::move(msg.server),
          .session = std::move(msg.session),
          .caller = std::move(msg.caller)};
}

inline relay_request make_relay_request(admin_request& msg) {
  return {.is = relay_request::kind::operate,
          .server = std::move(msg.what.method),
          .session = std::move(msg.what.target),
          .last = std::move(msg.what.body)};
}
/// Converts an operator's request that another node has passed on.
inline admin_request arrived(relay_request& msg, broker_actor broker) {
  return {.what = {std::move(msg.server), std::move(msg.session), std::move(msg.last)},
          .broker = std::move(broker),
          .is_passed_on = true};
}

/// Whether the client is local. A stateless request without credentials is local unless it is a stranger's.
inline bool is_local(const relay_request& msg) {
  return msg.is_local || (msg.via == protocol::transport::stateless && !msg.caller && !msg.is_anonymous_remote);
}

/// Sends a client's request to the registry of this node, or to another actor with that role. `unit` is the broker's.
template <class Self>
void take_in(Self* self, const session_requests_actor& to, relay_request msg, broker_actor broker,
             protocol::request_source came, std::size_t unit) {
  switch (msg.is) {
  case relay_request::kind::post:
    return self->send(to, client_post{.server = std::move(msg.server),
                                      .session = std::move(msg.session),
                                      .body = std::move(msg.body),
                                      .broker = std::move(broker),
                                      .via = msg.via,
                                      .came = came,
                                      .unit = unit,
                                      .counted_as = std::move(msg.counted_as),
                                      .caller = std::move(msg.caller),
                                      .envelope = std::move(msg.envelope),
                                      .is_anonymous_remote = msg.is_anonymous_remote,
                                      .is_local = is_local(msg)});
  case relay_request::kind::listen:
    return self->send(to, client_listen{.server = std::move(msg.server),
                                        .session = std::move(msg.session),
                                        .last = std::move(msg.last),
                                        .broker = std::move(broker),
                                        .came = came,
                                        .unit = unit,
                                        .caller = std::move(msg.caller),
                                        .is_local = msg.is_local});
  case relay_request::kind::end:
    return self->send(to, client_delete{.server = std::move(msg.server),
                                        .session = std::move(msg.session),
                                        .broker = std::move(broker),
                                        .came = came,
                                        .caller = std::move(msg.caller)});
  case relay_request::kind::operate:
    return; // for registries only
  }
}

} // namespace troupe::actors
