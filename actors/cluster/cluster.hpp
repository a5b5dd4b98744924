#pragma once

#include "actors/cluster/link_middleman.hpp"
#include "actors/cluster_messages.hpp"
#include "actors/cluster_state.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session_messages.hpp"
#include "net/boot_clock.hpp"
#include "net/name_lookup.hpp"
#include "net/node/node_link.hpp"
#include "protocol/cluster/membership.hpp"
#include "protocol/cluster/refused_peer_log.hpp"
#include "protocol/time.hpp"

#include <caf/io/middleman_actor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

class members_file;

/// Options and surroundings of a cluster actor.
struct cluster_setup {
  /// If `address` is empty, the address that `links` listens on is used.
  protocol::membership_options membership;
  /// Address, keys and certificates of the listener for other nodes.
  net::node_link_options links;
  /// Links that are ready for BASP; shared with the middleman.
  std::shared_ptr<open_links> open;
  caf::io::middleman_actor middleman;
  /// Null unless the members are kept across a restart.
  std::shared_ptr<members_file> members = {};
  /// Tenure of this node in the store; null without a store.
  std::shared_ptr<const actors::tenure> tenure = {};
  /// Called once: with the port, or with the reason why listening failed.
  std::function<void(std::uint16_t port, std::string why_not)> on_listening;
  /// Units for relays, and the thread of the cluster's own unit; all outlive the actor.
  std::vector<unit*> units;
  net::io_thread* thread = nullptr;
  event_log log;
  /// Time of the membership: a node that was suspended has been silent.
  std::function<protocol::time_point()> clock = net::boot_clock::now;
  /// See `gate_state`.
  std::function<void(const protocol::caller& who, const std::string& token)> keep_token = {};
};

/// CLUSTER: membership of this node. Owns the GATE and publishes it, keeps the links to other nodes, and reports the
/// members to GATE and ROUTER. Sends other nodes whether this node's tenure runs, and checks that at each wake-up.
class cluster_state {
public:
  using interface = cluster_actor;
  static constexpr const char* name = "cluster";

  cluster_state(pinned<interface>* self, registry_actor owner, router_actor router,
                std::shared_ptr<const cluster_setup> setup);
  ~cluster_state();
  interface::behavior_type make_behavior();

private:
  /// Connection to another node and, once known, its actors.
  struct link {
    std::optional<net::pending_link> connection;
    gate_actor gate;
    remote_router_actor router;
  };
  struct links;
  using links_by_actor = std::map<caf::actor_addr, protocol::link_id>;

  void publish();
  void listen();
  void log_rejected(const std::string& address, const net::node_links::failure& why);
  void handle(const link_offered& msg);
  void handle(const link_opened& msg);
  void reach(protocol::link_id id);
  void reached(protocol::link_id id, const caf::node_id& at, const caf::strong_actor_ptr& found,
               const std::set<std::string>& speaks);
  void handle(peer_hello& msg);
  void handle(const node_drains& msg);
  void handle(const node_open& msg);
  bool register_gate(protocol::link_id id, gate_actor gate);
  void register_router(protocol::link_id id, remote_router_actor router);
  /// Stops monitoring an actor of another node, if there is one.
  template <class Actor>
  void forget(const Actor& one, links_by_actor& in);
  /// `has_left`: the node shut down and owes no answer.
  void lose(protocol::link_id id, bool has_left = false);
  void decline(protocol::link_id id, std::string why);
  std::optional<link> forget(protocol::link_id id);
  void report(const collector_actor& to) const;
  void on_exit_of(const caf::exit_msg& msg);
  void on_down_of(const caf::down_msg& msg);
  void on_time();
  void leave();
  void leave_by(std::chrono::seconds limit);
  void end_when_left();
  protocol::time_point now() const { return setup_->clock(); }

  void carry_out(protocol::membership_effects effects);
  void perform(protocol::look_up& effect);
  void perform(protocol::dial& effect);
  void perform(protocol::accept_link& effect);
  void perform(protocol::refuse_link& effect);
  void perform(protocol::cut_link& effect);
  void perform(protocol::greet& effect);
  void perform(protocol::members_known& effect);
  void perform(const protocol::store_cut_off& effect);
  void perform(protocol::log_note& effect) { write(setup_->log, effect); }

  pinned<interface>* self_;
  registry_actor owner_;
  router_actor router_;
  std::shared_ptr<const cluster_setup> setup_;
  std::unique_ptr<protocol::membership> machine_;
  local_gate_actor gate_;
  bool drains_ = false;
  /// Time at which this node exits, even if other nodes still hold links to it.
  std::optional<protocol::time_point> leaves_by_;
  net::name_lookup lookup_;
  /// Count of dial attempts. A name can have several addresses; each attempt takes the next.
  std::size_t attempts_ = 0;
  reminder reminder_;
  std::shared_ptr<links> links_;
  links_by_actor gates_, routers_;
  /// Numbers of nodes and of links.
  protocol::metric_share nodes_up_, nodes_draining_, link_count_;
  protocol::refused_peer_log refused_peer_log_;
  /// Listener for other nodes; exists as long as `machine_`.
  std::unique_ptr<net::node_links> calls_;
};

using cluster = actor_of<cluster_state>;

} // namespace troupe::actors
