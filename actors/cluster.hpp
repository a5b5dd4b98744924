#pragma once

#include "actors/log.hpp"
#include "actors/messages.hpp"
#include "actors/pinned.hpp"
#include "net/name_lookup.hpp"
#include "net/reach.hpp"
#include "protocol/membership.hpp"

#include <caf/io/middleman_actor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

/// What a cluster knows of its node.
struct cluster_setup {
  /// `address` is made from where it listens when it is empty.
  protocol::membership_options membership;
  /// Where it listens for other nodes.
  std::string host;
  std::uint16_t port = 0;
  /// Publishes and connects, in TLS or openly.
  caf::io::middleman_actor middleman;
  /// Told once: the port, or why it cannot listen.
  std::function<void(std::uint16_t port, std::string why_not)> on_listening;
  /// Where relays live, and the thread of the first, where the cluster does; all outlive it.
  std::vector<unit*> units;
  net::io_thread* thread = nullptr;
  event_log log;
};

/// CLUSTER: who the other nodes are. Publishes this node's GATE, which it owns, calls other nodes and watches the links
/// to them, and tells GATE and ROUTER who is there.
class cluster_state {
public:
  using interface = cluster_actor;
  static constexpr const char* name = "cluster";

  cluster_state(pinned<interface>* self, registry_actor owner, router_actor router,
                std::shared_ptr<const cluster_setup> setup);
  ~cluster_state();
  interface::behavior_type make_behavior();

private:
  void publish();
  void begin(std::uint16_t port);
  void connect(const std::string& address);
  void connected(const std::string& address, const caf::strong_actor_ptr& found, const std::set<std::string>& speaks);
  protocol::link_id link_to(const gate_actor& gate);
  bool is_self(const gate_actor& gate) const { return caf::actor_cast<local_gate_actor>(gate) == gate_; }
  void take(peer_hello& msg);
  void take(peer_refusal& msg);
  void lost(const caf::actor_addr& gate);
  void report(const collector_actor& to) const;
  void on_exit_of(const caf::exit_msg& msg);
  protocol::time_point now() const { return self_->at().now(); }

  void apply(protocol::membership_effects effects);
  void apply(protocol::look_up& effect);
  void apply(protocol::dial& effect);
  void apply(protocol::greet& effect);
  void apply(protocol::refuse_node& effect);
  void apply(protocol::cut_link& effect);
  void apply(protocol::members_known& effect);
  void apply(protocol::note& effect);

  /// Another node's actors, as far as it has named them.
  struct link {
    gate_actor gate;
    remote_router_actor router;
  };

  pinned<interface>* self_;
  registry_actor owner_;
  router_actor router_;
  std::shared_ptr<const cluster_setup> setup_;
  std::unique_ptr<protocol::membership> machine_;
  local_gate_actor gate_;
  bool drains_ = false;
  net::name_lookup lookup_;
  net::reach reach_;
  reminder reminder_;
  protocol::link_id last_link_ = 0;
  std::map<protocol::link_id, link> links_;
  std::map<caf::actor_addr, protocol::link_id> ids_;
};

using cluster = actor_of<cluster_state>;

} // namespace troupe::actors
