// Links that a node accepts or refuses, and the membership messages on them.

#include "tests/support/membership_driver.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::membership_links_test {

namespace {

const log_note joined{log_note::weight::info, "node joined", {{"node", "a"}, {"address", address_of('a')}}};

using greetings = std::vector<greet>;

/// The options of a node that speaks these versions of the node protocol.
membership_options versions_of(char name, const std::string& versions) {
  auto result = options_of(name);
  result.self.version = versions;
  return result;
}

} // namespace

TEST(membership, takes_the_link_that_it_asked_for_greets_and_believes_the_answer) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {address_of('a')}, m.now);
  EXPECT_EQ(m.calls('a', 1), membership_effects{accept_link{1}});
  EXPECT_EQ(m.reached(1), (membership_effects{greet{1, hello_of('m')}}));
  EXPECT_EQ(m.reached(1), membership_effects{});
  EXPECT_EQ(m.hears('a', 1),
            (membership_effects{joined, greet{1, hello_of('m')}, members_known{{{life_of('a'), "a", 1, false}}, false},
                                members_known{{{life_of('a'), "a", 1, false}}, true}}));
}

TEST(membership, answers_the_greeting_of_whoever_has_called) {
  member m;
  m.begin(m.now);
  EXPECT_EQ(m.is_called('a', 7), membership_effects{accept_link{7}});
  EXPECT_EQ(m.hears('a', 7), (membership_effects{joined, greet{7, hello_of('m')},
                                                 members_known{{{life_of('a'), "a", 7, false}}, true}}));
  EXPECT_EQ(m.hears('a', 7), membership_effects{});
}

TEST(membership, hears_nothing_through_a_link_that_is_gone) {
  member m;
  m.begin(m.now);
  m.is_called('a', 7);
  m.link_lost(7, m.now);
  EXPECT_EQ(m.hears('a', 7), membership_effects{});
  EXPECT_EQ(m.reached(7), membership_effects{});
  EXPECT_EQ(members(m), names{});
}

TEST(membership, tells_those_that_are_there_of_who_came) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  EXPECT_EQ(only<greet>(m.meets('b', 2)),
            (greetings{{2, hello_of('m', {address_of('a')})}, {1, hello_of('m', {address_of('b')})}}));
}

TEST(membership, names_to_a_node_that_calls_only_the_members_that_it_lacks) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  m.meets('b', 2, {address_of('c')});
  m.meets('c', 3);
  EXPECT_EQ(only<greet>(m.meets('d', 4, {address_of('a'), address_of('c')})).front(),
            (greet{4, hello_of('m', {address_of('b')})}));
}

// The first greeting has the members of that time. More may join before the node at the other end answers.
TEST(membership, names_to_a_node_that_it_called_no_member_twice) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  m.calls('d', 4);
  EXPECT_EQ(m.reached(4), (membership_effects{greet{4, hello_of('m', {address_of('a')})}}));
  m.meets('b', 2);
  m.meets('c', 3);
  EXPECT_EQ(only<greet>(m.hears('d', 4, {address_of('b')})).front(), (greet{4, hello_of('m', {address_of('c')})}));
}

TEST(membership, announces_nodes_that_join_together_in_one_greeting) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  m.meets('b', 2);
  const auto pause = member_news::pause;
  EXPECT_EQ(only<greet>(m.meets('c', 3)).size(), 1u);
  EXPECT_EQ(only<greet>(m.meets('d', 4)).size(), 1u);
  EXPECT_EQ(m.deadline(), m.now + pause);
  EXPECT_EQ(m.after(pause - 1ms), membership_effects{});
  auto news = hello_of('m', {address_of('c'), address_of('d')});
  EXPECT_EQ(only<greet>(m.after(1ms)), (greetings{{1, news}, {2, news}, {3, news}, {4, news}}));
  EXPECT_EQ(m.after(pause), membership_effects{});
}

// A member that names an address sends it to all. Repeating it would take a number of messages that grows with the
// square of the number of members.
TEST(membership, does_not_announce_a_node_that_a_member_has_named) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  m.hears('a', 1, {address_of('b'), address_of('m')});
  EXPECT_EQ(only<greet>(m.meets('b', 2)).size(), 1u) << "the node itself";
  m.link_lost(2, m.now);
  m.after(1s);
  EXPECT_EQ(only<greet>(m.meets('b', 3, {}, 2)).size(), 2u) << "its next life is news";
}

TEST(membership, sends_nothing_when_a_node_is_lost) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  m.meets('b', 2);
  EXPECT_EQ(only<greet>(m.link_lost(2, m.now)), greetings{});
}

