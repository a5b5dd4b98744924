// Ownership of sessions in the store, and the effect of losing Redis.

#include "actors/cluster/redis_scripts.hpp"
#include "tests/store/redis_store_test.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace troupe::tests::redis_store_ownership_test {

using namespace std::chrono_literals;

namespace {

/// A tenure that expires soon, but is long enough for a busy machine.
actors::redis_store_setup hasty() { return {.tenure_time = 3s}; }

} // namespace

// -- ownership -------------------------------------------------------------------------

TEST_F(redis_store_test, gives_no_session_whose_owner_lives) {
  store_node a{url(), "a-1", calm()};
  store_node b{url(), "b-1", hasty()};
  a.save("s", "record");
  ASSERT_TRUE(a.comes_to_hold() && b.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours record");
  auto begun = net::boot_clock::now();
  EXPECT_EQ(b.found("s"), "found s unavailable");
  EXPECT_GE(net::boot_clock::now() - begun, hasty().tenure_time + 1s);
  a.publish("s", {1, 1, "x", false});
  EXPECT_EQ(a.found("s"), "found s ours record [1.1 x]");
}

TEST_F(redis_store_test, says_at_once_who_the_owner_is_when_that_one_is_there) {
  store_node a{url(), "a-1", calm()};
  store_node b{url(), "b-1", calm()};
  a.save("s", "record");
  ASSERT_TRUE(a.comes_to_hold() && b.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours record");
  EXPECT_EQ(b.found("s", {"c-1", "a-1"}), "found s elsewhere a-1");
}

TEST_F(redis_store_test, gives_the_session_of_a_node_that_was_killed_once_its_tenure_has_run_out) {
  store_node a{url(), "a-1", calm()};
  a.save("s", "record");
  ASSERT_TRUE(a.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours record");
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  other.ask({"HSET", key("s", "s"), "owner", "dead-1"});
  store_node b{url(), "b-1", calm()};
  ASSERT_TRUE(b.comes_to_hold());
  auto begun = net::boot_clock::now();
  other.ask({"SET", "troupe:test:n:dead-1", "1", "PX", "700"});
  EXPECT_EQ(b.found("s"), "found s ours record");
  EXPECT_GE(net::boot_clock::now() - begun, 700ms);
  EXPECT_EQ(other.ask({"HGET", key("s", "s"), "owner"}), "'b-1'");
}

TEST_F(redis_store_test, lets_anybody_have_what_it_took_and_gives_back) {
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  other.ask({"HSET", key("s", "s"), "owner", "dead-1", "record", "r"});
  store_node a{url(), "a-1", calm()};
  store_node b{url(), "b-1", calm()};
  ASSERT_TRUE(a.comes_to_hold() && b.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours r");
  a.give_back("s", 1);
  ASSERT_EQ(a.found("s"), "found s ours r");
  a.give_back("s", 1);
  EXPECT_EQ(b.found("s", {"a-1"}), "found s elsewhere a-1");
  a.give_back("s", 2);
  EXPECT_TRUE(eventually([&] { return b.found("s", {"a-1"}) == "found s ours r"; }));
  a.give_back("s", 2);
  EXPECT_EQ(a.found("s", {"b-1"}), "found s elsewhere b-1");
}

TEST_F(redis_store_test, keeps_what_it_took_again_since_it_gave_it_back) {
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  other.ask({"HSET", key("s", "s"), "owner", "dead-1", "record", "r"});
  store_node a{url(), "a-1", calm()};
  ASSERT_TRUE(a.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours r");
  a.give_back("s", 1);
  ASSERT_EQ(a.found("s"), "found s ours r");
  a.give_back("s", 1);
  a.save("s", "more");
  EXPECT_TRUE(eventually([&] { return other.ask({"HGET", key("s", "s"), "record"}) == "'more'"; }));
  EXPECT_EQ(other.ask({"HGET", key("s", "s"), "owner"}), "'a-1'");
}

TEST_F(redis_store_test, gives_a_session_to_one_of_many_who_want_it) {
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  other.ask({"HSET", key("s", "s"), "owner", "dead-1", "record", "r"});
  std::deque<store_node> nodes;
  for (auto name : {"a", "b", "c", "d"})
    nodes.emplace_back(url(), name, hasty());
  for (auto& one : nodes)
    ASSERT_TRUE(one.comes_to_hold());
  for (auto& one : nodes)
    one.search_store("s");
  std::size_t owners = 0;
  for (auto& one : nodes)
    owners += count(one.seen.wait_for(1), "found s ours r");
  EXPECT_EQ(owners, 1u);
}

TEST_F(redis_store_test, takes_the_session_of_a_node_that_froze_and_refuses_what_that_writes_later) {
  store_node a{url(), "a-1", hasty()};
  store_node b{url(), "b-1", calm()};
  a.save("s", "record");
  ASSERT_TRUE(a.comes_to_hold() && b.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours record");
  auto term = a.ours->term();
  a.freeze();
  a.save("s", "of a");
  EXPECT_EQ(b.found("s"), "found s ours record");
  EXPECT_FALSE(a.holds());
  a.thaw();
  EXPECT_EQ(a.seen.wait_for("tenure lost").back(), "tenure lost");
  a.publish("s", {1, 1, "of a", false});
  a.seen.wait_for("doubted s");
  a.claim("s", "of a");
  EXPECT_EQ(a.logged.wait_for("another node owns the session: nothing is kept of it session=…").back(),
            "another node owns the session: nothing is kept of it session=…");
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_FALSE(a.ours->holds(term));
  b.publish("s", {1, 1, "of b", false});
  EXPECT_EQ(b.found("s"), "found s ours record [1.1 of b]");
  EXPECT_EQ(count(a.seen.all(), "tenure lost"), 1u);
  EXPECT_EQ(a.seen.wait_for("tenure lost of s").back(), "tenure lost of s");
}

TEST_F(redis_store_test, claims_a_session_that_another_node_took_while_the_tenure_ran_before_it_ends_the_session) {
  store_node a{url(), "a-1", calm()};
  a.save("s", "record");
  a.save("t", "record");
  ASSERT_TRUE(a.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours record");
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  other.ask({"HSET", key("s", "s"), "owner", "b-1"});
  a.save("t", "again");
  a.save("s", "again");
  EXPECT_EQ(a.seen.wait_for(2).back(), "doubted s");
  other.ask({"SET", "troupe:test:n:b-1", "1"});
  a.claim("s", "again", false, {}, true);
  EXPECT_EQ(a.seen.wait_for(3).back(), "tenure lost of s");
  EXPECT_TRUE(a.holds());
  EXPECT_EQ(other.ask({"HGET", key("s", "s"), "record"}), "'record'");
  EXPECT_EQ(other.ask({"HGET", key("s", "t"), "record"}), "'again'");
}

// -- losing Redis ----------------------------------------------------------------------

TEST_F(redis_store_test, says_once_that_its_tenure_ran_out_while_redis_hung) {
  store_node a{url(), "a-1", hasty()};
  a.save("s", "record");
  ASSERT_TRUE(a.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours record");
  server->freeze();
  EXPECT_EQ(a.seen.wait_for(2).back(), "tenure lost");
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(a.found("s"), "found s unavailable");
  server->thaw();
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_EQ(a.found("s"), "found s ours record");
  EXPECT_EQ(count(a.seen.all(), "tenure lost"), 1u);
  EXPECT_EQ(count(a.logged.all(), "the store knows again that this node lives"), 1u);
}

TEST_F(redis_store_test, forgets_what_was_over_while_redis_was_away_when_it_is_there_again) {
  store_node a{url(), "a-1", hasty()};
  a.save("s", "record");
  a.save("t", "record");
  ASSERT_TRUE(a.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours record");
  server->freeze();
  a.logged.wait_for(2);
  a.forget("s");
  a.seen.wait_for("tenure lost");
  a.forget("t");
  server->thaw();
  redis_caller reader{url()};
  ASSERT_TRUE(reader.is_connected());
  EXPECT_TRUE(eventually([&] { return reader.ask({"EXISTS", key("s", "s"), key("s", "t")}) == "0"; }));
  EXPECT_EQ(a.found("s"), "found s over");
}

TEST_F(redis_store_test, refuses_writes_of_a_lost_connection_that_arrive_late) {
  const actors::redis_scripts scripts{"troupe:test:", "a-1", {10s, 30min, 10, 1000}};
  redis_caller caller{url()};
  ASSERT_TRUE(caller.is_connected());
  auto write = [&](std::uint64_t by, net::redis_command what) {
    return caller.ask(actors::redis_scripts::sent_by(by, std::move(what)));
  };
  caller.ask(scripts.renew({1, {}, 1}));
  EXPECT_EQ(write(1, scripts.save("s", "record")), "['done' '0']");
  caller.ask(scripts.renew({2, {}, 2}));
  EXPECT_EQ(write(1, scripts.release("s")), "['lapsed']");
  EXPECT_EQ(write(2, scripts.forget("s", false)), "['done']");
  EXPECT_EQ(write(1, scripts.save("s", "record")), "['lapsed']");
  EXPECT_EQ(write(1, scripts.claim("s", "record", {1, true, true})), "['lapsed']");
  EXPECT_EQ(caller.ask({"EXISTS", key("s", "s")}), "0");
}

/// An earlier owner may have been out of reach, and find a store without its later owner.
TEST_F(redis_store_test, lets_no_node_claim_a_session_that_another_has_taken_and_ended) {
  const actors::redis_scripts one{"troupe:test:", "a-1", {10s, 30min, 10, 1000}};
  const actors::redis_scripts other{"troupe:test:", "b-1", {10s, 30min, 10, 1000}};
  redis_caller caller{url()};
  ASSERT_TRUE(caller.is_connected());
  auto write = [&](net::redis_command what) { return caller.ask(actors::redis_scripts::sent_by(1, std::move(what))); };
  for (auto& node : {one, other})
    caller.ask(node.renew({1, {}, 1}));
  for (auto session : {"own", "taken"})
    EXPECT_EQ(write(one.save(session, "record")), "['done' '0']");
  EXPECT_EQ(write(one.forget("own", false)), "['done']");
  EXPECT_EQ(write(one.claim("own", "record", {1, true, false})), "['done' '0']") << "nobody has taken it";
  EXPECT_EQ(write(one.release("taken")), "['done']");
  EXPECT_EQ(caller.ask(other.take_over("taken", 1, {"", 1})), "['done' 'record' [] [] [] '']");
  EXPECT_EQ(write(other.forget("taken", false)), "['done']");
  EXPECT_GT(std::stoll(caller.ask({"PTTL", key("o", "taken")})), 0);
  for (auto& how : std::vector<protocol::session_claim>{{1, true, false}, {1, true, true}, {1, false, false}})
    EXPECT_EQ(write(one.claim("taken", "record", how)), "['foreign']");
  EXPECT_EQ(write(one.save("taken", "record")), "['foreign']");
  EXPECT_EQ(caller.ask({"EXISTS", key("s", "taken")}), "0");
}

TEST_F(redis_store_test, calls_no_session_unknown_until_a_node_whose_tenure_ran_out_since_a_loss_could_claim_its_own) {
  const actors::redis_scripts scripts{"troupe:test:", "a-1", {10s, 30min, 10, 1000}};
  redis_caller caller{url()};
  ASSERT_TRUE(caller.is_connected());
  caller.ask({"FLUSHALL"});
  caller.ask(scripts.renew({1, {}, 1}));
  EXPECT_GT(std::stoll(caller.ask({"PTTL", "troupe:test:lost"})), 1'800'000);
  caller.ask({"DEL", "troupe:test:emptied"});
  caller.ask(scripts.renew({2, {"", 1}, 1}));
  EXPECT_EQ(caller.ask({"EXISTS", "troupe:test:emptied"}), "0") << "its tenure runs";
  caller.ask({"DEL", "troupe:test:n:a-1"});
  caller.ask(scripts.renew({3, {"", 2}, 1}));
  EXPECT_GT(std::stoll(caller.ask({"PTTL", "troupe:test:emptied"})), 14'000);
  EXPECT_EQ(caller.ask(scripts.take_over("s", 1, {"", 3})), "['untold']");
}

TEST_F(redis_store_test, notices_that_redis_lacks_the_last_session_that_was_taken) {
  const actors::redis_scripts scripts{"troupe:test:", "a-1", {10s, 30min, 10, 1000}};
  redis_caller caller{url()};
  ASSERT_TRUE(caller.is_connected());
  auto renewed = [&](const protocol::renew_tenure& what) {
    auto reply = caller.ask(scripts.renew(what));
    return reply.substr(0, reply.find(' '));
  };
  EXPECT_EQ(renewed({1, {}, 1}), "['emptied'");
  caller.ask({"HSET", key("s", "s"), "owner", "b-1", "record", "record"});
  EXPECT_EQ(caller.ask(scripts.take_over("s", 7, {"", 1})), "['done' 'record' [] [] [] 'b-1']");
  EXPECT_EQ(renewed({2, {"", 1, 7}, 1}), "['done'");
  caller.ask({"SET", "troupe:test:k:a-1", "2 0"});
  EXPECT_EQ(renewed({3, {"", 2, 7}, 1}), "['moved'") << "it is an older state";
  EXPECT_EQ(renewed({4, {"", 3, 7}, 1}), "['done'");
  caller.ask({"DEL", "troupe:test:n:a-1"});
  EXPECT_EQ(renewed({5, {"", 4, 7}, 1}), "['moved'") << "owners that hold their tenure claim first";
  caller.ask({"DEL", "troupe:test:n:a-1", "troupe:test:moved"});
  EXPECT_EQ(renewed({6, {"", 5, 7}, 1}), "['lapsed'");
}

TEST_F(redis_store_test, goes_on_with_a_redis_that_comes_back_empty_while_the_tenure_runs) {
  store_node a{url(), "a-1", {.tenure_time = 20s}};
  a.save("s", "before");
  ASSERT_TRUE(a.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours before");
  server->kill();
  a.logged.wait_for(2);
  server->start();
  EXPECT_EQ(a.claims.wait_for(1), lines{"in a new store what was held"});
  EXPECT_TRUE(a.holds());
  a.claim("s", "after", true);
  EXPECT_EQ(a.claims.wait_for(2).back(), "s is ours");
  EXPECT_TRUE(eventually([&] { return a.found("s") == "found s ours after"; }));
}

TEST_F(redis_store_test, has_sessions_claimed_again_when_redis_kept_them_but_not_the_tenure) {
  store_node a{url(), "a-1", hasty()};
  ASSERT_TRUE(a.comes_to_hold());
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  auto term = a.ours->term();
  other.ask({"DEL", "troupe:test:n:a-1"});
  EXPECT_EQ(a.claims.wait_for(1), lines{"again"});
  EXPECT_TRUE(a.holds());
  EXPECT_NE(a.ours->term(), term);
  EXPECT_EQ(a.found("any"), "found any unknown");
  EXPECT_EQ(count(a.seen.all(), "tenure lost"), 0u) << "it was not lost for long enough to give anything up";
}

TEST_F(redis_store_test, writes_nothing_that_was_said_before_the_tenure_was_interrupted) {
  redis_caller other{url()};
  store_node a{url(), "a-1", calm()};
  ASSERT_TRUE(other.is_connected() && a.comes_to_hold());
  a.save("s", "r");
  a.publish("s", {1, 1, "x", false});
  ASSERT_EQ(a.found("s"), "found s ours r [1.1 x]");
  auto before = a.ours->term();
  other.ask({"DEL", "troupe:test:n:a-1"});
  ASSERT_EQ(a.claims.wait_for(1), lines{"again"});
  a.save("s", "late", before);
  a.save("t", "late", before);
  a.hand_over("s", before);
  a.claim("u", "late", true, before);
  a.publish("s", {1, 2, "late", false}, before);
  EXPECT_EQ(a.found("t"), "found t unknown");
  EXPECT_EQ(a.found("u"), "found u unknown");
  a.publish("s", {1, 3, "y", false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.3 y]") << "no event is missing among those that are kept";
}

TEST_F(redis_store_test, writes_nothing_of_a_session_that_is_given_up) {
  store_node a{url(), "a-1", calm()};
  a.save("s", "r");
  a.give_up("s");
  a.save("t", "r");
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_EQ(a.found("t"), "found t ours r");
  EXPECT_EQ(a.found("s"), "found s unknown");
}

TEST_F(redis_store_test, counts_the_events_of_a_session_that_is_claimed) {
  redis_caller other{url()};
  store_node a{url(), "a-1", {.tenure_time = 10s, .waiting = {.kept_bytes = 10}}};
  ASSERT_TRUE(other.is_connected() && a.comes_to_hold());
  a.save("s", "r");
  a.publish("s", {1, 1, "12345678", false});
  ASSERT_EQ(a.found("s"), "found s ours r [1.1 12345678]");
  other.ask({"DEL", "troupe:test:n:a-1"});
  ASSERT_EQ(a.claims.wait_for(1), lines{"again"});
  a.claim("s", "r");
  ASSERT_EQ(a.claims.wait_for(2).back(), "s is ours");
  a.save("t", "r");
  a.publish("t", {1, 1, "123", false});
  EXPECT_EQ(a.found("t"), "found t ours r [1.1 123]");
  EXPECT_TRUE(eventually([&] { return a.found("s") == "found s ours r"; })) << "it has most";
}

TEST_F(redis_store_test, ends_while_redis_hangs) {
  store_node a{url(), "a-1", hasty()};
  ASSERT_TRUE(a.comes_to_hold());
  server->freeze();
  a.save("s", "record");
  a.search_store("s");
  a.stop();
}

TEST_F(redis_store_test, lets_claim_what_is_still_its_own_when_redis_was_away_for_longer_than_the_tenure) {
  store_node a{url(), "a-1", hasty()};
  redis_caller other{url()};
  a.save("s", "record");
  a.save("t", "record");
  a.save("u", "record");
  ASSERT_TRUE(other.is_connected() && a.comes_to_hold());
  for (auto session : {"s", "t", "u"})
    ASSERT_EQ(a.found(session), std::string{"found "} + session + " ours record");
  other.ask({"HSET", key("s", "t"), "owner", "b-1"});
  other.ask({"DEL", key("s", "u")});
  server->freeze();
  a.seen.wait_for("tenure lost");
  server->thaw();
  EXPECT_EQ(a.claims.wait_for(1), lines{"again"});
  a.claim("s", "later");
  EXPECT_EQ(a.claims.wait_for(2).back(), "s is ours");
  a.claim("t", "later");
  EXPECT_EQ(a.seen.wait_for("tenure lost of t").back(), "tenure lost of t");
  a.claim("u", "later");
  EXPECT_EQ(a.seen.wait_for("tenure lost of u").back(), "tenure lost of u") << "it is over";
  a.claim("v", "late");
  EXPECT_EQ(a.claims.wait_for(3).back(), "in a new store") << "Redis has never said that it has it";
  a.claim("v", "late", true);
  EXPECT_EQ(a.claims.wait_for(4).back(), "v is ours");
  EXPECT_EQ(a.found("s"), "found s ours later");
  EXPECT_EQ(other.ask({"HGET", key("s", "t"), "record"}), "'record'");
  EXPECT_EQ(other.ask({"EXISTS", key("s", "u")}), "0");
}

TEST_F(redis_store_test, lets_claim_in_a_redis_that_comes_back_empty_once_the_tenures_of_others_have_ended) {
  store_node a{url(), "a-1", hasty()};
  ASSERT_TRUE(a.comes_to_hold());
  server->kill();
  a.seen.wait_for("tenure lost");
  server->start();
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_EQ(a.claims.all(), lines{});
  EXPECT_EQ(a.claims.wait_for(1), lines{"in a new store"});
  a.claim("s", "record", true);
  EXPECT_EQ(a.claims.wait_for(2).back(), "s is ours");
  EXPECT_EQ(a.found("s"), "found s ours record");
}

TEST_F(redis_store_test, does_not_say_that_a_session_is_over_while_who_lost_it_with_redis_may_say_so_yet) {
  store_node a{url(), "a-1", calm()};
  ASSERT_TRUE(a.comes_to_hold());
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  EXPECT_EQ(other.ask({"EXISTS", "troupe:test:emptied"}), "0") << "nothing is lost when a node begins";
  other.ask({"FLUSHALL"});
  ASSERT_EQ(a.claims.wait_for(1), lines{"in a new store what was held"});
  EXPECT_GT(std::stoll(other.ask({"PTTL", "troupe:test:emptied"})), 30'000) << "40 s: an owner may be out of reach";
  store_node fresh{url(), "b-1", calm()};
  ASSERT_TRUE(fresh.comes_to_hold());
  fresh.search_store("s", {"a-1"});
  a.claim_held("s", "r");
  EXPECT_EQ(fresh.seen.wait_for(1), lines{"found s elsewhere a-1"});
}

TEST_F(redis_store_test, does_not_say_at_once_that_a_session_is_over_in_a_redis_that_no_node_has_used) {
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  other.ask({"FLUSHALL"});
  store_node a{url(), "a-1", calm()};
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_GT(std::stoll(other.ask({"PTTL", "troupe:test:emptied"})), 30'000);
}

// -- release ---------------------------------------------------------------------------------

TEST_F(redis_store_test, lets_another_node_have_a_session_with_all_that_was_kept_of_it) {
  store_node a{url(), "a-1", calm()};
  store_node b{url(), "b-1", calm()};
  ASSERT_TRUE(a.comes_to_hold() && b.comes_to_hold());
  a.save("s", "record");
  a.publish("s", {1, 1, "x", false});
  a.hand_over("s");
  EXPECT_EQ(a.seen.wait_for(1), lines{"let go s"});
  EXPECT_EQ(b.found("s"), "found s ours record [1.1 x]");
  EXPECT_TRUE(a.holds());
}

TEST_F(redis_store_test, has_sessions_claimed_again_when_redis_has_forgotten_them_and_the_tenure_runs) {
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  store_node a{url(), "a-1", calm()};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("s", "r");
  ASSERT_EQ(a.found("s"), "found s ours r");
  other.ask({"FLUSHALL"});
  EXPECT_EQ(a.claims.wait_for(1), lines{"in a new store what was held"});
  a.claim("s", "again", true);
  a.publish("s", {1, 1, "x", false});
  EXPECT_EQ(a.claims.wait_for(2).back(), "s is ours");
  EXPECT_EQ(a.found("s"), "found s ours again [1.1 x]");
  EXPECT_EQ(count(a.seen.all(), "tenure lost"), 0u);
}

// -- a full Redis ----------------------------------------------------------------------------

TEST_F(redis_store_test, keeps_tenures_records_and_owners_when_redis_is_full_and_gives_up_events) {
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  store_node a{url(), "a-1", hasty()};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("before", "r");
  a.publish("before", {1, 1, "x", false});
  ASSERT_EQ(a.found("before"), "found before ours r [1.1 x]");
  ASSERT_EQ(other.ask({"CONFIG", "SET", "maxmemory", "1"}), "'OK'");
  ASSERT_NE(other.ask({"SET", "any", "thing"}).find("OOM"), std::string::npos);
  a.save("after", "r2");
  a.publish("before", {1, 2, "y", false});
  auto is_refused = [](auto& line) { return line.starts_with("the store did not keep what it was told why=OOM"); };
  ASSERT_TRUE(eventually([&] { return std::ranges::any_of(a.logged.all(), is_refused); }));
  a.publish("before", {1, 3, "z", false});
  auto full_since = net::boot_clock::now();
  EXPECT_TRUE(eventually([&] { return net::boot_clock::now() > full_since + hasty().tenure_time; }));
  EXPECT_TRUE(a.holds());
  EXPECT_EQ(a.found("before"), "found before ours r") << "its events were cleared away";
  store_node b{url(), "b-1", hasty()};
  ASSERT_TRUE(b.comes_to_hold()) << "a node that begins gets its tenure, too";
  for (auto session : {"before", "after"})
    a.hand_over(session);
  EXPECT_TRUE(eventually([&] { return a.seen.all().size() == 4; }));
  EXPECT_EQ(b.found("after"), "found after ours r2");
  EXPECT_EQ(b.found("before"), "found before ours r");
}

} // namespace troupe::tests::redis_store_ownership_test
