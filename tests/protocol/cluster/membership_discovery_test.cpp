// Discovery of other nodes, and its completion.

#include "tests/support/membership_driver.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::membership_discovery_test {

TEST(membership, without_seeds_is_settled_at_once_and_alone) {
  member m;
  EXPECT_EQ(m.begin(m.now), (membership_effects{members_known{{}, true}}));
  EXPECT_EQ(m.deadline(), time_point::max());
}

TEST(membership, looks_its_seeds_up_again_and_again) {
  member m{{"seed:1"}};
  EXPECT_EQ(m.begin(m.now), (membership_effects{look_up{"seed:1"}}));
  m.looked_up("seed:1", {address_of('m')}, m.now);
  EXPECT_EQ(m.deadline(), m.now + 5s);
  EXPECT_EQ(m.after(5s), (membership_effects{look_up{"seed:1"}}));
}

TEST(membership, calls_those_whose_address_is_smaller_at_once_and_the_others_a_little_later) {
  member m{{"seed:1"}};
  m.begin(m.now);
  EXPECT_EQ(dialled(m.looked_up("seed:1", {address_of('a'), address_of('m'), address_of('z')}, m.now)),
            names{address_of('a')});
  EXPECT_EQ(dialled(m.after(999ms)), names{});
  EXPECT_EQ(dialled(m.after(501ms)), names{address_of('z')});
}

TEST(membership, does_not_call_who_is_there_already) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.meets('a', 1);
  m.looked_up("seed:1", {address_of('a')}, m.now);
  EXPECT_EQ(dialled(m.after(10s)), names{});
}

TEST(membership, calls_those_whom_others_know) {
  member m;
  m.begin(m.now);
  m.meets('a', 1, {address_of('c'), address_of('m')});
  EXPECT_EQ(dialled(m.after(0ms)), names{address_of('c')});
}

TEST(membership, tries_again_after_growing_pauses_and_complains_once) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {address_of('a')}, m.now);
  EXPECT_EQ(only<log_note>(m.fails(address_of('a'), "no")).size(), 1u);
  EXPECT_EQ(dialled(m.after(249ms)), names{});
  EXPECT_EQ(dialled(m.after(126ms)), names{address_of('a')});
  EXPECT_EQ(only<log_note>(m.fails(address_of('a'), "no")).size(), 0u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(dialled(m.after(3s)), names{address_of('a')});
    m.fails(address_of('a'), "no");
  }
  EXPECT_EQ(dialled(m.after(999ms)), names{});
  EXPECT_EQ(only<log_note>(m.fails(address_of('a'), "other")).size(), 1u);
}

TEST(membership, is_settled_when_every_place_was_tried) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {address_of('a'), address_of('b')}, m.now);
  m.fails(address_of('a'), "no");
  EXPECT_FALSE(m.settled());
  m.calls('b', 1);
  EXPECT_FALSE(m.settled());
  m.hears('b', 1);
  EXPECT_TRUE(m.settled());
}

TEST(membership, is_settled_after_a_while_whoever_is_silent) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.after(4999ms);
  EXPECT_FALSE(m.settled());
  m.after(1ms);
  EXPECT_TRUE(m.settled());
}

TEST(membership, knows_itself) {
  member m{{"seed:1"}};
  m.begin(m.now);
  EXPECT_EQ(dialled(m.looked_up("seed:1", {"10.0.0.0:1"}, m.now)), names{"10.0.0.0:1"});
  EXPECT_EQ(m.offered(1, {}, card_of('m'), m.now), (membership_effects{refuse_link{1, "this is the node itself"}}));
  EXPECT_EQ(m.dial_failed("10.0.0.0:1", "this is the node itself", card_of('m'), m.now),
            (membership_effects{members_known{{}, true}}));
  EXPECT_EQ(dialled(m.after(10s)), names{});
}

TEST(membership, calls_a_node_that_is_lost_again) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  EXPECT_EQ(
      m.link_lost(1, m.now),
      (membership_effects{log_note{log_note::weight::warning, "node lost", {{"node", "a"}}}, members_known{{}, true}}));
  EXPECT_EQ(dialled(m.after(0ms)), names{address_of('a')});
}

