#pragma once

#include "actors/access_messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/bare_upstream.hpp"
#include "actors/upstream/failure_log.hpp"
#include "actors/upstream/stdio_upstream.hpp"
#include "actors/upstream/supervised_upstream.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/access/caller_text.hpp"
#include "protocol/access/permissions.hpp"
#include "protocol/supervised/configured_server.hpp"
#include "protocol/supervised/essential_server.hpp"
#include "protocol/supervised/supervision_rules.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe::actors {

/// Starts a bare process or connection on a unit. Its user owns it; without a user it waits for `serve_user`.
using bare_spawner = std::function<bare_upstream_actor(unit& at, bare_upstream_setup whom)>;

/// Settings of one configured server.
struct server_setup {
  std::string name;
  /// Label of its calls in metrics.
  std::shared_ptr<const protocol::operation_peer> peer = {};
  protocol::sharing_rules sharing;
  /// Configured to start before its first user; `sharing.eager` is also true if `essential`.
  bool eager = false;
  /// The gateway is not ready while the server does not start.
  bool essential = false;
  /// Rules of supervision; `dedicated` and `ends_users` are decided for each use.
  protocol::supervision_rules rules;
  /// Whether a loss ends users that share an upstream because of `sharing.shares_modern`.
  bool ends_sharing_users = false;
  bare_spawner spawn_bare;
  /// Starts the child process of a supervised upstream, for a server on stdio; empty for other servers.
  wire_maker make_wire;
  /// Makes the source of the tokens for the server; empty if the gateway sends none.
  std::function<token_source_actor(unit& at)> make_tokens;
  /// Maps a caller to the identity that the server sees, or to the reason why the caller cannot use it. Empty if the
  /// server sees no identities. Otherwise, answers to one identity are never given to another.
  std::function<std::variant<std::string, protocol::unavailable_attribute>(const protocol::caller& who)> sharing_key;
  /// Access rules of the server and its items; null if all callers may use all.
  std::shared_ptr<const protocol::permissions> access;
  /// Units of its upstreams; they outlive the server.
  std::vector<unit*> units;
  std::function<std::uint64_t()> random;
  event_log log;
  std::shared_ptr<const failure_log> failures = std::make_shared<const failure_log>();
  /// Checks for what the server lacks, and reports it, also later and on another thread, until the result is destroyed.
  /// Empty if there is nothing to check.
  std::function<std::shared_ptr<void>(std::function<void(std::string why)> report)> check = {};
};

/// SERVER: one configured MCP server. Gives upstreams to its users as the machine decides. Owns the shared upstreams,
/// and the processes and connections that wait for users.
class configured_server_state {
public:
  using interface = server_actor;
  static constexpr const char* name = "configured_server";

  configured_server_state(pinned<interface>* self, caf::actor_addr owner, std::shared_ptr<const server_setup> setup);
  interface::behavior_type make_behavior();

private:
  void serve(const upstream_request& msg);
  protocol::upstream_choice choose_for(const upstream_request& msg);
  std::variant<std::string, protocol::unavailable_attribute> owner_of(const protocol::caller& who) const;
  bare_upstream_setup bare_for(const upstream_request& msg);
  void serve_waiting();
  void note(const upstream_start_failed& msg);
  void note(const upstream_initialized& msg);
  void on_exit_of(const caf::exit_msg& msg);
  void report(const collector_actor& to);
  void restart(const restart_request& msg);

  // -- upstreams for users
  void give(const upstream_request& to, protocol::refuse_user& choice);
  void give(const upstream_request& to, protocol::give_shared& choice);
  void give(const upstream_request& to, protocol::give_supervised& choice);
  void give(const upstream_request& to, protocol::give_bare&);
  void give(const upstream_request& to, protocol::give_pooled& choice);
  void give(const upstream_request& to, const protocol::wait_for_era&) { waiting_.push_back(to); }
  template <class Upstream>
  void give(const upstream_request& to, const Upstream& upstream, bool own);

  // -- effects
  void carry_out(protocol::configured_server_effects effects);
  void perform(protocol::start_shared&) { start_shared({}, nullptr); }
  void perform(protocol::start_pooled& effect);
  void perform(protocol::stop_pool&);
  void perform(protocol::retire_shared& effect) { self_->send(shared_.at(effect.owner), server_retired{}); }
  void perform(protocol::end_server&);

  // -- as an essential server
  void note(const upstream_status& msg);
  void note_unwatched();
  void carry_out(protocol::essential_effects effects);
  void perform(protocol::begin_trial&);
  void perform(protocol::end_trial&);
  void perform(protocol::show_readiness& effect);

  void begin_tokens();
  const supervised_upstream_actor& start_shared(const std::string& owner, const protocol::caller& caller);
  supervised_upstream_state::supervised to_supervise(bool dedicated, bool ends_users, const protocol::caller& caller);
  void drop_shared(const std::string& owner, protocol::configured_server_effects effects);
  bool stays() const;
  void remind();
  server_actor handle() { return caf::actor_cast<server_actor>(self_); }
  protocol::time_point now() const { return self_->at().now(); }

  pinned<interface>* self_;
  caf::actor_addr owner_;
  std::shared_ptr<const server_setup> setup_;
  protocol::configured_server machine_;
  /// Empty if the server is not essential.
  std::optional<protocol::essential_server> essential_;
  reminder reminder_;
  /// End of the time for which the log tells that starts are refused.
  protocol::time_point refused_until_ = {};
  /// Check under way; null if there is none.
  std::shared_ptr<void> check_;
  /// Owned. Null if the gateway sends the server no tokens.
  token_source_actor tokens_;
  /// By owner; the upstream of all users has an empty key.
  std::map<std::string, supervised_upstream_actor> shared_;
  std::map<std::uint64_t, bare_upstream_actor> pool_;
  /// Upstream without users, to find out whether the server starts; null most of the time.
  supervised_upstream_actor trial_;
  /// Users that wait until the era of the first process is known, and the upstream of that process.
  std::vector<upstream_request> waiting_;
  caf::actor_addr searcher_;
};

using configured_server = actor_of<configured_server_state>;

} // namespace troupe::actors
