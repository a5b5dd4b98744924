#pragma once

#include "net/guarded.hpp"
#include "net/node/node_link_stream.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include <deque>
#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// Where BASP finds the bytes of links to other nodes. Shared by who makes links and the middleman's threads.
class open_links {
public:
  using bytes = std::shared_ptr<net::node_link_stream>;

  explicit open_links(std::string listen_name) : listen_name_{std::move(listen_name)} {}

  /// Those that we asked for wait under a name until BASP connects to that; null when there is none.
  void put(const std::string& name, bytes link);
  bytes take(const std::string& name);
  /// Those that others asked for wait for BASP to accept them; one of which it cannot be told ends.
  void offer(bytes link);
  /// Null when there is none.
  bytes accept();
  /// The local name of the socket by which it is told: who connects to it brings nothing.
  const std::string& listen_name() const { return listen_name_; }

private:
  std::string listen_name_;
  net::guarded<std::map<std::string, bytes>> called_;
  net::guarded<std::deque<bytes>> offered_;
};

/// Publishes and connects like the actor system's own, but through links alone: no port is open that believes anybody.
/// The middleman's thread reads and writes their bytes by itself.
caf::io::middleman_actor spawn_link_middleman(caf::actor_system& system, std::shared_ptr<open_links> links);

} // namespace troupe::actors
