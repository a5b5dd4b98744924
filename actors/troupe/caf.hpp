#pragma once

// For hosts that use CAF themselves: a gateway in the actor system of the host, and actors of the host as MCP servers.

#include "gateway.hpp"

#include <caf/all.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace troupe {

/// Adds the message types of gateways and of `mcp_server` to a configuration. Messages between nodes need them.
void configure(caf::actor_system_config& config);
/// Also prepares an actor system for gateways in a cluster: links between nodes, their certificates, and the time after
/// which a silent node counts as lost. An actor system can be in one cluster only.
void configure(caf::actor_system_config& config, const cluster_options& options);

/// Actor that represents a gateway, to be linked to or monitored. Ends with `exit_reason::normal` when the gateway
/// drains. If told to exit, or linked to an actor that exits, it ends the gateway's sessions at once. The `gateway`
/// object must still be destroyed, before its actor system.
caf::actor root_of(const gateway& of);

// -- actor of the host -> gateway -----------------------------------------------------------

/// JSON-RPC message of the server, for the client that it is sent to.
struct server_said {
  std::string text;
};

/// Client's side of one MCP session.
using mcp_client = caf::typed_actor<caf::reacts_to<server_said>>;

// -- gateway -> actor of the host -----------------------------------------------------------

/// A session begins; `session` is its shortened id, as in logs.
struct session_begun {
  mcp_client client;
  std::string session;
};
/// JSON-RPC message of the client, on one line.
struct client_said {
  mcp_client client;
  std::string text;
};
/// The session of this client has ended; no further messages follow.
struct session_ended {
  caf::actor_addr client;
};

/// Actor of the host that is an MCP server, for one session or for many. When the actor ends, its sessions have lost
/// their server.
using mcp_server =
    caf::typed_actor<caf::reacts_to<session_begun>, caf::reacts_to<client_said>, caf::reacts_to<session_ended>>;

/// Makes the server of each session: a new actor, which must end itself at `session_ended`, or one actor for all
/// sessions. Called on a thread of the gateway; must not block. Must not be empty. If it throws or returns a null
/// handle, the server does not start.
struct actor_maker {
  std::function<mcp_server(caf::actor_system&)> make;
};

/// `spawned([](caf::actor_system& system) { return system.spawn(my_server); })`: a server that is made of the host's
/// actors, see `actor_maker`. The gateway keeps the function while it serves the server.
///
/// Results of two calls are never equal, even with the same function. A gateway that reloads would take the second
/// result for another server and start it again: keep one `actor_server` and use it in all options of that server.
inline actor_server spawned(std::function<mcp_server(caf::actor_system&)> make) {
  return {.maker = std::make_shared<const actor_maker>(actor_maker{std::move(make)})};
}

template <class Inspector>
auto inspect(Inspector& f, server_said& x) {
  return f(caf::meta::type_name("server_said"), x.text);
}
template <class Inspector>
auto inspect(Inspector& f, session_begun& x) {
  return f(caf::meta::type_name("session_begun"), x.client, x.session);
}
template <class Inspector>
auto inspect(Inspector& f, client_said& x) {
  return f(caf::meta::type_name("client_said"), x.client, x.text);
}
template <class Inspector>
auto inspect(Inspector& f, session_ended& x) {
  return f(caf::meta::type_name("session_ended"), x.client);
}

} // namespace troupe
