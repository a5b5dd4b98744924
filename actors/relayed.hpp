#pragma once

#include "actors/cluster_messages.hpp"
#include "actors/operator_messages.hpp"
#include "actors/session_messages.hpp"

#include <utility>

namespace troupe::actors {

// Conversion of clients' requests to and from the form in which they travel between nodes.

inline relay_request make_relay_request(client_post& msg) {
  return {.is = relay_request::kind::post,
          .head = std::move(msg.head),
          .body = std::move(msg.body),
          .envelope = std::move(msg.envelope)};
}
inline relay_request make_relay_request(client_listen& msg) {
  return {.is = relay_request::kind::listen, .head = std::move(msg.head), .last = std::move(msg.last)};
}
inline relay_request make_relay_request(client_delete& msg) {
  return {.is = relay_request::kind::end, .head = std::move(msg.head)};
}

inline relay_request make_relay_request(admin_request& msg) {
  return {.is = relay_request::kind::operate, .order = std::move(msg.what)};
}
/// Converts an operator's request that another node has passed on.
inline admin_request arrived(relay_request& msg, broker_actor broker) {
  return {.what = std::move(msg.order), .broker = std::move(broker), .is_passed_on = true};
}

/// Whether the client is local. A stateless request without credentials is local
/// unless an anonymous remote client sent it.
inline bool is_local(const request_head& of) {
  return of.is_local || (of.via == protocol::transport::stateless && !of.caller && !of.is_anonymous_remote);
}

/// Sends a client's request to the registry of this node, or to another actor with that role. `unit` is the broker's.
template <class Self>
void submit_request(Self* self, const session_requests_actor& to, relay_request msg, broker_actor broker,
                    protocol::request_source came, std::size_t unit) {
  msg.head.is_local = is_local(msg.head);
  switch (msg.is) {
  case relay_request::kind::post:
    return self->send(to, client_post{.head = std::move(msg.head),
                                      .body = std::move(msg.body),
                                      .broker = std::move(broker),
                                      .came = came,
                                      .unit = unit,
                                      .envelope = std::move(msg.envelope)});
  case relay_request::kind::listen:
    return self->send(to, client_listen{.head = std::move(msg.head),
                                        .last = std::move(msg.last),
                                        .broker = std::move(broker),
                                        .came = came,
                                        .unit = unit});
  case relay_request::kind::end:
    return self->send(to, client_delete{std::move(msg.head), std::move(broker), came});
  case relay_request::kind::operate:
    return; // for registries only
  }
}

} // namespace troupe::actors
