#pragma once

#include "actors/cluster_state.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/caller_limiter.hpp"
#include "actors/session/collectors.hpp"
#include "actors/session/gateway_servers.hpp"
#include "actors/session/new_session.hpp"
#include "protocol/admin/operator_views.hpp"
#include "protocol/metrics/metric.hpp"
#include "protocol/modern_client/lease_key.hpp"
#include "protocol/session/gateway_drain.hpp"
#include "protocol/session/session_admission.hpp"
#include "protocol/session/state_report.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
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
  /// Describes this node for operators, except what the registry knows.
  std::function<protocol::live_node()> describe_node = [] { return protocol::live_node{}; };
  /// Carries out an operator's order to the host's program. Answers the broker, unless null, on any thread.
  std::function<void(protocol::operator_order what, broker_actor broker)> carry_out;
  /// Queries the host whether a session may begin; the answer is sent to `by`, from any thread. Empty: all may begin.
  std::function<void(session_request what, std::uint64_t question, const registry_actor& by)> ask_host;
  /// Called on the registry's thread at each readiness probe; may be empty.
  std::function<void(const std::string& who, bool is_ready)> on_probed;
  /// Called once when a stopping node has no sessions left: requests for them are passed on to other nodes until the
  /// registry is notified that no more come. When empty, the registry does not wait for any.
  std::function<void()> on_left;
};

/// REGISTRY: table of all sessions by id, and of all servers. Owns them, and removes each when it ends.
class registry_state {
public:
  using interface = reminded_registry_actor;
  static constexpr const char* name = "registry";

  registry_state(pinned<interface>* self, registry_setup setup);
  ~registry_state();
  interface::behavior_type make_behavior();

private:
  struct known_session {
    session_actor session;
    protocol::session_place place;
    /// Number for operators, see `operator_order`.
    std::uint64_t number = 0;
    protocol::caller caller;
    protocol::time_point began;
    /// Null when the session does not survive this node.
    std::shared_ptr<kept_session> kept;
    std::shared_ptr<const idle_mark> idle;
    /// Caller that the session's place counts for; empty once the session was ordered to end.
    std::optional<std::string> address;
    /// Key of a lease, see `protocol::lease_key`; empty when it has none.
    protocol::lease_key key = {};
    protocol::lease_affinity affinity = {};
    /// Numbers of the servers that make the key depend on more than the caller's identity.
    std::vector<std::uint64_t> judged_by = {};
  };
  using known_sessions = std::unordered_map<std::string, known_session>;

  // -- sessions
  void take(client_post& msg);
  void take(client_listen& msg);
  void take_stateless(client_post& msg);
  void find_lease(client_post& msg);
  void go_on(client_post& msg);
  void find_named_lease(client_post& msg);
  void refuse_state(const client_post& msg);
  std::optional<protocol::lease_key> lease_key_of(const client_post& msg) const;
  std::string owner_at(const std::string& path, const protocol::caller& who) const;
  std::vector<std::uint64_t> judging_at(const std::string& path) const;
  protocol::lease_affinity affinity_at(const std::string& path) const;
  bool is_met_again(const std::string& path) const;
  new_session new_lease_for(const client_post& msg, std::optional<protocol::lease_key> key) const;
  void forget_key(known_session& one);
  void end_misplaced_leases();
  void end_leases_of(std::uint64_t server);
  void begin_lease(client_post& msg, std::optional<protocol::lease_key> key);
  template <class Message>
  void begin_session(Message& msg, const std::string& request, protocol::transport via);
  template <class Message>
  bool may_begin(Message& msg, const std::string& request, protocol::transport via);
  template <class Message>
  bool awaits_host(Message& msg, protocol::transport via);
  void take(session_judged& msg);
  std::optional<protocol::rejection> make_room(const std::string& address, const std::string& request);
  void take(const shortage_found& msg);
  void end_for_room(known_session& one, std::string why);
  known_session* most_idle(const std::string& address);
  known_session* most_idle_holder(std::size_t least);
  void note_left(const known_session& one);
  std::optional<std::string> counted_as(const caf::actor_addr& session) const;
  bool holds_something_scarce(const known_session& one) const;
  void free_place(known_session& one);
  void forget(known_sessions::iterator one);
  const session_actor& begin(new_session what, std::size_t unit, const std::string& address);
  void restore(restore_session& msg);
  std::optional<protocol::rejection> begin_again(restore_session& msg);
  template <class Message>
  void pass_on(Message& msg, protocol::transport via);
  void tell_stale(const callers_stale& those);
  std::optional<protocol::rejection> refuse_at(const std::string& path, protocol::transport via,
                                               const protocol::caller& who) const;
  new_session new_session_at(const std::string& path, protocol::transport via, protocol::caller who,
                             bool is_local) const;

  // -- ownership of sessions
  std::uint64_t tenure_term() const { return cluster_.tenure ? cluster_.tenure->term() : 0; }
  bool holds_tenure(std::uint64_t since) const;
  void keep(new_session& what, std::uint64_t since) const;
  void let_go(const session_let_go& what);
  void disown(const tenure_lost& what);
  void end_taken(const session_taken& what);
  void change_contact(const node_cut_off& what);
  void give_up_doubtful();
  void claim(const tenure_regained& what);
  void regain(session_regained& what);
  static bool has_tenure(const known_session& one) { return one.kept && one.kept->has_tenure(); }
  bool may_be_lost(const known_session& one) const;

