#pragma once

#include "actors/cluster_messages.hpp"
#include "actors/cluster_state.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/caller_limiter.hpp"
#include "actors/session/gateway_servers.hpp"
#include "actors/session/new_session.hpp"
#include "actors/session/session_book.hpp"
#include "actors/session_messages.hpp"
#include "protocol/admin/admin_command.hpp"
#include "protocol/admin/operator_views.hpp"
#include "protocol/admin/server_views.hpp"
#include "protocol/session/session_admission.hpp"
#include "protocol/session/state_report.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Parts that make a gateway a node of a cluster. The registry owns the actors.
struct cluster_parts {
  router_actor router;
  cluster_actor cluster;
  /// Store of sessions that survive this node, and the tenure during which they are surely this node's; null without.
  store_actor store = {};
  std::shared_ptr<const actors::tenure> tenure = {};
  /// Whether other nodes take sessions; null counts as none.
  std::shared_ptr<const open_nodes> others = {};
};

/// Measures the process with that id and its descendants; empty if that is not possible.
using process_meter = std::function<std::optional<protocol::live_process::usage>(int pid)>;

/// Parameters of a registry.
struct registry_setup {
  std::size_t max_sessions = 10'000;
  /// Limit for each caller: a principal, or all clients at one address. 0 is no limit.
  std::size_t max_sessions_each = 0;
  /// Returns the number of processes being stopped: each takes the place of a session until it is gone.
  std::function<std::size_t()> stopping_processes = [] { return std::size_t{0}; };
  /// Units that sessions live on; they outlive the registry.
  std::vector<unit*> units;
  std::shared_ptr<const session_setup> session;
  /// Whether the path of all servers merges them even when there is one.
  bool merge = false;
  /// Returns a session id that cannot be guessed.
  std::function<std::string()> make_id;
  gateway_servers::setup_of make_server;
  /// Limits what each caller begins.
  std::shared_ptr<caller_limiter> limiter = std::make_shared<caller_limiter>();
  /// Counter of the brokers.
  std::shared_ptr<const live_count> brokers = std::make_shared<live_count>();
  /// Reports the use of gateway-wide limits, besides sessions.
  std::function<std::vector<protocol::limit_report>()> limits;
  /// Joins the cluster; empty when there is none.
  std::function<cluster_parts(registry_actor)> join_cluster;
  /// Called on the registry's thread when either changes: whether it has sessions or leases, and whether a handover's
  /// other process exists. May be empty.
  std::function<void(bool has_sessions, bool has_other)> on_use;
  /// Name of the node in its cluster; empty without one.
  std::string node = {};
  /// Whether operators who follow a session may see the contents of its messages.
  bool shows_content = false;
  /// Empty if processes are not measured.
  process_meter measure = {};
  /// Describes this node for operators, except what the registry knows.
  std::function<protocol::live_node()> describe_node = [] { return protocol::live_node{}; };
  /// Carries out an operator's order to the host's program. Answers the broker, unless null, on any thread.
  std::function<void(protocol::admin_command what, broker_actor broker)> carry_out;
  /// Queries the host whether a session may begin; the answer is sent to `by`, from any thread. Empty: all may begin.
  std::function<void(session_request what, std::uint64_t question, const registry_actor& by)> ask_host;
  /// Called on the registry's thread at each readiness probe; may be empty.
  std::function<void(const std::string& who, bool is_ready)> on_probed;
  /// Called once when a stopping node has no sessions left: requests for them are passed on to other nodes until the
  /// registry is notified that no more come. When empty, the registry does not wait for any.
  std::function<void()> on_left;
};

/// State that the classes of the registry share. They are parts of its actor, and run on its thread.
struct registry_parts {
  registry_parts(pinned<reminded_registry_actor>* actor, registry_setup with)
      : self{actor}, setup{std::move(with)}, admission{{setup.max_sessions, setup.max_sessions_each}, setup.merge},
        servers{actor, std::move(setup.make_server)}, book{admission.places()} {}
  registry_parts(const registry_parts&) = delete;
  registry_parts& operator=(const registry_parts&) = delete;

  pinned<reminded_registry_actor>* self;
  registry_setup setup;
  protocol::session_admission admission;
  gateway_servers servers;
  session_book book;
  cluster_parts cluster = {};
  /// Peer in a handover: the other process; null when there is none. Once that is lost, the actor ends soon.
  handover_peer_actor other = {};
  bool is_other_lost = false;
  bool has_handed_over = false;

  protocol::time_point now() const { return self->at().now(); }
  registry_actor handle() const { return caf::actor_cast<registry_actor>(self); }
  /// Whether a request that came like this may be for the other process of a handover.
  bool asks_other(protocol::request_source came) const {
    return other && !is_other_lost && came == protocol::request_source::client;
  }
  /// Returns the single server that a path leads to; null when it leads to the merged servers or to none.
  const gateway_server* server_at(const std::string& path, protocol::transport via) const {
    auto place = admission.paths().find_one(path, via == protocol::transport::stateless);
    return place ? &servers.all()[*place] : nullptr;
  }
  /// Returns all servers that a path leads to: the single one, or those that are merged.
  std::span<const gateway_server> servers_at(const std::string& path, protocol::transport via) const {
    auto one = server_at(path, via);
    return one ? std::span{one, 1} : std::span{servers.all()};
  }
  /// Ends a session or a lease. No further request finds the lease by its key.
  void close(known_session& one, protocol::session_closing how) {
    book.forget_key(one);
    self->send(one.session, close_session{std::move(how)});
  }
  /// Ends a session or a lease at once and for good, and gives its place back before it has ended.
  void close_now(known_session& one, std::string why) {
    book.free_place(one);
    close(one, {.why = std::move(why), .at_once = true, .for_good = true});
  }
};

} // namespace troupe::actors
