// The node of a session.

#include "protocol/cluster/session_routes.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::session_routes_test {

using namespace protocol;

namespace {

using kind = session_route::kind;

sealed_session_ids ids() {
  return sealed_session_ids{[](std::string_view text) {
    random_bytes result{};
    for (std::size_t i = 0; i < text.size(); ++i)
      result[i % result.size()] ^= static_cast<std::byte>(text[i]);
    return std::vector{result};
  }};
}

const node_life self{1, 1};
const node_life other{2, 7};
const node_life third{3, 1};

std::string session_of(node_life owner) { return ids().make({std::byte{5}}, owner); }
known_node member(node_life life) { return {life, "x", 1, false}; }

session_routes routes(bool has_store, bool settled = true) {
  session_routes result{ids(), has_store};
  result.members({member(other)}, settled);
  return result;
}

} // namespace

TEST(session_routes, leads_to_the_node_that_the_id_names) {
  EXPECT_EQ(routes(false).find(session_of(other), self), (session_route{kind::elsewhere, other}));
}

TEST(session_routes, leads_nowhere_with_an_id_that_nobody_made) {
  for (auto& id : {std::string{"x"}, "f" + session_of(other).substr(1), session_of(other).substr(1)})
    EXPECT_EQ(routes(true).find(id, self), session_route{});
}

TEST(session_routes, leads_to_a_node_that_is_lost_or_lives_again) {
  for (auto owner : {third, node_life{other.node, other.incarnation - 1}, node_life{other.node, other.incarnation + 1}})
    EXPECT_EQ(routes(false).find(session_of(owner), self), (session_route{kind::lost, owner}));
}

TEST(session_routes, leads_nowhere_when_the_session_was_ours) {
  EXPECT_EQ(routes(false).find(session_of(self), self), session_route{});
  EXPECT_EQ(routes(false, false).find(session_of(self), self), session_route{});
}

TEST(session_routes, waits_while_there_may_be_more_nodes) {
  EXPECT_EQ(routes(true, false).find(session_of(third), self), (session_route{kind::not_yet, third}));
  EXPECT_EQ(routes(true, false).find(session_of(other), self), (session_route{kind::elsewhere, other}));
}

TEST(session_routes, asks_the_store_for_what_has_lost_its_owner) {
  EXPECT_EQ(routes(true).find(session_of(third), self), (session_route{kind::ask_store, third}));
  EXPECT_EQ(routes(true).find(session_of(self), self), (session_route{kind::ask_store, self}));
}

TEST(session_routes, follows_a_session_that_moved_until_its_new_owner_is_lost) {
  auto it = routes(true);
  it.moved(session_of(third), other);
  EXPECT_EQ(it.find(session_of(third), self), (session_route{kind::elsewhere, other}));
  it.members({}, true);
  EXPECT_EQ(it.find(session_of(third), self), (session_route{kind::ask_store, third}));
  it.members({member(other)}, true);
  EXPECT_EQ(it.find(session_of(third), self), (session_route{kind::ask_store, third}));
}

TEST(session_routes, begins_sessions_at_the_nodes_that_take_any_in_turn) {
  session_routes it{ids(), false};
  EXPECT_EQ(it.for_new(), std::nullopt);
  it.members({member(other), {self, "draining", 2, true}, member(third)}, true);
  std::vector<std::optional<node_life>> seen;
  for (auto i = 0; i < 3; ++i)
    seen.push_back(it.for_new());
  EXPECT_EQ(seen, (std::vector<std::optional<node_life>>{other, third, other}));
  it.members({{other, "draining", 1, true}}, true);
  EXPECT_EQ(it.for_new(), std::nullopt);
}

TEST(session_routes, remembers_a_session_that_was_lost_and_moved_again_as_long_as_others) {
  auto it = routes(true);
  auto id = [](std::uint64_t n) { return session_of({third.node, n}); };
  it.moved(id(0), other);
  it.lost(id(0));
  EXPECT_EQ(it.find(id(0), self).is, kind::ask_store);
  it.lost(id(0));
  for (std::uint64_t n = 1; n < session_routes::most_moved; ++n)
    it.moved(id(n), other);
  it.moved(id(0), other);
  EXPECT_EQ(it.find(id(0), self).is, kind::elsewhere);
  EXPECT_EQ(it.find(id(1), self).is, kind::elsewhere);
  it.moved(id(session_routes::most_moved), other);
  EXPECT_EQ(it.find(id(0), self).is, kind::elsewhere);
  EXPECT_EQ(it.find(id(1), self).is, kind::ask_store);
}

TEST(session_routes, remembers_no_more_moves_than_it_may) {
  auto it = routes(true);
  auto id = [](std::uint64_t n) { return session_of({third.node, n}); };
  for (std::uint64_t n = 0; n <= session_routes::most_moved; ++n)
    it.moved(id(n), other);
  EXPECT_EQ(it.find(id(0), self).is, kind::ask_store);
  EXPECT_EQ(it.find(id(1), self).is, kind::elsewhere);
  EXPECT_EQ(it.find(id(session_routes::most_moved), self).is, kind::elsewhere);
}

} // namespace troupe::tests::session_routes_test
