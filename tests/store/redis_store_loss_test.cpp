// A Redis that restarts from an earlier state, as a replica that lacks the last writes.

#include "tests/store/redis_store_test.hpp"
#include "tests/support/scratch.hpp"

namespace troupe::tests::redis_store_loss_test {

using namespace std::chrono_literals;

namespace {

/// A Redis that can restart from an earlier state.
class older_redis : public tidy_test {
protected:
  static std::string key(const char* kind, const std::string& session) {
    return std::string{"troupe:test:"} + kind + ":" + net::digest_hex(session);
  }
  void remember() {
    redis_caller caller{server.url()};
    ASSERT_TRUE(caller.is_connected());
    ASSERT_EQ(caller.ask({"SAVE"}), "'OK'");
  }
  void go_back() {
    server.kill();
    server.start();
  }

  scratch folder;
  redis_server server{lines{"--dir", folder.path()}};
};

} // namespace

TEST_F(older_redis, keeps_a_session_with_the_node_that_took_it_when_redis_forgets_that) {
  store_node dead{server.url(), "dead", {.tenure_time = 20s}};
  dead.save("s", "old");
  ASSERT_TRUE(dead.comes_to_hold());
  ASSERT_EQ(dead.found("s"), "found s ours old");
  dead.stop();
  store_node a{server.url(), "a-1", {.tenure_time = 20s}};
  store_node b{server.url(), "b-1", {.tenure_time = 20s}};
  ASSERT_TRUE(a.comes_to_hold() && b.comes_to_hold());
  remember();
  ASSERT_EQ(a.found("s"), "found s ours old");
  auto term = a.ours->term();
  go_back();
  EXPECT_EQ(a.claims.wait_for(1), lines{"in a new store what was held"});
  EXPECT_TRUE(a.ours->keeps(term)) << "it answers all the time";
  b.search_store("s", {"a-1"});
  a.claim_held("s", "new");
  EXPECT_EQ(a.claims.wait_for(2).back(), "s is ours");
  EXPECT_EQ(b.seen.wait_for(1), lines{"found s elsewhere a-1"});
  redis_caller reader{server.url()};
  ASSERT_TRUE(reader.is_connected());
  EXPECT_EQ(reader.ask({"HMGET", key("s", "s"), "owner", "record"}), "['a-1' 'new']");
}

TEST_F(older_redis, forgets_a_session_of_a_node_whose_tenure_does_not_run) {
  redis_caller other{server.url()};
  store_node a{server.url(), "a-1", {.tenure_time = 10s}};
  ASSERT_TRUE(other.is_connected() && a.comes_to_hold());
  for (auto owner : {"dead", "", "b-1"})
    other.ask({"HSET", key("s", std::string{"of "} + owner), "owner", owner, "record", "r"});
  other.ask({"SET", "troupe:test:n:b-1", "1"});
  a.forget("of dead");
  a.forget("of ");
  a.forget("of b-1");
  EXPECT_EQ(a.seen.wait_for("tenure lost of of b-1").back(), "tenure lost of of b-1");
  EXPECT_EQ(other.ask({"EXISTS", key("s", "of dead"), key("s", "of "), key("s", "of b-1")}), "1");
}

TEST_F(older_redis, gives_a_session_to_no_node_before_its_owner_could_claim_it) {
  store_node dead{server.url(), "dead", {.tenure_time = 2s}};
  dead.save("s", "old");
  ASSERT_TRUE(dead.comes_to_hold());
  ASSERT_EQ(dead.found("s"), "found s ours old");
  dead.stop();
  remember();
  go_back();
  auto since = net::boot_clock::now();
  store_node fresh{server.url(), "b-1", {.tenure_time = 2s}};
  ASSERT_TRUE(fresh.comes_to_hold());
  EXPECT_TRUE(eventually([&] { return fresh.found("s") == "found s ours old"; }));
  EXPECT_GE(net::boot_clock::now() - since, protocol::tenure::pause_for(2s));
}

/// A restore without a restart leaves the `run_id` as it was.
TEST_F(older_redis, notices_an_older_state_in_the_same_redis_by_its_own_renewals) {
  redis_caller other{server.url()};
  store_node a{server.url(), "a-1", {.tenure_time = 10s}};
  ASSERT_TRUE(other.is_connected() && a.comes_to_hold());
  other.ask({"SET", "troupe:test:k:a-1", "0"});
  EXPECT_EQ(a.claims.wait_for(1), lines{"in a new store what was held"});
  EXPECT_EQ(other.ask({"EXISTS", "troupe:test:moved", "troupe:test:emptied"}), "2");
}

/// Nodes of release 1.0.0 have written 1 to all keys of a node.
TEST_F(older_redis, respects_tenures_of_nodes_of_earlier_releases) {
  redis_caller old{server.url()};
  store_node a{server.url(), "a-1", {.tenure_time = 10s}};
  ASSERT_TRUE(old.is_connected() && a.comes_to_hold());
  old.ask({"SET", "troupe:test:n:old", "1"});
  old.ask({"SET", "troupe:test:k:old", "1"});
  old.ask({"HSET", key("s", "s"), "owner", "old", "record", "r"});
  EXPECT_EQ(a.found("s", {"old"}), "found s elsewhere old");
  a.claim_held("s", "mine");
  EXPECT_EQ(a.seen.wait_for(2).back(), "tenure lost of s");
  EXPECT_EQ(old.ask({"HGET", key("s", "s"), "owner"}), "'old'");
}

TEST_F(older_redis, works_with_a_redis_that_does_not_tell_its_run_id) {
  redis_caller admin{server.url()};
  ASSERT_TRUE(admin.is_connected());
  ASSERT_EQ(admin.ask({"ACL", "SETUSER", "default", "-info"}), "'OK'");
  store_node a{server.url(), "a-1", {.tenure_time = 10s}};
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_EQ(a.found("s"), "found s unknown");
  EXPECT_EQ(admin.ask({"EXISTS", "troupe:test:server", "troupe:test:moved"}), "0");
}

} // namespace troupe::tests::redis_store_loss_test
