#include "protocol/supervised/subscriptions.hpp"
#include "tests/support/server_driver.hpp"

#include <ctime>

namespace troupe::protocol {
static void PrintTo(const pass_subscription& one, std::ostream* out) {
  *out << "pass " << one.user << ' ' << one.what.text;
}
static void PrintTo(const ask_subscription& one, std::ostream* out) {
  *out << "ask " << one.uri << (one.subscribes ? " on" : " off");
}
static void PrintTo(const grant_subscription& one, std::ostream* out) { *out << "grant " << one.user << ' ' << one.id; }
static void PrintTo(const fail_subscription& one, std::ostream* out) { *out << "fail " << one.user << ' ' << one.id; }
} // namespace troupe::protocol

namespace troupe::tests::subscriptions_test {

namespace {

using steps = subscription_steps;
using outcome = subscriptions::outcome;
using users = std::set<user_id>;

/// Subscriptions of several users to one URI, by their ids.
struct subscribers_driver {
  steps on(user_id user, std::string id) { return it.asked(user, gateway_message(subscribe(std::move(id), "a")), "a"); }
  steps off(user_id user, std::string id) {
    return it.asked(user, gateway_message(unsubscribe(std::move(id), "a")), "a");
  }
  steps answered(outcome how) { return it.answered("a", how); }
  subscribers_driver& held_by(user_id one) {
    on(one, "0");
    answered(outcome::granted);
    return *this;
  }