TEST(membership, calls_a_node_that_is_lost_after_a_long_time_again) {
  for (char name : {'a', 'z'}) {
    member m;
    m.begin(m.now);
    m.meets(name, 1);
    m.after(1h);
    m.link_lost(1, m.now);
    EXPECT_EQ(dialled(m.after(1500ms)), names{address_of(name)});
  }
}

TEST(membership, calls_whoever_is_now_where_a_node_was_that_came_back_elsewhere) {
  member m{{address_of('x')}};
  m.begin(m.now);
  m.looked_up(address_of('x'), {address_of('x')}, m.now);
  m.offered(1, address_of('x'), card_of('b'), m.now);
  m.greeted(1, {life_of('b'), address_of('x'), false, {}}, m.now);
  EXPECT_EQ(dialled(m.after(10s)), names{});
  m.link_lost(1, m.now);
  m.meets('b', 2, {}, 2);
  EXPECT_EQ(dialled(m.after(10s)), names{address_of('x')});
  m.offered(3, address_of('x'), card_of('c'), m.now);
  m.hears('c', 3);
  EXPECT_EQ(members(m), (names{"b", "c"}));
}

TEST(membership, calls_a_node_again_that_had_called_and_left_without_a_word) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {address_of('a')}, m.now);
  m.dial_failed(address_of('a'), "the nodes have a link already", card_of('a'), m.now);
  m.is_called('a', 1);
  EXPECT_EQ(dialled(m.after(1s)), names{});
  m.link_lost(1, m.now);
  EXPECT_LE(m.deadline(), m.now);
  EXPECT_EQ(dialled(m.after(0ms)), names{address_of('a')});
}

TEST(membership, forgets_places_that_nobody_speaks_of_any_more) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  m.link_lost(1, m.now);
  m.after(0ms);
  m.fails(address_of('a'), "no");
  EXPECT_EQ(dialled(m.after(59s)), names{address_of('a')});
  m.fails(address_of('a'), "no");
  EXPECT_EQ(dialled(m.after(3s)), names{});
  EXPECT_EQ(m.deadline(), time_point::max());
}

TEST(membership, is_not_settled_while_a_node_is_there_that_is_no_member_yet) {
  for (std::string why : {"the nodes have a link already", "a node of this name is a member already"}) {
    member m{{"seed:1"}};
    m.begin(m.now);
    m.looked_up("seed:1", {address_of('a')}, m.now);
    m.dial_failed(address_of('a'), why, card_of('a'), m.now);
    EXPECT_FALSE(m.settled()) << why;
    m.meets('a', 1);
    EXPECT_TRUE(m.settled()) << why;
  }
}

TEST(membership, tries_a_node_that_refuses_it_again_later) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {address_of('a')}, m.now);
  auto said = m.dial_failed(address_of('a'), "no", card_of('a'), m.now);
  EXPECT_EQ(only<log_note>(said).size(), 1u);
  EXPECT_TRUE(m.settled());
  EXPECT_EQ(dialled(m.after(3s)), names{address_of('a')});
}

TEST(membership, says_nothing_of_a_node_that_has_a_link_already) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {"10.0.0.9:1"}, m.now);
  m.meets('a', 1);
  auto said = m.dial_failed("10.0.0.9:1", "the nodes have a link already", card_of('a'), m.now);
  EXPECT_EQ(only<log_note>(said).size(), 0u);
  EXPECT_EQ(dialled(m.after(10s)), names{});
}

TEST(membership, knows_no_more_places_than_it_may) {
  auto options = options_of('m');
  options.most = 3;
  membership m{options, 1, member::at()};
  m.begin(member::at());
  std::vector<std::string> many;
  for (char c = 'a'; c < 'g'; ++c)
    many.push_back(address_of(c));
  auto effects = m.looked_up("seed:1", many, member::at());
  EXPECT_EQ(dialled(effects), (names{address_of('a'), address_of('b')}));
  EXPECT_EQ(only<log_note>(effects).size(), 1u);
  EXPECT_EQ(only<log_note>(m.looked_up("seed:1", many, member::at())).size(), 0u) << "it is said once";
}

// -- frozen nodes --------------------------------------------------------------------------------