  // -- other nodes
  void join_cluster();
  bool is_of_cluster(const caf::actor_addr& who) const;
  template <class Message>
  void look_elsewhere(Message& msg);

  // -- the other process of a handover
  void know(handover_peer_known& msg);
  bool lose_other(const caf::actor_addr& gone);
  bool sends_new_on(protocol::came_by came) const {
    return has_handed_over_ && other_ && came == protocol::came_by::client;
  }
  /// True if there is no session or lease, and none awaits the host's consent.
  bool is_unused() const { return ids_.empty() && unjudged_.empty(); }
  void tell_use();

  // -- servers
  void take(configure& msg);
  void change_servers(std::vector<server_options> wanted);
  /// Returns the configured servers that are not disabled.
  std::vector<server_options> enabled_servers() const;
  void note(name_left_out&& what);
  void note(list_part_changed&& what);
  void replace_server(const caf::actor_addr& gone);
  void tell_members();
  void retire(const gateway_server& gone);
  const gateway_server* server_at(const std::string& path, protocol::transport via) const;

  // -- operators, answered through the broker
  void take(operator_asks& msg);
  void answer(const protocol::show_state&, const broker_actor& to) { collect(to); }
  void answer(const protocol::show_node&, const broker_actor& to);
  void answer(const protocol::list_sessions& what, const broker_actor& to);
  void answer(const protocol::show_session& what, const broker_actor& to);
  void answer(const protocol::end_session_now& what, const broker_actor& to);
  void answer(const protocol::end_call_now& what, const broker_actor& to);
  void answer(const protocol::follow_session& what, const broker_actor& to);
  void answer(const protocol::list_calls& what, const broker_actor& to);
  void answer(const protocol::list_servers& what, const broker_actor& to);
  void answer(const protocol::change_server& what, const broker_actor& to);
  void answer(const protocol::drain_gateway& what, const broker_actor& to);
  void answer(const protocol::undrain_gateway& what, const broker_actor& to);
  template <class Order>
  void answer(const Order& what, const broker_actor& to) {
    setup_.carry_out(what, to);
  }
  known_session* numbered(std::uint64_t number);
  bool is_shown(const std::string& id, const known_session& one, const protocol::list_sessions& to) const;
  protocol::live_session beginning_of(const std::string& id, const known_session& one) const;
  /// Describes sessions, in the order of their numbers.
  void describe(const std::vector<std::uint64_t>& those, const broker_actor& to, lister_state::writer write);
  void restart(const gateway_server& which);

  // -- the end
  void note_own_end(bool is_so);
  void probe(readiness_probe& msg);
  void begin_drain(const drain& msg);
  std::optional<protocol::rejection> refuse_rate() const;
  void drain_at(const protocol::drain_rate& rate, const broker_actor& to);
  void open_node(bool is_so);
  void go_on_draining();
  std::vector<protocol::movable_session> movable_sessions() const;
  protocol::live_node::leaving progress() const;
  void move_sessions();
  void move(known_session& one);
  std::vector<protocol::limit_report> limits() const;
  void collect(broker_actor to);
  /// Requests reports from all sessions and servers.
  void ask_all(const collector_actor& to) const;
  void on_exit_of(const caf::exit_msg& msg);
  void end_when_drained();
  void end_router();

  pinned<interface>* self_;
  registry_setup setup_;
  /// Whether a notice that no more requests come is expected, and whether it has arrived.
  bool awaits_last_;
  bool is_last_ = false;
  /// Sides that are out of contact: other nodes, the store.
  std::set<node_cut_off::side> cut_off_;
  protocol::session_admission admission_;
  gateway_servers servers_;
  /// Reasons why the node is not ready, as metrics: its own end, and servers.
  protocol::metric_number* own_end_;
  bool is_end_noted_ = false;
  protocol::metric_share unready_servers_;
  /// Set while sessions leave at a rate and the node may still stay.
  std::optional<protocol::paced_drain> pace_;
  protocol::metric_share to_move_;
  reminder reminder_;
  std::size_t next_unit_ = 0;
  protocol::time_point next_shortage_warning_ = {};
  /// Callers of sessions that have ended lately. A session that could not begin may end before the registry is notified
  /// of the shortage.
  std::deque<std::pair<caf::actor_addr, std::string>> left_;
  /// Sessions and leases, by id.
  known_sessions sessions_;
  /// Leases by key; each lease owns its key.
  std::unordered_map<std::string_view, known_session*> leases_;
  /// Ids by number; `sessions_` owns the texts.
  std::map<std::uint64_t, const std::string*> numbers_;
  /// Requests that await the host's decision, by question. `judged_` is the request being continued after the decision;
  /// null otherwise.
  std::map<std::uint64_t, std::variant<client_post, client_listen>> unjudged_;
  const void* judged_ = nullptr;
  std::uint64_t last_question_ = 0;
  std::uint64_t last_number_ = 0;
  protocol::time_point began_;
  /// Last configuration, and the names of servers that operators have disabled.
  std::vector<server_options> configured_;
  std::set<std::string> disabled_;
  /// Ids by session actor; `sessions_` owns the texts. Null once the session has been let go, and is about to end.
  std::map<caf::actor_addr, const std::string*> ids_;
  cluster_parts cluster_;
  /// Other process of a handover; null when there is none.
  handover_peer_actor other_;
  bool has_handed_over_ = false;
};

using registry = actor_of<registry_state>;

} // namespace troupe::actors
