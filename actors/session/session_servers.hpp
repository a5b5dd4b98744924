#pragma once

#include "actors/runtime/pinned.hpp"
#include "actors/session_messages.hpp"
#include "actors/upstream/lazy_upstream.hpp"
#include "actors/upstream/merged_servers.hpp"
#include "actors/upstream_messages.hpp"
#include "protocol/access/item_authorizer.hpp"
#include "protocol/access/server_guard.hpp"
#include "protocol/catalog/catalog_limits.hpp"
#include "protocol/catalog/list_page.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::actors {

/// Maps names from a client to things of the session's single server. Null when all callers may use all of it.
protocol::guarded_items guarded_things_of(const std::shared_ptr<const protocol::permissions>& access);
/// Maps names from merged lists to things of these servers. Null when all callers may use all of them.
protocol::guarded_items guarded_things_of(const std::vector<member>& members);

/// Returns the merged servers that a caller may use. Their prefixes still depend on all of them.
std::vector<member> usable_members(std::vector<member> all, const protocol::caller& who);

/// Returns the caller's scopes and groups, which rules depend on besides its identity: one text for each set.
std::string rights_key(const protocol::caller& who);

/// Servers behind one client, in its session or lease: one, or several that are merged. Knows the caller and its
/// permissions. Queues the servers' messages as facts. The actor takes a fact once it has carried out its effects: a
/// server's message may result from an effect that is still to be sent to another server.
class session_servers {
public:
  /// Messages of the servers, in one piece, or their loss.
  using server_event = std::variant<from_server, server_lost>;

  /// Parameters of the servers.
  struct servers {
    /// Receives the findings on merged servers.
    registry_actor registry;
    /// Session id, shortened as in logs.
    std::string shown;
    protocol::caller caller;
    /// The single server, and who may use what of it, see `member`; none when `members` are merged.
    server_actor server;
    std::shared_ptr<const protocol::permissions> access = {};
    std::shared_ptr<const protocol::operation_peer> peer = {};
    protocol::roots_rule roots = {};
    /// Whether the client is on this machine.
    bool is_local = false;
    std::vector<member> members;
    /// Use of the single server.
    upstream_request::use what_for = upstream_request::use::alone;
    protocol::catalog_limits catalog = {};
    /// Seal of list cursors; none for anonymous clients.
    protocol::cursor_seal seal = {};
  };

  session_servers(pinned<session_actor>* self, servers what);

  // -- from the client
  void tell(protocol::message&& what);
  /// Notes the caller of a request, which may have other credentials than before. Returns whether other servers are
  /// merged for them.
  bool asks(const protocol::caller& caller);
  /// Returns why the message is refused, see `protocol::refuse_entry`.
  std::optional<protocol::rejection> refuse(const protocol::post_body& body, const protocol::caller& who,
                                            const std::vector<std::string>& every_request) const;
  /// Returns why a client may not receive the servers' messages.
  std::optional<protocol::rejection> refuse(const protocol::caller& who,
                                            const std::vector<std::string>& every_request) const;
  /// Returns a request without the parts hidden from the caller, see `protocol::without_hidden_subscriptions`.
  protocol::message without_hidden(protocol::message request, const protocol::caller& who) const {
    return protocol::without_hidden_subscriptions(std::move(request), guarded_, protocol::principal_of(who));
  }
  /// Whether permissions differ between callers.
  bool is_guarded() const { return guarded_ != nullptr; }
  /// Releases all servers: the client is gone.
  void drop();

  // -- from other actors
  void receive(from_server& msg);
  void given(upstream_granted& msg);
  void lost(const server_lost& msg);
  /// Handles the end of an actor; no effect when it was not a server's.
  void gone(const caf::actor_addr& who);
  void change_members(std::vector<member> all);
  void tick();

  // -- results
  /// Returns the next fact for the actor.
  std::optional<server_event> next();
  /// Outcome of calls that end with the loss of these servers. For merged servers an error: the others were not lost.
  protocol::call_outcome outcome_of_loss() const {
    return merged_ ? protocol::failed_with(protocol::error_code::internal_error)
                   : protocol::call_outcome{protocol::call_outcome::kind::lost};
  }
  /// Whether the merged servers were lost for good.
  bool are_over() const { return are_over_; }
  /// Name of the server that received the last message. Empty when several are merged and none or more than one
  /// received it.
  std::string_view last_receiver() const { return merged_ ? merged_->last_receiver() : upstream_.server_name(); }
  /// Ids of the client's requests that a server's request may concern; empty when it may be any.
  std::optional<std::vector<std::string>> calls_of(const protocol::message& question) const {
    return merged_ ? std::optional{merged_->calls_of(question)} : std::nullopt;
  }
  protocol::time_point deadline() const { return merged_ ? merged_->deadline() : protocol::time_point::max(); }
  /// Number of upstreams of this session alone: a report request is passed on to them.
  std::size_t count_own() const { return upstream_.count_own() + (merged_ ? merged_->count_own() : 0); }
  void report(const collector_actor& to) const;
  /// Restarts the upstream that the client alone uses of that server.
  void restart(std::uint64_t server) const;

private:
  void receive_from_upstream(from_server&& msg);
  /// Changes a message of the single server to what the client may see; false if it is not for the client.
  bool show(protocol::message& what);

  pinned<session_actor>* self_;
  /// Upstream of the single server; unused when several are merged.
  lazy_upstream upstream_;
  /// Cursors of the single server; merged lists have their own. Null for anonymous clients.
  std::unique_ptr<protocol::sealed_cursors> cursors_;
  /// Merged servers; null for a single one.
  std::unique_ptr<merged_servers> merged_;
  bool are_over_ = false;
  /// Usually empty, and a list takes no memory then.
  std::list<server_event> events_;
  /// Null when all callers may use everything.
  protocol::guarded_items guarded_;
  /// Rules of the single server; null when all callers may use all of it.
  std::shared_ptr<const protocol::permissions> access_;
  /// Where permissions differ between callers: the servers that may be merged, and the last caller.
  std::vector<member> members_;
  protocol::caller caller_;
};

} // namespace troupe::actors