namespace {

/// A node that others consider lost after 4 s of silence, with two of them.
struct watched : membership {
  watched() : membership{options(), 1, troupe::tests::member::at()} {
    for (auto [name, link] : {std::pair{'a', link_id{1}}, std::pair{'z', link_id{2}}}) {
      offered(link, {}, card_of(name), now);
      greeted(link, hello_of(name), now);
    }
  }
  static membership_options options() {
    auto result = options_of('m');
    result.silence = 4s;
    return result;
  }
  membership_effects after(std::chrono::milliseconds time) { return tick(now += time); }
  membership_effects lost(link_id link, std::chrono::milliseconds after, bool has_left = false) {
    return link_lost(link, now += after, has_left);
  }

  time_point now = troupe::tests::member::at();
};

log_note lost_note(char name) { return {log_note::weight::warning, "node lost", {{"node", std::string{name}}}}; }

log_note stood_still() {
  return {log_note::weight::warning, "this node stood still: it looks for the others again", {}};
}

} // namespace

TEST(membership_discovery, looks_for_all_again_when_it_stood_still_for_longer_than_others_wait) {
  watched m;
  EXPECT_TRUE(m.settled());
  EXPECT_EQ(m.deadline(), m.now + 1s);
  EXPECT_EQ(m.after(3999ms), membership_effects{});
  EXPECT_EQ(m.nodes().size(), 2U);
  EXPECT_EQ(m.after(4s), (membership_effects{cut_link{1}, cut_link{2}, members_known{{}, false}, stood_still(),
                                             dial{address_of('a')}, dial{address_of('z')}}));
  EXPECT_FALSE(m.settled());
}

TEST(membership_discovery, looks_for_all_again_when_a_link_is_lost_after_a_pause) {
  watched m;
  m.after(3s);
  EXPECT_EQ(m.lost(1, 999ms), (membership_effects{lost_note('a'), cut_link{2}, members_known{{}, false}, stood_still(),
                                                  dial{address_of('a')}, dial{address_of('z')}}));
  EXPECT_FALSE(m.settled());
}

TEST(membership_discovery, looks_for_all_again_when_it_hears_of_a_lost_link_before_it_ticks) {
  for (auto pause : {3000ms, 4000ms}) {
    watched m;
    m.lost(1, pause);
    EXPECT_FALSE(m.settled());
    EXPECT_EQ(m.after(0s), membership_effects{});
  }
}

TEST(membership_discovery, trusts_the_links_that_it_makes_after_a_standstill) {
  watched m;
  m.after(4s);
  m.offered(3, address_of('a'), card_of('a'), m.now);
  m.greeted(3, hello_of('a'), m.now);
  m.offered(4, address_of('z'), card_of('z'), m.now);
  m.greeted(4, hello_of('z'), m.now);
  m.lost(3, 0s);
  EXPECT_TRUE(m.settled());
  EXPECT_EQ(m.nodes().size(), 1U);
}

TEST(membership_discovery, keeps_its_links_when_a_node_leaves_after_a_pause) {
  watched m;
  m.after(3s);
  m.lost(1, 0s, true);
  EXPECT_TRUE(m.settled());
  EXPECT_EQ(m.nodes().size(), 1U);
}

TEST(membership_discovery, loses_one_node_alone_without_a_pause) {
  for (auto [before, until_lost] : {std::pair{2999ms, 0ms}, std::pair{3000ms, 1000ms}, std::pair{1000ms, 2999ms}}) {
    watched m;
    m.after(before);
    m.lost(1, until_lost);
    EXPECT_TRUE(m.settled());
    EXPECT_EQ(m.nodes().size(), 1U);
  }
}

TEST(membership_discovery, is_settled_again_when_all_are_found_or_do_not_answer) {
  watched m;
  m.after(4s);
  m.offered(3, address_of('a'), card_of('a'), m.now);
  m.greeted(3, hello_of('a'), m.now);
  EXPECT_FALSE(m.settled());
  m.dial_failed(address_of('z'), "refused", {}, m.now);
  EXPECT_TRUE(m.settled());
  EXPECT_EQ(m.nodes().size(), 1U);
}

} // namespace troupe::tests::membership_discovery_test
