// Callbacks by which a host decides or is notified.

#include "tests/embed/in_session.hpp"
#include "tests/support/scratch.hpp"

#include <troupe/access_key.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace troupe::tests::hooks_test {

namespace {

std::shared_ptr<server> small_server() { return std::make_shared<server>(server_info{.name = "small"}); }

/// The answer to a client's `initialize`.
troupe::tests::answer begin(const gateway& at) {
  tcp_client client{at.port()};
  client.send(post(hello));
  return client.read_answer();
}

bool has(const std::string& text, const std::string& what) { return text.find(what) != text.npos; }

} // namespace

TEST(a_host, says_who_may_begin_a_session) {
  auto options = serving(small_server());
  std::mutex mutex;
  std::vector<session_request> asked;
  options.refuse_session = [&](const session_request& what) {
    std::lock_guard lock{mutex};
    asked.push_back(what);
    return asked.size() == 1 ? "come \nback tomorrow" : "";
  };
  gateway at{options};
  auto refused = begin(at);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.body, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"come back tomorrow"}})");
  EXPECT_EQ(begin(at).status, 200);
  std::lock_guard lock{mutex};
  EXPECT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].server, "small");
  EXPECT_EQ(asked[0].caller, "");
}

TEST(a_host, knows_who_wants_to_begin_a_session) {
  scratch folder;
  auto key = make_access_key();
  auto options = serving(small_server());
  options.auth.keys_file = folder.path("keys");
  std::ofstream{options.auth.keys_file} << "ada sha256:" << key.hash << " read,write -\n";
  std::promise<session_request> asked;
  options.refuse_session = [&](const session_request& what) {
    asked.set_value(what);
    return "";
  };
  gateway at{options};
  tcp_client client{at.port()};
  auto request = post(hello);
  client.send(request.insert(request.find("Accept"), "Authorization: Bearer " + key.secret + "\r\n"));
  EXPECT_EQ(client.status(), 200);
  auto who = asked.get_future().get();
  EXPECT_EQ(who.caller, "ada");
  EXPECT_EQ(who.issuer, "key");
  EXPECT_EQ(who.scopes, (std::vector<std::string>{"read", "write"}));
  EXPECT_EQ(who.claims, "{}");
}

TEST(a_host, keeps_nobody_else_waiting_while_it_thinks) {
  auto options = serving(small_server());
  std::promise<void> thinks, decided;
  int count = 0; // counts the first two, which are queried in turn
  options.threads = 1;
  options.refuse_session = [&](const session_request&) -> std::string {
    if (++count == 2) {
      thinks.set_value();
      decided.get_future().wait();
    }
    return {};
  };
  gateway at{options};
  in_session here{at};
  tcp_client newcomer{at.port()};
  newcomer.send(post(hello));
  thinks.get_future().wait();
  here.tell(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_EQ(here.socket.status(), 200);
  decided.set_value();
  EXPECT_EQ(newcomer.status(), 200);
}

TEST(a_host, that_throws_lets_nobody_in) {
  auto options = serving(small_server());
  std::promise<std::string> told;
  options.log = [&](const log_record& event) {
    if (event.level == log_level::error)
      told.set_value(event.text + ": " + event.fields.at(0).second);
  };
  options.refuse_session = [](const session_request&) -> std::string { throw std::runtime_error{"no database"}; };
  gateway at{options};
  EXPECT_EQ(begin(at).status, 503);
  EXPECT_EQ(told.get_future().get(), "whether a session may begin could not be found out: no database");
}

TEST(a_host, may_stop_its_gateway_when_it_is_asked) {
  auto options = serving(small_server());
  std::unique_ptr<gateway> at;
  std::promise<void> begun;
  options.refuse_session = [&, begin = begun.get_future().share()](const session_request&) {
    begin.wait();
    at->stop();
    return "closed";
  };
  at = std::make_unique<gateway>(options);
  begun.set_value();
  EXPECT_NE(begin(*at).status, 200);
  at.reset();
}

TEST(a_host, reads_what_is_counted) {
  auto options = serving(small_server());
  options.metrics = true;
  gateway at{options};
  in_session client{at};
  auto text = at.metrics();
  EXPECT_TRUE(has(text, "\ntroupe_sessions{transport=\"streamable_http\"} 1\n")) << text;
  EXPECT_TRUE(has(text, "troupe_http_responses_total{status=\"200\"} 1\n")) << text;
  EXPECT_TRUE(has(text, "troupe_sessions_limit"));
  EXPECT_FALSE(has(text, "process_cpu_seconds_total")); // process metrics belong to the host
  at.drain();
  EXPECT_EQ(at.metrics(), "");
}

TEST(a_host, that_does_not_ask_for_it_has_nothing_counted) {
  gateway at{serving(small_server())};
  in_session client{at};
  auto text = at.metrics();
  EXPECT_TRUE(has(text, "troupe_build_info"));
  EXPECT_FALSE(has(text, "troupe_http_responses_total{"));
}

} // namespace troupe::tests::hooks_test