TEST(membership, sends_all_addresses_to_each_member_in_turn) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  m.meets('b', 2);
  const auto pause = member_news::reminder;
  auto all = hello_of('m', {address_of('a'), address_of('b')});
  for (link_id next : {1, 2, 1}) {
    EXPECT_EQ(m.after(pause - 1ms), membership_effects{});
    EXPECT_EQ(only<greet>(m.after(1ms)), (greetings{{next, all}}));
  }
  m.link_lost(1, m.now);
  m.link_lost(2, m.now);
  m.after(1s);
  EXPECT_EQ(only<greet>(m.after(pause)), greetings{});
}

// Containers on several hosts may have equal identities in the protocol between nodes.
TEST(membership, says_once_that_a_node_cannot_be_told_apart_and_tries_again) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {address_of('a')}, m.now);
  for (link_id id = 1; id < 4; ++id) {
    m.calls('a', id);
    auto effects = m.misidentified(id, m.now);
    EXPECT_EQ(only<cut_link>(effects), std::vector<cut_link>{{id}});
    auto notes = only<log_note>(effects);
    ASSERT_EQ(notes.size(), id == 1 ? 1u : 0u);
    if (id == 1) {
      EXPECT_EQ(notes[0].is, log_note::weight::error);
      EXPECT_EQ(notes[0].facts[0], (std::pair<std::string, std::string>{"node", "a"}));
    }
    EXPECT_EQ(dialled(m.after(3s)), names{address_of('a')});
  }
  EXPECT_EQ(m.misidentified(1, m.now), membership_effects{});
  m.calls('b', 4);
  EXPECT_EQ(only<log_note>(m.misidentified(4, m.now)).size(), 1u) << "for each node";
  m.meets('a', 5);
  m.link_lost(5, m.now);
  m.calls('a', 6);
  EXPECT_EQ(only<log_note>(m.misidentified(6, m.now)).size(), 1u) << "and again when it was a member meanwhile";
}

TEST(membership, refuses_another_life_until_the_one_that_is_there_is_lost) {
  member m;
  m.begin(m.now);
  m.meets('a', 1, {}, 5);
  auto effects = m.is_called('a', 2, 6);
  EXPECT_EQ(only<refuse_link>(effects), (std::vector<refuse_link>{{2, "a node of this name is a member already"}}));
  EXPECT_EQ(only<log_note>(effects).size(), 1u);
  EXPECT_EQ(only<log_note>(m.is_called('a', 3, 6)).size(), 0u) << "it is said once";
  EXPECT_EQ(m.nodes(), (std::vector<known_node>{{life_of('a', 5), "a", 1, false}}));
  m.link_lost(1, m.now);
  m.meets('a', 4, {}, 6);
  EXPECT_EQ(m.nodes(), (std::vector<known_node>{{life_of('a', 6), "a", 4, false}}));
}

// A node known by several addresses may be called at each of them at once.
TEST(membership, keeps_the_first_of_two_calls_of_the_same_life) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  EXPECT_EQ(m.is_called('a', 2), (membership_effects{refuse_link{2, "the nodes have a link already"}}));
  EXPECT_EQ(members(m), names{"a"});
}

TEST(membership, keeps_the_first_of_its_own_two_calls_to_one_node) {
  member m{{"seed:1"}};
  m.begin(m.now);
  EXPECT_EQ(dialled(m.looked_up("seed:1", {address_of('a'), "10.0.0.9:1"}, m.now)).size(), 2u);
  m.calls('a', 1);
  EXPECT_EQ(m.offered(2, "10.0.0.9:1", card_of('a'), m.now),
            (membership_effects{refuse_link{2, "the nodes have a link already"}}));
  m.hears('a', 1);
  EXPECT_TRUE(m.settled());
  EXPECT_EQ(dialled(m.after(10s)), names{});
}

TEST(membership, gives_up_a_link_through_which_nobody_speaks) {
  member m;
  m.begin(m.now);
  m.is_called('a', 1);
  EXPECT_EQ(m.deadline(), m.now + 5s);
  EXPECT_EQ(only<cut_link>(m.after(4999ms)).size(), 0u);
  EXPECT_EQ(only<cut_link>(m.after(1ms)), (std::vector<cut_link>{{1}}));
  EXPECT_EQ(m.is_called('a', 2, 7), membership_effects{accept_link{2}}) << "its next life is not kept out by its past";
}

