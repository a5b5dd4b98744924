// The layout of sessions in Redis is the same in every release, because nodes of two releases share it while a cluster
// is updated node by node. If it has to change, a release must read both layouts before any release writes the new one.

#include "tests/store/redis_store_test.hpp"

namespace troupe::tests::redis_layout_test {

namespace {

/// The fields of a stream's entries, without their ids, which contain the time.
constexpr const char* entries = R"(
local result = {}
for _, one in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do result[#result + 1] = one[2] end
return result)";

constexpr const char* place_of_7 = "00000000000000000007";

} // namespace

TEST_F(redis_store_test, has_what_it_is_told_where_nodes_of_other_releases_look) {
  store_node a{url(), "a-1", calm()};
  a.save("s", "record");
  a.publish("s", {1, 0, "what for", false});
  a.publish("s", {1, 1, "vital", true});
  a.publish("s", {1, 7, "other", false});
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_EQ(a.found("s"), "found s ours record [1.0 what for] [1.1! vital] [1.7 other]");
  redis_caller reader{url()};
  ASSERT_TRUE(reader.is_connected());
  EXPECT_EQ(reader.ask({"HMGET", key("s", "s"), "owner", "taken", "record", "bytes", "told"}),
            "['a-1' '1' 'record' '45' '2']");
  EXPECT_EQ(reader.ask({"HLEN", key("s", "s")}), "6") << "the sixth is when it ends";
  EXPECT_EQ(reader.ask({"EVAL", entries, "1", key("e", "s")}),
            std::string{"[['stream' '1' 'place' '"} + place_of_7 + "' 'age' '2' 'text' 'other']]");
  EXPECT_EQ(reader.ask({"ZRANGE", key("v", "s"), "0", "-1", "WITHSCORES"}), "['1 00000000000000000001 1 vital' '1']");
  EXPECT_EQ(reader.ask({"ZRANGE", key("p", "s"), "0", "-1", "WITHSCORES"}), "['1 what for' '1']");
  EXPECT_EQ(reader.ask({"GET", "troupe:test:n:a-1"}), "'1'");
  EXPECT_EQ(reader.ask({"GET", "troupe:test:k:a-1"}), "'1 1'") << "only its node reads it";
}

TEST_F(redis_store_test, finds_what_nodes_of_other_releases_have_written) {
  redis_caller writer{url()};
  ASSERT_TRUE(writer.is_connected());
  writer.ask({"HSET", key("s", "s"), "owner", "b-1", "taken", "3", "record", "record", "bytes", "45", "told", "2"});
  writer.ask({"XADD", key("e", "s"), "*", "stream", "1", "place", place_of_7, "age", "2", "text", "other"});
  writer.ask({"ZADD", key("v", "s"), "1", "1 00000000000000000001 1 vital"});
  writer.ask({"ZADD", key("p", "s"), "1", "1 what for"});
  writer.ask({"SET", "troupe:test:n:b-1", "1"});
  store_node a{url(), "a-1", calm()};
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_EQ(a.found("s", {"b-1"}), "found s elsewhere b-1");
  writer.ask({"DEL", "troupe:test:n:b-1"});
  EXPECT_EQ(a.found("s"), "found s ours record [1.0 what for] [1.1! vital] [1.7 other]");
}

} // namespace troupe::tests::redis_layout_test
