#pragma once

#include "actors/cluster/redis_store.hpp"
#include "actors/runtime/io_unit.hpp"
#include "tests/support/redis_caller.hpp"
#include "tests/support/store_driver.hpp"

namespace troupe::tests {

/// A node that consists only of its store, on a unit of its own.
///
/// `seen` has the messages to its user: `found SESSION ours RECORD [STREAM.PLACE TEXT]…`, `found SESSION unknown`,
/// `tenure lost`, `tenure lost of SESSION`. `logged` has the log.
class store_node {
  using user_actor = actors::store_user_actor::extend<caf::reacts_to<actors::session_found>>;

public:
  store_node(const std::string& url, std::string owner, actors::redis_store_setup setup = {}) {
    std::string why_not;
    setup.address = protocol::parse_redis_address(url, why_not).value();
    setup.prefix = "troupe:test:";
    setup.owner = std::move(owner);
    setup.ours = ours;
    setup.log = actors::event_log{[this](const log_record& one) { note(one); }};
    user_ = system_->spawn([](user_actor::pointer, store_node* node) { return node->user(); }, this);
    store_ = system_->spawn<actors::redis_store>(std::ref(unit_), std::ref(*thread_),
                                                 caf::actor_cast<actors::store_user_actor>(user_), std::move(setup));
  }
  ~store_node() { stop(); }
  store_node(const store_node&) = delete;
  store_node& operator=(const store_node&) = delete;

  // Saves in the current term, unless another is given.
  void save(const std::string& session, const std::string& record, std::optional<std::uint64_t> term = {}) {
    caf::anon_send(store_, actors::session_saved{session, record, term.value_or(ours->term())});
  }
  void claim(const std::string& session, const std::string& record, bool is_new_store = false,
             std::optional<std::uint64_t> term = {}, bool is_held = false) {
    caf::anon_send(store_,
                   actors::session_claimed{session, record, {term.value_or(ours->term()), is_new_store, is_held}});
  }
  /// Claims in a store that has lost data while the tenure ran.
  void claim_held(const std::string& session, const std::string& record) { claim(session, record, true, {}, true); }
  void publish(const std::string& session, protocol::saved_event what, std::optional<std::uint64_t> term = {}) {
    caf::anon_send(store_, actors::event_saved{session, std::move(what), term.value_or(ours->term())});
  }
  void give_up(const std::string& session) { caf::anon_send(store_, actors::session_abandoned{session}); }
  void forget(const std::string& session) { caf::anon_send(store_, actors::session_forgotten{session, ours->term()}); }
  /// Gives back the `taken`th session that was found to be ours.
  void give_back(const std::string& session, std::uint64_t taken) {
    caf::anon_send(store_, actors::session_returned{session, taken});
  }
  void hand_over(const std::string& session, std::optional<std::uint64_t> term = {}) {
    caf::anon_send(store_, actors::session_handed_over{session, term.value_or(ours->term())});
  }
  void search_store(const std::string& session, std::vector<std::string> alive = {}) {
    caf::anon_send(store_, actors::session_search{
                               session, std::move(alive), {}, caf::actor_cast<actors::search_receiver_actor>(user_)});
  }
  /// The next message to the user.
  std::string found(const std::string& session, std::vector<std::string> alive = {}) {
    auto before = seen.all().size();
    search_store(session, std::move(alive));
    return seen.wait_for(before + 1).back();
  }

  bool holds() const { return ours->holds(); }
  bool comes_to_hold() const {
    return eventually([this] { return holds(); });
  }
  bool comes_to_an_end() const {
    return eventually([this] { return !holds(); });
  }

  /// Freezes the node, as by SIGSTOP.
  void freeze() {
    std::promise<void> frozen;
    thread_->post([&frozen, thawed = thaw_.get_future().share()] {
      frozen.set_value();
      thawed.wait();
    });
    frozen.get_future().wait();
  }
  void thaw() { std::exchange(thaw_, {}).set_value(); }

  /// Stops the node in order, which ends its tenure.
  void stop() {
    if (!thread_)
      return;
    caf::anon_send_exit(store_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(user_, caf::exit_reason::user_shutdown);
    store_ = nullptr;
    user_ = nullptr;
    system_->await_all_actors_done();
    thread_.reset();
    system_.reset();
  }

  journal seen;
  /// Lines of the requested claims (`again`, `in a new store`, `… what was held`), and `SESSION is ours`.
  journal claims;
  journal logged;
  std::shared_ptr<actors::tenure> ours = std::make_shared<actors::tenure>(net::boot_clock::now);

private:
  void note(const log_record& one) {
    auto line = one.text;
    for (auto& [name, value] : one.fields)
      line += " " + name + "=" + value;
    logged.note(line);
  }

  user_actor::behavior_type user() {
    return {
        [this](actors::session_found& msg) {
          auto line = "found " + msg.session + " " + name_of(msg.is);
          if (msg.is == protocol::search_outcome::outcome::elsewhere)
            line += " " + msg.owner;
          if (!msg.record.empty())
            line += " " + msg.record;
          for (auto& one : msg.events)
            line += " [" + std::to_string(one.stream) + "." + std::to_string(one.position) + (one.vital ? "! " : " ") +
                    one.text + "]";
          seen.note(line);
        },
        [this](actors::tenure_regained& msg) {
          claims.note(std::string{msg.how.is_new_store ? "in a new store" : "again"} +
                      (msg.how.is_held ? " what was held" : ""));
        },
        [this](actors::session_regained& msg) {
          claims.note(msg.session + (msg.term == ours->term() ? " is ours" : " was ours"));
        },
        [this](actors::session_let_go& msg) { seen.note("let go " + msg.session); },
        [](actors::session_gone&) {},
        [this](actors::session_taken& msg) { seen.note("doubted " + msg.session); },
        [this](actors::tenure_lost& msg) {
          seen.note("tenure lost" + (msg.session.empty() ? "" : " of " + msg.session));
        },
    };
  }

  std::promise<void> thaw_;
  caf::actor_system_config config_;
  std::optional<caf::actor_system> system_{std::in_place, config_};
  std::optional<net::io_thread> thread_{std::in_place};
  actors::io_unit unit_{*system_, 0, *thread_, std::make_shared<actors::live_count>(), actors::event_log{}};
  user_actor user_;
  actors::store_actor store_;
};

} // namespace troupe::tests
