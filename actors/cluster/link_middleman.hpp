#pragma once

#include "net/guarded.hpp"
#include "net/owned_descriptor.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// Where BASP finds the local ends of links to other nodes. Shared by who makes them and the middleman's threads.
class link_sockets {
public:
  explicit link_sockets(std::string listen_name) : listen_name_{std::move(listen_name)} {}

  /// The local name under which it listens for those that others asked for.
  const std::string& listen_name() const { return listen_name_; }
  /// Those that we asked for wait under a name until it connects to that.
  void put(const std::string& name, net::owned_descriptor socket);
  net::owned_descriptor take(const std::string& name);

private:
  std::string listen_name_;
  net::guarded<std::map<std::string, net::owned_descriptor>> waiting_;
};

/// Publishes and connects like the actor system's own, but through the local ends of links alone: no port is open that
/// believes anybody.
caf::io::middleman_actor spawn_link_middleman(caf::actor_system& system, std::shared_ptr<link_sockets> sockets);

} // namespace troupe::actors
