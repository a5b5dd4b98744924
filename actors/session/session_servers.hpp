#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/lazy_upstream.hpp"
#include "actors/upstream/merged_servers.hpp"
#include "protocol/access/entry_scopes.hpp"
#include "protocol/access/server_guard.hpp"
#include "protocol/catalog/catalog_limits.hpp"
#include "protocol/catalog/list_cursors.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::actors {

/// What clients may mean of the one server of a session. Null when all may use all of it.
protocol::guarded_things guarded_things_of(const std::shared_ptr<const protocol::permissions>& access);
/// What clients may mean by the names of a merged list. Null when all may use all of these servers.
protocol::guarded_things guarded_things_of(const std::vector<member>& members);

/// Those of the merged servers that a caller may use. What they are called depends on all of them.
std::vector<member> usable_members(std::vector<member> all, const protocol::caller& who);

/// What rules about who may use what go by, besides who somebody is: one text for each set of scopes and groups.
std::string rights_told(const protocol::caller& who);

/// The servers behind one client, in the actor that stands for it: one, or several that are merged. Knows who asks, and
/// what of them he may use. The actor is told by facts, which it takes when it has carried out what it was at: what a
/// server says may come of what it is about to tell another.
class session_servers {
public:
  /// What the servers say, in one piece, or that they are lost.
  using told = std::variant<from_server, server_lost>;

  /// The parameters.
  struct servers {
    /// Of the registry, which is told what is learned of servers that are merged.
    registry_actor registry;
    /// How logs call whom this is for.
    std::string shown;
    protocol::caller caller;
    /// The one server, and who may use what of it, see `member`; none when those are merged that are `members`.
    server_actor server;
    std::shared_ptr<const protocol::permissions> access = {};
    std::shared_ptr<const protocol::operation_peer> peer = {};
    protocol::roots_rule roots = {};
    /// The client is on this machine.
    bool is_local = false;
    std::vector<member> members;
    /// How the one server is used.
    server_wanted::use what_for = server_wanted::use::alone;
    protocol::catalog_limits catalog = {};
    /// Of the cursors of lists; none where nobody is told from others.
    protocol::cursor_seal seal = {};
  };

  session_servers(pinned<session_actor>* self, servers what);

  // -- what the client says
  void tell(protocol::message&& what);
  /// Who asks may have come with other credentials.
  void asks(const protocol::caller& caller);
  /// Why this does not go on, see `protocol::refuse_entry`.
  std::optional<protocol::rejection> refuse(const protocol::post_body& body, const protocol::caller& who,
                                            const std::vector<std::string>& every_request) const;
  /// The same for whoever is to hear what the servers say.
  std::optional<protocol::rejection> refuse(const protocol::caller& who,
                                            const std::vector<std::string>& every_request) const;
  /// A request without what of it is hidden from whoever asks, see `protocol::without_hidden_subscriptions`.
  protocol::message without_hidden(protocol::message request, const protocol::caller& who) const {
    return protocol::without_hidden_subscriptions(std::move(request), guarded_, protocol::principal_of(who));
  }
  /// What whoever asks may use is not the same for all.
  bool is_guarded() const { return guarded_ != nullptr; }
  /// The client is gone: no server is used any more.
  void drop();

  // -- what others tell the actor
  void hear(from_server& msg);
  void given(server_given& msg);
  void lost(const server_lost& msg);
  /// An actor is gone; nothing happens when it was no server's.
  void gone(const caf::actor_addr& who);
  void change_members(std::vector<member> all);
  void tick();

  // -- what follows
  /// The next that the actor is told.
  std::optional<told> take();
  /// What calls count as that the loss of these servers ends: of several, the others were not lost.
  protocol::call_outcome outcome_of_loss() const {
    return merged_ ? protocol::failed_with(protocol::error_code::internal_error)
                   : protocol::call_outcome{protocol::call_outcome::kind::lost};
  }
  /// Those that are merged were lost in a way that they are not there again.
  bool are_over() const { return are_over_; }
  /// The name of the server that the last message went to; empty when several are merged and it went to none or to more
  /// than one.
  std::string_view last_told() const { return merged_ ? merged_->last_told() : upstream_.server_name(); }
  /// The ids of the client's requests that a question of a server can be about; nothing when it can be any.
  std::optional<std::vector<std::string>> calls_of(const protocol::message& question) const {
    return merged_ ? std::optional{merged_->calls_of(question)} : std::nullopt;
  }
  protocol::time_point deadline() const;
  /// How many upstreams are of this session alone: a request for a report is passed on to these.
  std::size_t count_own() const;
  void report(const collector_actor& to) const;
  /// What the client uses of that server alone is begun again.
  void restart(std::uint64_t server) const;

private:
  void take_shown(from_server&& msg);
  std::optional<protocol::message> shown(protocol::message&& what);

  pinned<session_actor>* self_;
  /// Where the server is; unless several are merged.
  lazy_upstream upstream_;
  /// Its cursors, which are those of merged lists otherwise; null where nobody is told from others.
  std::unique_ptr<protocol::sealed_cursors> cursors_;
  /// Or else where they are.
  std::unique_ptr<merged_servers> merged_;
  bool are_over_ = false;
  /// Most of the time empty: a list takes no memory then.
  std::list<told> told_;
  /// Null when all may use all.
  protocol::guarded_things guarded_;
  /// Of the one server that this is for; null when all may use all of it.
  std::shared_ptr<const protocol::permissions> access_;
  /// Where that depends on who asks: the servers that may be merged for him, and who asked last.
  std::vector<member> members_;
  protocol::caller caller_;
};

} // namespace troupe::actors