// Node a is less than m, and z is greater. Of two simultaneous links, the call of the greater node is kept.
TEST(membership, keeps_its_own_call_to_a_lesser_node_when_that_has_called_too) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {address_of('a')}, m.now);
  m.is_called('a', 1);
  EXPECT_EQ(m.calls('a', 2), (membership_effects{cut_link{1}, accept_link{2}}));
  EXPECT_EQ(m.is_called('a', 3), (membership_effects{refuse_link{3, "the nodes have a link already"}}));
}

TEST(membership, gives_up_its_own_call_to_a_greater_node_that_has_called_too) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {address_of('z')}, m.now);
  m.after(2s);
  m.is_called('z', 1);
  EXPECT_EQ(only<refuse_link>(m.calls('z', 2)), (std::vector<refuse_link>{{2, "the nodes have a link already"}}));
  m.hears('z', 1);
  EXPECT_EQ(members(m), names{"z"});
  EXPECT_EQ(dialled(m.after(10s)), names{});
}

TEST(membership, keeps_a_link_that_it_asked_for_whoever_calls) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {address_of('z')}, m.now);
  m.after(2s);
  m.calls('z', 1);
  EXPECT_EQ(m.is_called('z', 2), (membership_effects{refuse_link{2, "the nodes have a link already"}}));
}

TEST(membership, takes_whoever_speaks_a_version_that_it_speaks) {
  for (auto [theirs, ours] : {std::pair{"1-2", "1"}, {"1", "1-2"}, {"1-2", "1-2"}, {"2-3", "1-2"}, {"1-9", "4"}}) {
    membership m{versions_of('m', ours), 1, member::at()};
    m.begin(member::at());
    auto other = card_of('a');
    other.version = theirs;
    EXPECT_EQ(m.offered(1, {}, other, member::at()), membership_effects{accept_link{1}}) << theirs << ' ' << ours;
  }
}

TEST(membership, says_which_versions_there_are_when_none_is_spoken_on_both_sides) {
  for (auto [theirs, ours] : {std::pair{"2", "1"}, {"1", "2-3"}, {"4-5", "2-3"}, {"2-3", "1"}}) {
    membership m{versions_of('m', ours), 1, member::at()};
    m.begin(member::at());
    auto other = card_of('a');
    other.version = theirs;
    auto why = std::string{"it speaks version "} + theirs + " of the protocol between nodes, here it is " + ours;
    auto effects = m.offered(1, {}, other, member::at());
    EXPECT_EQ(only<refuse_link>(effects), (std::vector<refuse_link>{{1, why}}));
    EXPECT_EQ(only<log_note>(effects).size(), 1u);
  }
}

TEST(membership, refuses_whoever_says_what_is_no_version) {
  for (std::string theirs : {"2-1", "1-", "-", "1-1", "one", "1-99999999999999999999"}) {
    member m;
    m.begin(m.now);
    auto other = card_of('a');
    other.version = theirs;
    auto why = "it says that it speaks version " + theirs + " of the protocol between nodes, which is none";
    EXPECT_EQ(only<refuse_link>(m.offered(1, {}, other, m.now)), (std::vector<refuse_link>{{1, why}}));
    EXPECT_EQ(members(m), names{});
  }
}

TEST(membership, refuses_another_version_and_its_own_name) {
  member m;
  m.begin(m.now);
  auto other = card_of('a');
  other.version = "2";
  auto effects = m.offered(1, {}, other, m.now);
  EXPECT_EQ(only<refuse_link>(effects),
            (std::vector<refuse_link>{{1, "it speaks version 2 of the protocol between nodes, here it is 1"}}));
  EXPECT_EQ(only<log_note>(effects).size(), 1u);
  EXPECT_EQ(only<refuse_link>(m.is_called('m', 2, 9)), (std::vector<refuse_link>{{2, "this node has the same name"}}));
  EXPECT_EQ(members(m), names{});
}

TEST(membership, tries_again_after_a_pause_when_a_link_is_lost_before_it_was_greeted) {
  member m{{"seed:1"}};
  m.begin(m.now);
  m.looked_up("seed:1", {address_of('a')}, m.now);
  m.calls('a', 1);
  EXPECT_EQ(only<log_note>(m.link_lost(1, m.now)).size(), 1u);
  EXPECT_EQ(dialled(m.after(249ms)), names{});
  EXPECT_EQ(dialled(m.after(126ms)), names{address_of('a')});
}

