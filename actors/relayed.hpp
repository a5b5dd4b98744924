#pragma once

#include "actors/messages.hpp"

#include <utility>

namespace troupe::actors {

// A client's request in the form in which it travels between nodes, and back.

inline relay_request travelling(client_post& msg) {
  return {.is = relay_request::kind::post,
          .server = std::move(msg.server),
          .session = std::move(msg.session),
          .body = std::move(msg.body),
          .via = msg.via};
}
inline relay_request travelling(client_listen& msg) {
  return {.is = relay_request::kind::listen,
          .server = std::move(msg.server),
          .session = std::move(msg.session),
          .last = std::move(msg.last)};
}
inline relay_request travelling(client_delete& msg) {
  return {.is = relay_request::kind::end, .server = std::move(msg.server), .session = std::move(msg.session)};
}

/// Gives a request to the registry of this node, or to another who takes such. `unit` is the broker's.
template <class Self>
void take_in(Self* self, const session_requests_actor& to, relay_request msg, broker_actor broker,
             protocol::came_by came, std::size_t unit) {
  switch (msg.is) {
  case relay_request::kind::post:
    return self->send(to, client_post{std::move(msg.server), std::move(msg.session), std::move(msg.body),
                                      std::move(broker), msg.via, came, unit});
  case relay_request::kind::listen:
    return self->send(to, client_listen{std::move(msg.server), std::move(msg.session), std::move(msg.last),
                                        std::move(broker), came, unit});
  case relay_request::kind::end:
    return self->send(to, client_delete{std::move(msg.server), std::move(msg.session), std::move(broker), came});
  }
}

} // namespace troupe::actors