  subscriptions it{10};
};

pass_subscription passes_on(user_id user, std::string id) {
  return {user, gateway_message(subscribe(std::move(id), "a")), "a"};
}
pass_subscription passes_off(user_id user, std::string id) {
  return {user, gateway_message(unsubscribe(std::move(id), "a")), "a"};
}

} // namespace

TEST(subscriptions, ask_the_server_for_the_first_and_for_the_last) {
  subscribers_driver t;
  EXPECT_EQ(t.on(1, "5"), (steps{passes_on(1, "5")}));
  EXPECT_EQ(t.answered(outcome::granted), steps{});
  EXPECT_EQ(t.on(2, "6"), (steps{grant_subscription{2, "6"}}));
  EXPECT_EQ(t.on(2, "7"), (steps{grant_subscription{2, "7"}}));
  EXPECT_EQ(t.it.subscribers("a"), (users{1, 2}));
  EXPECT_EQ(t.off(1, "8"), (steps{grant_subscription{1, "8"}}));
  EXPECT_EQ(t.off(1, "9"), (steps{grant_subscription{1, "9"}}));
  EXPECT_EQ(t.off(2, "10"), (steps{passes_off(2, "10")}));
  EXPECT_EQ(t.answered(outcome::refused), steps{});
  EXPECT_TRUE(t.it.empty());
}

TEST(subscriptions, take_one_request_after_the_other) {
  subscribers_driver t;
  t.held_by(1);
  EXPECT_EQ(t.off(1, "5"), (steps{passes_off(1, "5")}));
  EXPECT_EQ(t.on(2, "6"), steps{});
  EXPECT_EQ(t.on(3, "7"), steps{});
  EXPECT_EQ(t.answered(outcome::granted), (steps{passes_on(2, "6")}));
  EXPECT_EQ(t.off(2, "8"), steps{});
  EXPECT_EQ(t.answered(outcome::granted), (steps{grant_subscription{3, "7"}, grant_subscription{2, "8"}}));
  EXPECT_EQ(t.it.subscribers("a"), (users{3}));
}

TEST(subscriptions, share_the_fate_of_the_first) {
  subscribers_driver t;
  t.on(1, "5");
  t.on(2, "6");
  t.off(3, "7");
  EXPECT_EQ(t.answered(outcome::refused), (steps{fail_subscription{2, "6"}, grant_subscription{3, "7"}}));
  EXPECT_TRUE(t.it.empty());
  EXPECT_EQ(t.on(1, "8"), (steps{passes_on(1, "8")}));
}

TEST(subscriptions, are_undone_when_it_is_not_known_how_they_ended) {
  subscribers_driver t;
  t.on(1, "5");
  t.on(2, "6");
  EXPECT_EQ(t.answered(outcome::unknown), (steps{fail_subscription{2, "6"}, ask_subscription{"a", false}}));
  EXPECT_EQ(t.on(2, "7"), steps{});
  EXPECT_EQ(t.answered(outcome::unknown), (steps{passes_on(2, "7")}));
}

TEST(subscriptions, are_undone_when_nobody_wants_them_any_more) {
  subscribers_driver t;
  t.on(1, "5");
  t.it.abandoned(1, "a");
  EXPECT_EQ(t.answered(outcome::granted), (steps{ask_subscription{"a", false}}));
  EXPECT_EQ(t.answered(outcome::granted), steps{});
  EXPECT_TRUE(t.it.empty());
}

TEST(subscriptions, of_who_leaves_are_left_to_the_others) {
  subscribers_driver t;
  t.on(1, "5");
  t.on(2, "6");
  t.on(3, "7");
  EXPECT_EQ(t.it.left(1), steps{});
  EXPECT_EQ(t.it.left(3), steps{});
  EXPECT_EQ(t.answered(outcome::granted), (steps{grant_subscription{2, "6"}}));
  EXPECT_EQ(t.it.subscribers("a"), (users{2}));
  EXPECT_EQ(t.it.left(2), (steps{ask_subscription{"a", false}}));
}

TEST(subscriptions, that_wait_may_be_withdrawn) {
  subscribers_driver t;
  t.on(1, "5");
  t.on(2, "6");
  EXPECT_FALSE(t.it.withdrawn(1, "6"));
  EXPECT_TRUE(t.it.withdrawn(2, "6"));
  EXPECT_FALSE(t.it.withdrawn(2, "6"));
  EXPECT_EQ(t.answered(outcome::granted), steps{});
  EXPECT_EQ(t.it.subscribers("a"), (users{1}));
}

TEST(subscriptions, that_wait_are_withdrawn_in_any_order_and_once) {
  subscribers_driver t;
  t.held_by(1).off(1, "0");
  for (user_id user = 2; user < 6; ++user)
    for (auto id : {"5", "6"})
      t.on(user, id);
  EXPECT_TRUE(t.it.withdrawn(4, "5"));
  EXPECT_TRUE(t.it.withdrawn(5, "6"));
  EXPECT_EQ(t.it.left(3), steps{});
  for (auto id : {"5", "6", "7"})
    EXPECT_FALSE(t.it.withdrawn(3, id));
  EXPECT_EQ(t.answered(outcome::granted), (steps{passes_on(2, "5")}));
  EXPECT_FALSE(t.it.withdrawn(2, "5"));
  EXPECT_EQ(t.answered(outcome::refused),
            (steps{fail_subscription{2, "6"}, fail_subscription{4, "6"}, fail_subscription{5, "5"}}));
  EXPECT_FALSE(t.it.withdrawn(4, "6"));
  EXPECT_TRUE(t.it.empty());
}

// Users of a shared server must not slow each other down.
TEST(subscriptions, that_wait_are_withdrawn_without_a_look_at_all_others) {
  subscriptions it{200'000};
  auto on = [&](user_id user, std::string id, std::string uri) {
    it.asked(user, gateway_message(subscribe(std::move(id), uri)), uri);
  };
  constexpr auto many = 100'000;
  for (auto i = 0; i < many; ++i)
    on(1, std::to_string(i), i % 2 == 0 ? "x" + std::to_string(i) : "a");
  const auto begun = std::clock();
  auto withdrawn = 0;
  for (auto i = many - 1; i > 0; --i)
    withdrawn += it.withdrawn(1, std::to_string(i)) ? 1 : 0;
  EXPECT_EQ(withdrawn, many / 2 - 1);
  EXPECT_LT((std::clock() - begun) / CLOCKS_PER_SEC, 30) << "one look at all for each takes minutes";
}

TEST(subscriptions, are_kept_when_the_server_is_lost) {
  subscribers_driver t;
  t.held_by(1).off(1, "5");
  t.on(2, "6");
  EXPECT_EQ(t.it.lost(), (steps{fail_subscription{2, "6"}}));
  EXPECT_TRUE(t.it.empty());
  t.held_by(3);
  EXPECT_EQ(t.it.lost(), steps{});
  EXPECT_EQ(t.it.replayed(), (steps{ask_subscription{"a", true, 3}}));
  EXPECT_EQ(t.on(2, "7"), steps{});
  EXPECT_EQ(t.answered(outcome::granted), (steps{grant_subscription{2, "7"}}));
  EXPECT_EQ(t.it.subscribers("a"), (users{2, 3}));
}

TEST(subscriptions, are_bounded_for_each_user) {
  subscriptions it{2};
  auto on = [&](user_id user, std::string uri) { it.asked(user, gateway_message(subscribe("1", uri)), uri); };
  on(1, "a");
  EXPECT_FALSE(it.full(1));
  on(1, "b");
  EXPECT_TRUE(it.full(1));
  EXPECT_FALSE(it.full(2));
  it.answered("a", outcome::granted);
  EXPECT_TRUE(it.full(1));
  it.answered("b", outcome::refused);
  EXPECT_FALSE(it.full(1));
  on(1, "a");
  EXPECT_FALSE(it.full(1));
  on(1, "c");
  EXPECT_TRUE(it.full(1));
  it.lost();
  EXPECT_FALSE(it.full(1));
  it.left(1);
  EXPECT_TRUE(it.empty());
}

TEST(subscriptions, are_also_to_the_parts_of_what_is_subscribed_to) {
  subscriptions it{10};
  for (auto [user, uri] : {std::pair{1, "file:///d"}, {2, "file:///d/e/"}, {3, "file:///d/e/f"}, {4, "file:///x"}})
    it.remember(static_cast<user_id>(user), uri);
  EXPECT_EQ(it.subscribers("file:///d/e/f"), (users{1, 2, 3}));
  EXPECT_EQ(it.subscribers("file:///d/e/f#g"), (users{1, 2, 3}));
  EXPECT_EQ(it.subscribers("file:///d/e"), (users{1}));
  EXPECT_EQ(it.subscribers("file:///dd"), users{});
  EXPECT_EQ(it.subscribers(""), users{});
  EXPECT_EQ(it.subscribers(std::string(1'000'000, '/')), users{});
}

TEST(subscriptions, of_a_dedicated_server_are_remembered_and_forgotten) {
  subscriptions it{10};
  it.remember(1, "a");
  it.remember(1, "a");
  it.remember(1, "b");
  it.forget(1, "b");
  it.forget(1, "c");
  it.lost();
  EXPECT_EQ(it.replayed(), (steps{ask_subscription{"a", true, 1}}));
}

} // namespace troupe::tests::subscriptions_test
