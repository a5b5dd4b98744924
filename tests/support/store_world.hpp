#pragma once

#include "actors/session/session.hpp"
#include "actors/upstream/configured_server.hpp"
#include "tests/support/world.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests {

/// The contents of a fake store, by session.
struct stored_sessions {
  std::map<std::string, std::string> records;
  std::map<std::string, std::vector<protocol::saved_event>> events;
  bool is_given_up = false;
  /// The last claim.
  actors::session_claimed claimed;
  /// Sessions that were released for other nodes.
  std::vector<std::string> given_back;

  protocol::restored_session left_of(const std::string& session) const {
    return {protocol::read_record(records.at(session)).value(), events.count(session) ? events.at(session) : no_events};
  }
  const std::vector<protocol::saved_event> no_events = {};
};

/// Confirms to the sender of the current message that the store has forgotten the session.
inline void tell_gone(actors::pinned<actors::store_actor>& store, const std::string& session) {
  store.send(caf::actor_cast<actors::session_actor>(store.current_sender()), actors::session_gone{session});
}

/// A fake store that keeps everything in `stored_sessions`.
struct fake_store_state {
  using interface = actors::store_actor;
  static constexpr const char* name = "fake_store";

  fake_store_state(actors::pinned<interface>* self, stored_sessions& kept) : self_{self}, kept_{kept} {}
  interface::behavior_type make_behavior() {
    return {
        [this](actors::session_saved& msg) { kept_.records[msg.session] = msg.record; },
        [this](actors::session_claimed& msg) { kept_.claimed = std::move(msg); },
        [this](actors::event_saved& msg) { kept_.events[msg.session].push_back(msg.what); },
        [this](actors::session_forgotten& msg) {
          kept_.records.erase(msg.session);
          kept_.events.erase(msg.session);
          tell_gone(*self_, msg.session);
        },
        [this](actors::session_abandoned&) { kept_.is_given_up = true; },
        [](actors::session_search&) {},
        [](actors::nodes_alive&) {},
        [](actors::session_returned&) {},
        [](actors::session_handed_over&) {},
    };
  }

  actors::pinned<interface>* self_;
  stored_sessions& kept_;
};

/// A fake registry with one session.
struct one_session_state {
  using interface = actors::registry_actor;
  static constexpr const char* name = "one_session";

  one_session_state(actors::pinned<interface>* self, const actors::session_actor& only) : self_{self}, only_{only} {}
  interface::behavior_type make_behavior() {
    return {
        [this](actors::client_post& msg) { self_->send(only_, std::move(msg)); },
        [this](actors::client_listen& msg) { self_->send(only_, std::move(msg)); },
        [this](actors::client_delete& msg) { self_->send(only_, std::move(msg)); },
        [](actors::readiness_probe&) {},
        [](actors::state_probe&) {},
        [](actors::admin_request&) {},
        [](actors::drain&) {},
        [](actors::configure&) {},
        [](actors::server_known&) {},
        [](actors::name_omitted&) {},
        [](actors::list_part_changed&) {},
        [](actors::server_readiness&) {},
        [](actors::session_search&) {},
        [](actors::nodes_alive&) {},
        [](actors::restore_session&) {},
        [](actors::tenure_lost&) {},
        [](actors::tenure_regained&) {},
        [](actors::session_regained&) {},
        [this](actors::session_let_go&) { self_->send(only_, actors::session_released{}); },
        [](actors::session_gone&) {},
        [](actors::session_taken&) {},
        [](actors::node_cut_off&) {},
        [](actors::gate_closed&) {},
        [](actors::callers_revoked&) {},
        [](actors::session_decided&) {},
        [](actors::handover_peer_known&) {},
        [](actors::shortage_found&) {},
    };
  }

  actors::pinned<interface>* self_;
  const actors::session_actor& only_;
};

/// A session with a fake store, servers and exchanges. Its id is s1.
struct store_world : world {
  store_world() {
    store = sys.spawn<actors::actor_of<fake_store_state>>(unit(), std::ref(kept));
    front = sys.spawn<actors::actor_of<one_session_state>>(unit(), std::cref(session));
    brokers_setup = std::make_shared<actors::broker_setup>(actors::broker_setup{{}, front});
    run();
  }
  ~store_world() override {
    dies();
    caf::anon_send_exit(std::exchange(store, {}), caf::exit_reason::user_shutdown);
    caf::anon_send_exit(std::exchange(front, {}), caf::exit_reason::user_shutdown);
    run();
  }

  /// Begins a session, possibly in the place of an ended one.
  void begin(std::optional<protocol::restored_session> restored = {}, bool is_kept = true) {
    server = sys.spawn<actors::configured_server>(unit(), front.address(), server_setup(world::server("server")));
    actors::new_session what;
    what.id = "s1";
    what.server = server;
    what.request = std::chrono::minutes{5};
    if (is_kept) {
      what.kept = std::make_shared<actors::session_persistence>();
      what.kept->store = store;
      what.kept->holds_tenure = [this](auto) { return owns; };
    }
    if (restored)
      what.restored = std::make_unique<protocol::restored_session>(std::move(*restored));
    session = sys.spawn<actors::session>(unit(), front, std::move(what),
                                         std::make_shared<const actors::session_setup>(setup));
    run();
  }
  /// The session's node exits without further messages.
  void dies() {
    for (auto& one : {caf::actor_cast<caf::actor>(std::exchange(session, {})),
                      caf::actor_cast<caf::actor>(std::exchange(server, {}))})
      if (one)
        caf::anon_send_exit(one, caf::exit_reason::user_shutdown);
    run();
    journal.clear();
  }
  void ends(protocol::session_closing how) {
    caf::anon_send(session, actors::close_session{std::move(how)});
    run();
  }
  void regains_tenure() {
    caf::anon_send(session, actors::tenure_regained{{.term = 3, .is_new_store = true}});
    run();
  }
  /// The node owns the session again.
  void regains() {
    owns = true;
    caf::anon_send(session, actors::session_regained{"s1", 3});
    run();
  }
  void disown() {
    caf::anon_send(session, actors::session_disowned{});
    run();
  }
  bool is_alive() const {
    return !caf::actor_cast<caf::abstract_actor*>(session)->getf(caf::abstract_actor::is_terminated_flag);
  }
  bool is_kept() const { return kept.records.contains("s1"); }

  stored_sessions kept;
  bool owns = true;
  actors::session_setup setup;
  actors::store_actor store;
  actors::registry_actor front;
  actors::server_actor server;
  actors::session_actor session;

private:
  std::reference_wrapper<actors::unit> unit() { return std::ref(static_cast<actors::unit&>(at)); }
};

} // namespace troupe::tests
