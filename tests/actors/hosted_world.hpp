#pragma once

#include "actors/hosted/hosted_upstream.hpp"
#include "tests/support/world.hpp"

namespace troupe::tests {

// -- messages --------------------------------------------------------------------

inline std::string asking(int id, const std::string& method, const std::string& params = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method + R"(","params":)" + params + "}";
}

inline std::string result(int id, const std::string& of) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + of + "}";
}
inline std::string error(int id, int code, const std::string& text) {
  return protocol::error_text(std::to_string(id), code, text);
}

// -- the server and its user -------------------------------------------------------

/// Records every message that the user of a hosted server receives, as journal lines.
struct listening_user_state {
  using interface = actors::downstream_actor;
  static constexpr const char* name = "user";

  listening_user_state(actors::pinned<interface>*, lines& journal) : journal_{journal} {}
  interface::behavior_type make_behavior() {
    return {
        [](actors::upstream_granted&) {},
        [this](actors::from_server& msg) {
          journal_.push_back(msg.message.text);
          for (auto& what : msg.more)
            journal_.push_back(what.text);
        },
        [this](actors::server_lost& msg) { journal_.push_back("lost: " + msg.why); },
    };
  }

  lines& journal_;
};

/// A hosted server and its user. Handlers run when the test calls `settle`.
struct hosted_world : test_coordinator_fixture<test_config> {
  hosted_world() : at{sys, sys.scheduler()} {
    user = sys.spawn<actors::actor_of<listening_user_state>>(std::ref(unit()), std::ref(journal));
    server = std::make_shared<troupe::server>(server_info{.name = "hosted"});
    auto add = [this](const std::string& name, call_handler handler) {
      server->tool({.name = name}, std::move(handler));
    };
    add("keep", [this](const call& one) { kept.push_back(one); });
    add("drop", [](const call&) {});
    add("throw", [](const call&) { throw std::runtime_error{"broken"}; });
    add("refuse", [](const call&) { throw refusal{-32602, "no such thing"}; });
    add("throw_else", [](const call&) { throw 7; });
    add("latin1", [](const call& one) { one.answer(text("\xe9")); });
    upstream = sys.spawn<actors::hosted_upstream>(
        std::ref(unit()), actors::bare_upstream_setup{.user = user, .session = "s"},
        std::make_shared<const actors::hosted_setup>(actors::hosted_setup{
            "hosted", actors::offer_of(*server), [this](auto work) { return queue(std::move(work)); },
            [this](auto which) { jobs.erase(which); }, [this](auto work) { callbacks.push_back(std::move(work)); },
            actors::event_log{[this](const log_record& event) { note(event); }}}));
    say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    seen();
  }
  ~hosted_world() override {
    kept.clear();
    caf::anon_send_exit(user, caf::exit_reason::user_shutdown);
    run();
  }

  actors::unit& unit() { return at; }
  /// Runs handlers and actors until none has work left.
  void settle() {
    run();
    for (; !jobs.empty() || !callbacks.empty(); run()) {
      for (auto& [turn, one] : std::exchange(jobs, {}))
        std::exchange(one, nullptr)();
      for (auto& one : std::exchange(callbacks, {}))
        one();
    }
  }
  net::worker_pool::ticket queue(std::function<void()> work) {
    if (jobs.size() >= most_jobs)
      return 0;
    jobs.emplace(++last_job, std::move(work));
    return last_job;
  }
  void note(const log_record& event) {
    std::string line = event.text;
    for (auto& [name, value] : event.fields)
      line += ' ' + name + '=' + value;
    log.push_back(std::move(line));
  }
  void say(const std::string& text) {
    caf::anon_send(upstream, actors::to_server{protocol::gateway_message(text)});
    settle();
  }
  lines seen() {
    settle();
    return std::exchange(journal, {});
  }

  lines journal;
  test_unit at;
  actors::downstream_actor user;
  std::shared_ptr<troupe::server> server;
  std::vector<call> kept;
  std::map<net::worker_pool::ticket, std::function<void()>> jobs;
  std::vector<std::function<void()>> callbacks;
  net::worker_pool::ticket last_job = 0;
  std::size_t most_jobs = 10;
  lines log;
  actors::hosted_upstream_actor upstream;
};

} // namespace troupe::tests
