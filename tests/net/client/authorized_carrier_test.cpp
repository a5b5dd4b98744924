#include "net/client/call_carrier.hpp"

#include "net/io_thread.hpp"
#include "protocol/remote/obtained_tokens.hpp"
#include "tests/support/http_server.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace troupe::tests::authorized_carrier_test {

using namespace net;
using namespace protocol;

namespace {

using carrier = authorized_carrier<obtained_tokens>;

/// A carrier of calls to a server that takes the token `good` alone. Its journal has the facts that it told.
struct authorized_carrier_test : tidy_test {
  http_server server{[](peer& one) {
    for (auto asked = one.read_request(); !asked.empty(); asked = one.read_request())
      if (asked.find("Authorization: Bearer good") != asked.npos)
        one.say(length_answer("x"));
      else
        one.say("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
  }};
  journal seen;
  std::optional<io_thread> thread{std::in_place};
  std::unique_ptr<carrier> it = std::make_unique<carrier>(
      http_client_group{{}}.on(*thread), [this](call_event news) { it->arrived(std::move(news)); },
      carrier::listener{[this](http_call_id) { seen.note("waits"); }, [this](const call_event& news) { told(news); },
                        [this](const want_token& what) { seen.note("wants another than '" + what.stale + "'"); }});

  void told(const call_event& news) {
    static const lines names{"begun", "head", "body", "ended", "failed", "withheld"};
    const auto* head = std::get_if<call_head>(&news.what);
    seen.note(names[news.what.index()] + (head ? " " + std::to_string(head->status) : ""));
  }
  void on_thread(const std::function<void()>& act) { run_on(*thread, act); }
  void sends() {
    on_thread([&] { it->send({.call = 1, .method = "POST", .url = server.url()}, "ann", {}); });
  }
  void gives(const std::string& token) {
    on_thread([&] { it->token_given("ann", token, time_point::max()); });
  }
  void TearDown() override {
    it.reset();
    thread.reset();
  }
};

} // namespace

TEST_F(authorized_carrier_test, sends_a_call_without_a_token_where_none_is_needed) {
  sends();
  EXPECT_EQ(seen.wait_for(2), (lines{"head 401", "ended"}));
}

TEST_F(authorized_carrier_test, sends_a_call_once_there_is_a_token) {
  on_thread([&] { it->use_tokens(); });
  sends();
  EXPECT_EQ(seen.wait_for(2), (lines{"waits", "wants another than ''"}));
  EXPECT_TRUE(it->awaits_token());
  gives("good");
  EXPECT_EQ(seen.wait_for(6), (lines{"waits", "wants another than ''", "begun", "head 200", "body", "ended"}));
}

TEST_F(authorized_carrier_test, sends_a_call_once_more_when_its_token_is_refused) {
  on_thread([&] { it->use_tokens(); });
  gives("bad");
  sends();
  EXPECT_EQ(seen.wait_for(1), lines{"wants another than 'bad'"});
  gives("good");
  EXPECT_EQ(seen.wait_for(5), (lines{"wants another than 'bad'", "begun", "head 200", "body", "ended"}));
}

TEST_F(authorized_carrier_test, tells_the_refusal_when_there_is_no_other_token) {
  on_thread([&] { it->use_tokens(); });
  gives("bad");
  sends();
  seen.wait_for(1);
  on_thread([&] { it->token_refused("ann", "no"); });
  EXPECT_EQ(seen.wait_for(2), (lines{"wants another than 'bad'", "head 401"}));
}

} // namespace troupe::tests::authorized_carrier_test
