// The stored data of sessions and events, its limits, and the queue of writes.

#include "tests/store/redis_store_test.hpp"

namespace troupe::tests::redis_store_contents_test {

using namespace std::chrono_literals;

// -- stored state ----------------------------------------------------------------------

TEST_F(redis_store_test, gives_a_session_to_the_node_that_comes_after_its_owner) {
  store_node a{url(), "a-1", calm()};
  a.save("s", "first");
  a.publish("s", {1, 0, "what for", false});
  a.publish("s", {1, 1, "a\r\n\x7f|", true});
  a.save("s", "second");
  ASSERT_TRUE(a.comes_to_hold());
  a.stop();
  EXPECT_FALSE(a.holds());
  store_node b{url(), "b-1", calm()};
  ASSERT_TRUE(b.comes_to_hold());
  EXPECT_EQ(b.found("s"), "found s ours second [1.0 what for] [1.1! a\r\n\x7f|]");
  b.publish("s", {1, 2, "more", false});
  EXPECT_EQ(b.found("s"), "found s ours second [1.0 what for] [1.1! a\r\n\x7f|] [1.2 more]");
  EXPECT_EQ(a.logged.all(), lines{"the store is reached"});
}

TEST_F(redis_store_test, knows_nothing_of_a_session_that_was_never_saved_or_is_forgotten) {
  store_node a{url(), "a-1", calm()};
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_EQ(a.found("s"), "found s unknown");
  a.save("s", "record");
  EXPECT_EQ(a.found("s"), "found s ours record");
  a.publish("s", {1, 1, "x", false});
  a.forget("s");
  EXPECT_EQ(a.found("s"), "found s over");
  a.publish("s", {1, 2, "late", false});
  EXPECT_EQ(a.found("s"), "found s over");
  EXPECT_EQ(a.logged.wait_for(2).back(),
            "the store did not keep what it was told why=there is no such session in the store");
}

TEST_F(redis_store_test, shows_no_id_to_who_reads_the_store_and_keeps_nothing_for_ever) {
  store_node a{url(), "a-1", {.tenure_time = 10s, .session_time = 1h}};
  a.save("secret-id", "record");
  a.publish("secret-id", {1, 0, "p", false});
  a.publish("secret-id", {1, 1, "x", false});
  a.publish("secret-id", {1, 2, "x", true});
  ASSERT_TRUE(a.comes_to_hold());
  a.found("secret-id");
  redis_caller reader{url()};
  ASSERT_TRUE(reader.is_connected());
  auto keys = reader.ask({"KEYS", "*"});
  EXPECT_EQ(keys.find("secret"), std::string::npos);
  for (auto& one : {key("s", "secret-id"), key("e", "secret-id"), key("v", "secret-id"), key("p", "secret-id"),
                    std::string{"troupe:test:n:a-1"}, std::string{"troupe:test:k:a-1"}}) {
    EXPECT_NE(keys.find(one), std::string::npos) << keys;
    EXPECT_GT(std::stol(reader.ask({"PTTL", one})), 0) << one;
  }
  a.stop();
  EXPECT_EQ(reader.ask({"EXISTS", "troupe:test:n:a-1"}), "0");
  EXPECT_GT(std::stol(reader.ask({"PTTL", "troupe:test:k:a-1"})), 0);
}

TEST_F(redis_store_test, lets_go_of_a_session_that_nobody_writes_to) {
  store_node a{url(), "a-1", {.tenure_time = 10s, .session_time = 200ms}};
  a.save("s", "record");
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_TRUE(eventually([&] { return a.found("other") == "found other unknown" && a.holds(); }));
  redis_caller reader{url()};
  ASSERT_TRUE(reader.is_connected());
  EXPECT_TRUE(eventually([&] { return reader.ask({"EXISTS", key("s", "s")}) == "0"; }));
  EXPECT_EQ(a.found("s"), "found s unknown");
}

TEST_F(redis_store_test, keeps_what_it_is_told_before_redis_is_there) {
  server->kill();
  store_node a{url(), "a-1", {.tenure_time = 4s}}; // the time limit for Redis
  a.logged.wait_for(1);
  a.save("s", "record");
  a.publish("s", {1, 1, "x", true});
  EXPECT_EQ(a.found("s"), "found s unavailable");
  server->start();
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_EQ(a.found("s"), "found s ours record [1.1! x]");
}

// -- limits ----------------------------------------------------------------------------

TEST_F(redis_store_test, keeps_so_many_events_of_a_session_and_the_last_ones) {
  store_node a{url(), "a-1", {.tenure_time = 10s, .most_events = 3}};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("s", "r");
  for (std::uint64_t i = 1; i <= 2; ++i)
    a.publish("s", {1, i, "x", false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.1 x] [1.2 x]");
  a.publish("s", {1, 3, "x", false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.1 x] [1.2 x] [1.3 x]");
  a.publish("s", {1, 4, "x", false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.2 x] [1.3 x] [1.4 x]");
}

TEST_F(redis_store_test, keeps_so_many_bytes_of_a_session_and_the_last_ones) {
  store_node a{url(), "a-1", {.tenure_time = 10s, .most_bytes = 6}};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("s", "r");
  a.publish("s", {1, 1, "aaa", false});
  a.publish("s", {1, 2, "bb", false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.1 aaa] [1.2 bb]");
  a.publish("s", {1, 3, "c", false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.1 aaa] [1.2 bb] [1.3 c]");
  a.publish("s", {1, 4, "d", false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.2 bb] [1.3 c] [1.4 d]");
  a.publish("s", {1, 5, "7654321", false});
  EXPECT_EQ(a.found("s"), "found s ours r");
  a.publish("s", {1, 6, "654321", false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.6 654321]");
}

TEST_F(redis_store_test, lets_what_is_not_vital_go_first) {
  store_node a{url(), "a-1", {.tenure_time = 10s, .most_events = 3}};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("s", "r");
  a.publish("s", {1, 1, "answer", true});
  for (std::uint64_t i = 1; i <= 9; ++i)
    a.publish("s", {2, i, "x", false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.1! answer] [2.8 x] [2.9 x]");
  a.publish("s", {2, 10, "a", true});
  a.publish("s", {2, 11, "b", true});
  EXPECT_EQ(a.found("s"), "found s ours r [1.1! answer] [2.10! a] [2.11! b]");
}

TEST_F(redis_store_test, lets_the_vital_ones_of_the_oldest_stream_go_when_there_are_no_others_but_never_the_newest) {
  store_node a{url(), "a-1", {.tenure_time = 10s, .most_events = 3}};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("s", "r");
  for (std::uint64_t stream : {11, 9, 10})
    a.publish("s", {stream, 1, "x", true});
  EXPECT_EQ(a.found("s"), "found s ours r [11.1! x] [9.1! x] [10.1! x]");
  a.publish("s", {12, 1, "y", false});
  EXPECT_EQ(a.found("s"), "found s ours r [11.1! x] [10.1! x] [12.1 y]");
  a.publish("s", {9, 2, "x", true});
  EXPECT_EQ(a.found("s"), "found s ours r [11.1! x] [10.1! x] [9.2! x]");
  a.publish("s", {9, 10, "x", true});
  EXPECT_EQ(a.found("s"), "found s ours r [11.1! x] [10.1! x] [9.10! x]");
  a.publish("s", {12, 2, "x", true});
  EXPECT_EQ(a.found("s"), "found s ours r [11.1! x] [10.1! x] [12.2! x]");
}

TEST_F(redis_store_test, counts_the_bytes_of_vital_events_and_of_purposes_too) {
  store_node a{url(), "a-1", {.tenure_time = 10s, .most_bytes = 100}};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("s", "r");
  a.publish("s", {1, 0, "p", false});
  a.publish("s", {1, 1, std::string(60, 'v'), true});
  EXPECT_EQ(a.found("s"), "found s ours r [1.0 p] [1.1! " + std::string(60, 'v') + "]");
  a.publish("s", {1, 2, std::string(60, 'w'), true});
  EXPECT_EQ(a.found("s"), "found s ours r [1.0 p] [1.2! " + std::string(60, 'w') + "]");
  a.publish("s", {1, 3, std::string(97, 'x'), false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.0 p] [1.3 " + std::string(97, 'x') + "]");
  a.publish("s", {1, 4, std::string(98, 'x'), false});
  EXPECT_EQ(a.found("s"), "found s ours r [1.0 p]");
  a.publish("s", {2, 0, std::string(96, 'q'), false});
  EXPECT_EQ(a.found("s"), "found s ours r [2.0 " + std::string(96, 'q') + "]");
}

// -- streams ---------------------------------------------------------------------------

TEST_F(redis_store_test, knows_what_a_stream_is_for_however_much_went_on_it) {
  store_node a{url(), "a-1", {.tenure_time = 10s, .most_events = 2}};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("s", "r");
  a.publish("s", {3, 0, "listens", false});
  a.publish("s", {4, 0, "answers 7", false});
  for (std::uint64_t i = 1; i <= 5; ++i)
    a.publish("s", {4, i, "x", false});
  a.publish("s", {4, 0, "answers 8", false});
  EXPECT_EQ(a.found("s"), "found s ours r [3.0 listens] [4.0 answers 8] [4.4 x] [4.5 x]");
}

TEST_F(redis_store_test, forgets_what_a_stream_was_for_and_what_was_vital_on_it_with_the_stream) {
  store_node a{url(), "a-1", {.tenure_time = 10s, .most_bytes = 60}};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("s", "r");
  for (std::uint64_t stream : {3, 30}) {
    a.publish("s", {stream, 0, "p", false});
    a.publish("s", {stream, 1, "x", true});
  }
  a.publish("s", {3, 0, "", false});
  EXPECT_EQ(a.found("s"), "found s ours r [30.0 p] [30.1! x]");
  a.publish("s", {30, 0, "", false});
  a.publish("s", {30, 0, "", false});
  a.publish("s", {31, 1, std::string(60, 'x'), false});
  EXPECT_EQ(a.found("s"), "found s ours r [31.1 " + std::string(60, 'x') + "]") << "nothing is counted any more";
}

TEST_F(redis_store_test, knows_of_so_many_streams_what_they_are_for_and_of_the_last_ones) {
  constexpr auto most = actors::redis_scripts::most_streams;
  store_node a{url(), "a-1", calm()};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("s", "r");
  redis_caller reader{url()};
  ASSERT_TRUE(reader.is_connected());
  auto kept = [&](std::uint64_t stream) {
    a.publish("s", {stream, 0, "p", false});
    a.found("s");
    return reader.ask({"ZCARD", key("p", "s")}) + " from " + reader.ask({"ZRANGE", key("p", "s"), "0", "0"});
  };
  for (std::uint64_t stream = 1; stream < most - 1; ++stream) {
    a.publish("s", {stream, 0, "p", false});
    if (stream % 500 == 0)
      a.found("s"); // empties the queue of writes, which is limited
  }
  EXPECT_EQ(kept(most - 1), std::to_string(most - 1) + " from ['1 p']");
  EXPECT_EQ(kept(most), std::to_string(most) + " from ['1 p']");
  EXPECT_EQ(kept(most), std::to_string(most) + " from ['1 p']");
  EXPECT_EQ(kept(most + 1), std::to_string(most) + " from ['2 p']");
}

// -- limits of what waits --------------------------------------------------------------

TEST_F(redis_store_test, lets_so_many_events_wait_and_says_once_that_it_drops_others) {
  server->kill();
  store_node a{url(), "a-1", {.tenure_time = 10s, .waiting = {.events = 3, .bytes = 10}}};
  a.logged.wait_for(1);
  a.save("s", "record");
  a.publish("s", {1, 1, "1", false});
  a.publish("s", {1, 2, "12345678", false});
  a.publish("s", {1, 3, "1", false});
  a.publish("t", {1, 1, "", false});
  a.publish("s", {1, 4, "too many", false});
  server->start();
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_EQ(a.found("s"), "found s ours record [1.4 too many]");
  EXPECT_EQ(count(a.logged.all(), "the store did not keep what it was told why=too much waits to be written"), 1u);
}

TEST_F(redis_store_test, keeps_the_last_record_of_each_session_however_much_waits) {
  server->kill();
  store_node a{url(), "a-1", {.tenure_time = 10s, .waiting = {.events = 3}}};
  a.logged.wait_for(1);
  a.save("noisy", "record");
  for (std::uint64_t i = 1; i <= 100; ++i)
    a.publish("noisy", {1, i, "x", false});
  a.save("s", "first");
  a.save("s", std::string(1000, 'r'));
  server->start();
  ASSERT_TRUE(a.comes_to_hold());
  EXPECT_EQ(a.found("s"), "found s ours " + std::string(1000, 'r'));
}

TEST_F(redis_store_test, keeps_no_events_before_one_that_was_dropped_but_what_streams_are_for) {
  store_node a{url(), "a-1", {.tenure_time = 20s, .waiting = {.events_of_one = 3}}};
  a.save("s", "record");
  a.publish("s", {1, 0, "what for", false});
  a.publish("s", {1, 1, "old", false});
  ASSERT_TRUE(a.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours record [1.0 what for] [1.1 old]");
  server->freeze();
  for (std::uint64_t i = 2; i <= 5; ++i)
    a.publish("s", {1, i, "new", false});
  a.logged.wait_for(3);
  a.publish("s", {1, 6, "last", false});
  server->thaw();
  EXPECT_TRUE(eventually([&] { return a.found("s") == "found s ours record [1.0 what for] [1.6 last]"; }));
}

TEST_F(redis_store_test, keeps_a_session_that_redis_has_lost_when_its_events_are_to_be_cleared) {
  store_node a{url(), "a-1", {.tenure_time = 20s, .waiting = {.events_of_one = 3}}};
  a.save("s", "record");
  ASSERT_TRUE(a.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours record");
  redis_caller other{url()};
  ASSERT_TRUE(other.is_connected());
  ASSERT_EQ(other.ask({"DEL", key("s", "s")}), "1");
  server->freeze();
  for (std::uint64_t i = 1; i <= 4; ++i)
    a.publish("s", {1, i, "new", false});
  a.logged.wait_for(3);
  server->thaw();
  a.save("s", "again");
  EXPECT_TRUE(eventually([&] { return a.found("s") == "found s ours again"; }));
  EXPECT_EQ(count(a.seen.all(), "tenure lost of s"), 0u);
}

TEST_F(redis_store_test, writes_again_what_was_lost_on_its_way_and_tells_it_once) {
  store_node a{url(), "a-1", {.tenure_time = 20s}};
  a.save("s", "before");
  ASSERT_TRUE(a.comes_to_hold());
  ASSERT_EQ(a.found("s"), "found s ours before");
  server->freeze();
  a.save("s", "after");
  for (std::uint64_t i = 1; i <= 3; ++i)
    a.publish("s", {1, i, "x", false});
  a.logged.wait_for(2);
  server->thaw();
  EXPECT_TRUE(eventually([&] {
    auto found = a.found("s");
    return found.starts_with("found s ours after [1.1 x] [1.2 x] [1.3 x]");
  }));
  EXPECT_EQ(count(a.seen.all(), "tenure lost"), 0u);
}

TEST_F(redis_store_test, holds_its_tenure_while_much_more_is_to_be_written_than_can_be_in_time) {
  store_node a{
      url(),
      "a-1",
      {.tenure_time = 5s,
       .waiting = {
           .events = 100'000, .bytes = 1'000'000'000, .events_of_one = 100'000, .bytes_of_one = 1'000'000'000}}};
  ASSERT_TRUE(a.comes_to_hold());
  a.save("noisy", "record");
  a.save("s", "record");
  for (std::uint64_t i = 1; i <= 5'000; ++i)
    a.publish("noisy", {1, i, std::string(10'000, 'x'), false});
  a.save("s", "last");
  EXPECT_TRUE(eventually([&] { return a.found("s") == "found s ours last"; }));
  EXPECT_EQ(count(a.seen.all(), "tenure lost"), 0u);
  EXPECT_EQ(a.logged.all(), lines{"the store is reached"});
}

} // namespace troupe::tests::redis_store_contents_test
