#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/lazy_upstream.hpp"
#include "protocol/supervised/supervised_server.hpp"

#include <map>
#include <string>

namespace troupe::actors {

/// UPSTREAM that keeps a server running, for one user who owns it or for many who share it: carries out what the
/// machine decides about starts, ids, subscriptions and who hears what.
class supervised_upstream_state {
public:
  using interface = supervised_upstream_actor;
  static constexpr const char* name = "supervised_upstream";

  /// `warm` starts the server before it is used. `user` is the one who owns this, and none when it is shared; `session`
  /// is how logs call it.
  supervised_upstream_state(pinned<interface>* self, server_actor server, std::string server_name,
                            protocol::supervision_rules rules, std::uint64_t seed, event_log log, bool warm,
                            downstream_actor user = {}, std::string session = {});
  interface::behavior_type make_behavior();

private:
  protocol::user_id user_of(const caf::strong_actor_ptr& sender);
  void forget(const caf::actor_addr& user);
  void quit_if_told(const caf::actor_addr& by);
  void quit_if_unused();
  void on_down_of(const caf::actor_addr& who);
  void report(const collector_actor& to);
  protocol::time_point now() const { return self_->at().now(); }

  void apply(protocol::server_effects effects);
  void apply(protocol::start_server&);
  void apply(protocol::stop_server&);
  void apply(protocol::tell_server& effect);
  void apply(protocol::tell_user& effect);
  void apply(protocol::end_user& effect);
  void apply(protocol::show_status& effect);

  pinned<interface>* self_;
  server_actor server_;
  std::string server_name_;
  event_log log_;
  bool warm_;
  downstream_actor user_;
  std::string session_;
  bool retired_ = false;
  protocol::supervised_server machine_;
  reminder reminder_;
  lazy_upstream upstream_;
  protocol::user_id last_user_ = 0;
  std::map<caf::actor_addr, protocol::user_id> ids_;
  std::map<protocol::user_id, downstream_actor> users_;
};

using supervised_upstream = actor_of<supervised_upstream_state>;

} // namespace troupe::actors
