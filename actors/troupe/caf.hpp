#pragma once

// For hosts that use CAF themselves: a gateway in their own actor system, and actors of theirs as MCP servers.

#include "gateway.hpp"

#include <caf/all.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace troupe {

/// Adds the messages of gateways and of `mcp_server` to a configuration, which is needed for what travels between
/// nodes.
void configure(caf::actor_system_config& config);
/// Prepares an actor system whose gateways are in a cluster, too: by what nodes speak to each other, with which
/// certificates, and how soon one is found to be silent. One cluster for each actor system.
void configure(caf::actor_system_config& config, const cluster_options& options);

/// What stands for a gateway among actors, to be linked to or monitored. It ends when the gateway drains, with
/// `exit_reason::normal`; told to exit, or linked to one who does, it ends the gateway's sessions at once. The
/// `gateway` itself is still to be destroyed, before its actor system.
caf::actor root_of(const gateway& of);

// -- actor of the host -> gateway -----------------------------------------------------------

/// A JSON-RPC message of the server, for the client that it is sent to.
struct server_said {
  std::string text;
};

/// The client's side of one MCP session.
using mcp_client = caf::typed_actor<caf::reacts_to<server_said>>;

// -- gateway -> actor of the host -----------------------------------------------------------

/// A session begins; `session` is how logs call it.
struct session_begun {
  mcp_client client;
  std::string session;
};
/// A JSON-RPC message of the client, on one line.
struct client_said {
  mcp_client client;
  std::string text;
};
/// The client is gone, the last of the session.
struct session_ended {
  caf::actor_addr client;
};

/// An actor of the host that is an MCP server, for one session or for many. When it ends, its sessions have lost their
/// server.
using mcp_server =
    caf::typed_actor<caf::reacts_to<session_begun>, caf::reacts_to<client_said>, caf::reacts_to<session_ended>>;

/// Gives each session its server: a new actor, which then ends itself at `session_ended`, or one that serves all.
/// Called on a thread of the gateway; must not block. Must not be empty. When it throws or gives none, the server does
/// not start.
struct actor_maker {
  std::function<mcp_server(caf::actor_system&)> make;
};

/// `spawned([](caf::actor_system& system) { return system.spawn(my_server); })`: a server that is actors of the host,
/// made as `actor_maker` says. The gateway keeps the function for as long as it serves the server.
///
/// What each call returns is unequal to all others, even with the same function: a gateway that reloads takes it for
/// another server and starts it again. Keep one `actor_server` and use it in all options of that server.
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
