// The only trace of a gateway in its host's process: lines in the host's log.

#include "tests/embed/in_session.hpp"

#include <troupe/caf.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <mutex>
#include <pthread.h>
#include <stdexcept>

namespace troupe::tests::quiet_test {

namespace {

/// A host's log: one line for each event, with its facts. Session ids are replaced by a constant.
class log_book {
public:
  log_sink sink() {
    return [this](const log_record& event) {
      std::lock_guard lock{mutex_};
      lines_.push_back(line_of(event));
    };
  }
  std::vector<std::string> lines() const {
    std::lock_guard lock{mutex_};
    return lines_;
  }

private:
  static std::string line_of(const log_record& event) {
    auto result = event.text;
    for (auto& [name, value] : event.fields)
      result += ' ' + name + '=' + (name == "session" ? "ID" : value);
    return result;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// Captures the output of the process.
class captured_output {
public:
  captured_output() {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
  }
  /// Call it once only.
  std::string all() { return testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr(); }
};

gateway_options serving(server_options what, log_sink log) {
  gateway_options result;
  result.port = 0;
  result.threads = 2;
  result.max_sessions = 100; // low enough for every limit of open files
  result.grace = {};
  result.servers.push_back(std::move(what));
  result.log = std::move(log);
  return result;
}

server_options made_by(std::function<mcp_server()> make) {
  return {"actor", spawned([make = std::move(make)](caf::actor_system&) { return make(); })};
}

/// A server that the host's actor system cannot start, and the resulting end of everything.
struct failed_start {
  explicit failed_start(server_options what) {
    log_book log;
    captured_output said;
    {
      caf::actor_system_config config;
      caf::actor_system system{config};
      gateway at{system, serving(std::move(what), log.sink())};
      caf::anon_send(root_of(at), 7); // a message that the gateway ignores
      tcp_client client{at.port()};
      client.send(post(hello));
      answered = client.read_answer().body;
      at.drain();
    }
    wrote = said.all();
    logged = log.lines();
  }

  std::string answered, wrote;
  std::vector<std::string> logged;
};

/// The process's signal handlers, and the signals that this thread blocks.
std::vector<std::string> signals() {
  std::vector<std::string> result;
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now = {};
    if (sigaction(number, nullptr, &now) == 0)
      result.push_back(std::to_string(number) +
                       (now.sa_handler == SIG_DFL   ? " default"
                        : now.sa_handler == SIG_IGN ? " ignored"
                                                    : " handled") +
                       (sigismember(&blocked, number) == 1 ? ", blocked" : ""));
  }
  return result;
}

} // namespace

TEST(a_gateway_whose_server_does_not_start, tells_the_client_and_the_log_and_nobody_else) {
  auto throws = [](const auto& what) { return made_by([what]() -> mcp_server { throw what; }); };
  const std::pair<server_options, std::string> cases[] = {
      {throws(std::runtime_error{"no\n money"}), "its actor cannot be made: no money"},
      {throws(7), "its actor cannot be made: what was thrown is no std::exception"},
      {made_by([] { return mcp_server{}; }), "the host made no actor"},
      {{.name = "actor", .source = command("/no/such/program"), .sharing = sharing::session},
       R"(its program "/no/such/program" cannot be started: No such file or directory)"},
  };
  for (auto& [server, why] : cases) {
    failed_start seen{server};
    std::erase_if(seen.logged, [](auto& line) { return line.starts_with("server cannot work "); }); // at the start
    EXPECT_EQ(seen.answered, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":)" +
                                 json::serialize(json::string{why}) + "}}");
    std::ranges::sort(seen.logged); // the server and the session may have different threads
    EXPECT_EQ(seen.logged,
              (std::vector<std::string>{"server failed server=actor session=ID failures=1 why=" + why +
                                            " next_try=when a client needs it",
                                        "session begins session=ID", "session ended session=ID why=" + why}));
    EXPECT_EQ(seen.wrote, "");
  }
}

TEST(a_gateway, logs_to_its_host_until_it_has_stopped) {
  keeper host;
  log_book log;
  host.what->tool({.name = "throw"}, [](const json::object&) -> troupe::answer { throw std::runtime_error{"broken"}; });
  gateway at{serving({.source = hosted(host.what)}, log.sink())};
  in_session client{at}, other{at, client.session};
  client.call("throw");
  EXPECT_EQ(client.socket.status(), 200);
  other.call("keep");
  auto kept = host.kept.get_future().get();
  at.stop();
  const auto until_stopped = log.lines();
  EXPECT_EQ(until_stopped, (std::vector<std::string>{
                               "session begins session=ID",
                               "a handler of the host failed server=keeper session=ID kind=tool name=throw why=broken",
                               "session ended session=ID why=the gateway is stopping"}));
  EXPECT_FALSE(kept.fail("late"));
  kept.on_cancel([] { throw std::runtime_error{"late"}; });
  EXPECT_EQ(log.lines(), until_stopped);
}

TEST(a_gateway, leaves_the_signals_of_its_host_alone) {
  const auto before = signals();
  {
    gateway_options options = serving({.source = command("cat"), .eager = true}, {});
    options.servers.push_back({.source = hosted(keeper{}.what)});
    options.initialize_timeout = std::chrono::milliseconds{500}; // `cat` never answers `initialize`
    if (TROUPE_HAS_CLUSTER) {
      auto& cluster = options.cluster.emplace();
      cluster.name = "one";
      cluster.port = 0;
      cluster.key = "the secret of a test";
    }
    gateway at{options};
    in_session client{at};
    EXPECT_EQ(signals(), before);
    at.stop();
    EXPECT_EQ(signals(), before);
  }
  EXPECT_EQ(signals(), before);
}

} // namespace troupe::tests::quiet_test
