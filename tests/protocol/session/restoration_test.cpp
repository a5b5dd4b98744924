// Clients that wait while a session is restored.

#include "protocol/session/session_transfer.hpp"
#include "tests/protocol/session/session_refusals.hpp"

namespace troupe::tests::restoration_test {

namespace {

constexpr session_limits two{.waiting = 2};

waiting_client posts(exchange_id exchange, const std::string& text) {
  return {exchange, waiting_post{std::get<post_body>(read_body(text))}};
}

rejection unavailable_now(std::string why, std::string id = {}) {
  return {503, -32603, "Service Unavailable: " + std::move(why), std::move(id), {{"Retry-After", "1"}}};
}

} // namespace

TEST(restoration, refuses_clients_when_too_much_waits) {
  restoration it{{}, two};
  effects out;
  it.let_wait(posts(1, request("7", "m")), out);
  it.let_wait({2, waiting_listen{}}, out);
  EXPECT_EQ(out, effects{});
  it.let_wait(posts(3, request("8", "m")), out);
  EXPECT_EQ(out, (effects{reject{3, unavailable_now("too much waits for the session to be restored", "8")}}));
  EXPECT_EQ(it.extract_clients().size(), 2u);
}

TEST(restoration, sends_clients_who_are_still_there_to_another_node_when_the_gateway_stops) {
  restoration it{{}, {}};
  effects out;
  it.let_wait(posts(1, request("7", "m")), out);
  it.let_wait(posts(2, request("8", "m")), out);
  it.let_wait({3, waiting_end{}}, out);
  it.left(1);
  it.reject_all("it is stopping", out);
  EXPECT_EQ(out,
            (effects{reject{2, unavailable_now("it is stopping", "8")}, reject{3, unavailable_now("it is stopping")}}));
  EXPECT_TRUE(it.extract_clients().empty());
}

TEST(restoration, drops_the_answers_on_one_exchange_and_nothing_that_was_there_before) {
  effects all{reply{1, "before"}, reply{1, "x"},  forwarded(note("notifications/n")),
              reply{2, "y"},      open_stream{1}, end_session{"z"}};
  drop_answers(all, 1, 1);
  EXPECT_EQ(all, (effects{reply{1, "before"}, forwarded(note("notifications/n")), reply{2, "y"}, end_session{"z"}}));
}

} // namespace troupe::tests::restoration_test