TEST(membership, tells_all_that_it_takes_new_sessions_again_and_hears_it_of_others) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  m.drain();
  auto effects = only<greet>(m.drain(false));
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_FALSE(effects[0].hello.draining);
  auto hello = hello_of('a');
  hello.draining = true;
  m.greeted(1, hello, m.now);
  hello.draining = false;
  EXPECT_EQ(m.greeted(1, hello, m.now), (membership_effects{members_known{{{life_of('a'), "a", 1, false}}, true}}));
}

TEST(membership, tells_all_that_it_drains_and_hears_it_of_others) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  auto effects = only<greet>(m.drain());
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_TRUE(effects[0].hello.draining);
  EXPECT_TRUE(effects[0].hello.known.empty()) << "which is no news";
  auto hello = hello_of('a');
  hello.draining = true;
  EXPECT_EQ(m.greeted(1, hello, m.now), (membership_effects{members_known{{{life_of('a'), "a", 1, true}}, true}}));
}

// -- nodes that have ended -------------------------------------------------------------------

namespace {

using lives = std::vector<node_life>;

lives ended(const membership_effects& all) {
  lives result;
  for (auto& one : only<members_known>(all))
    result.insert(result.end(), one.ended.begin(), one.ended.end());
  return result;
}

/// A node that has lost the member `a`.
member without_a() {
  member m;
  m.meets('a', 1);
  m.link_lost(1, m.now);
  return m;
}

} // namespace

TEST(membership_links, tell_that_a_lost_node_has_ended_when_no_process_listens_there) {
  auto m = without_a();
  EXPECT_EQ(ended(m.fails(address_of('a'), "no answer")), lives{});
  EXPECT_EQ(ended(m.is_refused('b')), lives{});
  EXPECT_EQ(ended(m.is_refused('a')), lives{life_of('a')});
  EXPECT_EQ(ended(m.is_refused('a')), lives{});
}

TEST(membership_links, tell_that_a_lost_node_has_ended_when_it_or_another_answers_in_a_new_life) {
  EXPECT_EQ(ended(without_a().is_called('a', 2, 2)), lives{life_of('a')});
  EXPECT_EQ(ended(without_a().dial_failed(address_of('a'), "stops", card_of('b'), member::at())), lives{life_of('a')});
  EXPECT_EQ(ended(without_a().is_called('a', 2)), lives{});
  EXPECT_EQ(ended(without_a().is_called('b', 2)), lives{});
}

TEST(membership_links, do_not_tell_that_a_node_has_ended_that_is_back) {
  auto m = without_a();
  m.meets('a', 2);
  EXPECT_EQ(ended(m.is_refused('a')), lives{});
}

TEST(membership_links, show_soon_whether_a_lost_node_still_runs) {
  auto m = without_a();
  EXPECT_EQ(dialled(m.after(400ms)), names{address_of('a')});
}

// -- a node alone ----------------------------------------------------------------------------

namespace {

membership_options lone(std::vector<std::string> seeds) {
  auto result = options_of('m', std::move(seeds));
  result.alone = 2s;
  return result;
}

/// A node that waits for others: the only address that it knows is its own.
struct seed {
  seed() {
    it.begin(now);
    it.looked_up("self", {address_of('m')}, now);
  }
  bool settles(std::chrono::milliseconds time) {
    it.tick(now += time);
    return it.settled();
  }

  time_point now = member::at();
  membership it{lone({"self"}), 1, now};
};

} // namespace

TEST(membership_links, are_waited_for_by_a_node_that_knows_no_other) {
  seed one;
  EXPECT_FALSE(one.it.settled());
  EXPECT_LE(one.it.deadline(), one.now + 2s);
  EXPECT_FALSE(one.settles(1999ms));
  EXPECT_TRUE(one.settles(1ms));
}

TEST(membership_links, end_the_wait_of_a_node_that_knew_no_other) {
  seed one;
  one.it.offered(1, {}, card_of('a'), one.now);
  EXPECT_FALSE(one.it.settled());
  one.it.greeted(1, hello_of('a', {address_of('b')}), one.now);
  EXPECT_FALSE(one.it.settled()) << "the other knows a third";
  one.it.dial_failed(address_of('b'), "refused", {}, one.now, true);
  EXPECT_TRUE(one.it.settled());
}

TEST(membership_links, are_waited_for_no_longer_than_silent_addresses_by_a_node_that_knows_another) {
  seed one;
  one.it.offered(1, {}, card_of('a'), one.now);
  one.it.greeted(1, hello_of('a', {address_of('b')}), one.now);
  EXPECT_FALSE(one.settles(4999ms));
  EXPECT_TRUE(one.settles(1ms));
}

} // namespace troupe::tests::membership_links_test
