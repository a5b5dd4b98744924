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

/// Links to other nodes that BASP has not picked up yet. Shared by the cluster actor and the middleman's threads.
class open_links {
public:
  using bytes = std::shared_ptr<net::node_link_stream>;

  explicit open_links(std::string listen_name) : listen_name_{std::move(listen_name)} {}

  /// Stores a link that this node dialled, until BASP connects to that name. `extract` returns null if there is none.
  void put(const std::string& name, bytes link);
  bytes extract(const std::string& name);
  /// Queues a link that another node dialled, for BASP to accept. Drops the link if BASP cannot be notified.
  void offer(bytes link);
  /// Removes the oldest queued link; null if there is none.
  bytes accept();
  /// Name of the local socket that wakes BASP. A connection to it carries no data.
  const std::string& listen_name() const { return listen_name_; }

private:
  std::string listen_name_;
  net::guarded<std::map<std::string, bytes>> called_;
  net::guarded<std::deque<bytes>> offered_;
};

/// Spawns a middleman that publishes and connects through links only: no unauthenticated port is open. Its own thread
/// reads and writes the bytes of the links.
caf::io::middleman_actor spawn_link_middleman(caf::actor_system& system, std::shared_ptr<open_links> links);

} // namespace troupe::actors
