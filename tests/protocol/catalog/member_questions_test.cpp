#include "protocol/catalog/request_sender.hpp"
#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::member_questions_test {

namespace {

/// A driver for the requests of several servers to a client.
struct questions_driver {
  catalog_effects asks(std::uint64_t server, std::string text, std::uint64_t own) {
    return told([&](auto& out) { it.ask(server, gateway_message(std::move(text)), own, out); });
  }
  template <class Fact>
  catalog_effects told(Fact fact) {
    catalog_effects out;
    fact(out);
    return out;
  }

  member_questions it{2};
};

} // namespace

TEST(member_questions, are_answered_to_who_asked_and_once) {
  questions_driver t;
  EXPECT_EQ(t.asks(1, request("\"q\"", "roots/list"), 7), (catalog_effects{client(request("7", "roots/list"))}));
  EXPECT_EQ(t.asks(2, request("\"q\"", "roots/list"), 9), (catalog_effects{client(request("9", "roots/list"))}));
  auto answer = [&](auto& out) { t.it.answer(gateway_message(result("9")), out); };
  EXPECT_EQ(t.told(answer), (catalog_effects{to(2, result("\"q\""))}));
  EXPECT_EQ(t.told(answer), catalog_effects{});
  EXPECT_EQ(t.it.size(), 1U);
}

TEST(member_questions, are_full_when_as_many_wait_as_may) {
  questions_driver t;
  t.asks(1, request("1", "roots/list"), 1);
  EXPECT_FALSE(t.it.is_full());
  t.asks(1, request("2", "roots/list"), 2);
  EXPECT_TRUE(t.it.is_full());
}

TEST(member_questions, are_withdrawn_by_who_asked_only) {
  questions_driver t;
  t.asks(1, request("5", "roots/list"), 7);
  EXPECT_EQ(t.told([&](auto& out) { t.it.withdraw(2, gateway_message(cancelled("5")), out); }), catalog_effects{});
  EXPECT_EQ(t.told([&](auto& out) { t.it.withdraw(1, gateway_message(cancelled("7")), out); }), catalog_effects{});
  EXPECT_EQ(t.told([&](auto& out) { t.it.withdraw(1, gateway_message(cancelled("5")), out); }),
            (catalog_effects{client(cancelled("7"))}));
  EXPECT_EQ(t.it.size(), 0U);
}

TEST(member_questions, are_all_withdrawn_when_their_server_is_gone) {
  questions_driver t;
  t.asks(1, request("5", "roots/list"), 7);
  t.asks(2, request("5", "roots/list"), 8);
  EXPECT_EQ(t.told([&](auto& out) { t.it.withdraw_all(1, "gone", out); }),
            (catalog_effects{client(cancellation_of("7", "gone").text)}));
  EXPECT_EQ(t.it.size(), 1U);
}

} // namespace troupe::tests::member_questions_test
