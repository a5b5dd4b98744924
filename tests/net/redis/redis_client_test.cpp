#include "tests/support/http_server.hpp"
#include "tests/support/redis_caller.hpp"

namespace troupe::tests::redis_client_test {

using namespace net;
using namespace std::chrono_literals;

namespace {

using redis_client_test = tidy_test;

redis_options hasty() { return {.time_limit = 300ms, .first_pause = 10ms, .longest_pause = 50ms}; }
/// Options for a Redis that answers, however busy the machine is.
redis_options unhurried() { return {.time_limit = patience, .first_pause = 10ms, .longest_pause = 50ms}; }

std::string url_of(const http_server& server) { return "redis://127.0.0.1:" + std::to_string(server.port()); }

/// Sends the text on each connection, and reads until the connection ends.
http_server::script saying(std::string text) {
  return [text = std::move(text)](peer& one) {
    one.say(text);
    one.read_request();
  };
}

} // namespace

// -- commands --------------------------------------------------------------------------

TEST_F(redis_client_test, tells_what_redis_answers) {
  redis_server server;
  redis_caller caller{server.url()};
  ASSERT_TRUE(caller.is_connected());
  EXPECT_EQ(caller.ask({"SET", "key", "a\r\nb"}), "'OK'");
  EXPECT_EQ(caller.ask({"GET", "key"}), "'a\r\nb'");
  EXPECT_EQ(caller.ask({"GET", "other"}), "nil");
  EXPECT_EQ(caller.ask({"INCRBY", "number", "-7"}), "-7");
  EXPECT_EQ(caller.ask({"MGET", "key", "other"}), "['a\r\nb' nil]");
  EXPECT_EQ(caller.ask({"HGET", "key", "field"}),
            "error WRONGTYPE Operation against a key holding the wrong kind of value");
  EXPECT_EQ(caller.ask({"ECHO", "after an error"}), "'after an error'");
}

TEST_F(redis_client_test, answers_ten_thousand_commands_in_their_order) {
  redis_server server;
  redis_caller caller{server.url(), {.time_limit = patience}};
  ASSERT_TRUE(caller.is_connected());
  caller.let([&](auto& client) {
    for (auto i = 0; i < 10'000; ++i)
      client.send({"ECHO", std::to_string(i)}, caller.note());
  });
  auto replies = caller.seen.wait_for(10'000);
  ASSERT_EQ(replies.size(), 10'000u);
  for (auto i = 0; i < 10'000; ++i)
    ASSERT_EQ(replies[static_cast<std::size_t>(i)], "'" + std::to_string(i) + "'");
}

TEST_F(redis_client_test, carries_values_of_eight_mebibytes_among_small_ones) {
  redis_server server;
  redis_caller caller{server.url(), {.time_limit = patience}};
  ASSERT_TRUE(caller.is_connected());
  std::string large(8 * 1024 * 1024, 'x');
  caller.let([&](auto& client) {
    for (auto round : {"1", "2", "3"}) {
      client.send({"SET", "large", large + round}, caller.note());
      client.send({"GET", "large"}, caller.note());
      client.send({"ECHO", round}, caller.note());
    }
  });
  auto replies = caller.seen.wait_for(9);
  ASSERT_EQ(replies.size(), 9u);
  for (std::size_t i = 0; i < 3; ++i) {
    auto round = std::to_string(i + 1);
    EXPECT_EQ(replies[3 * i], "'OK'");
    EXPECT_TRUE(replies[3 * i + 1] == "'" + large + round + "'") << round;
    EXPECT_EQ(replies[3 * i + 2], "'" + round + "'");
  }
}

TEST_F(redis_client_test, uses_the_database_of_the_url) {
  redis_server server;
  redis_caller caller{server.url() + "/3"};
  ASSERT_TRUE(caller.is_connected());
  caller.ask({"SET", "key", "value"});
  EXPECT_EQ(caller.ask({"INFO", "keyspace"}).find("db0"), std::string::npos);
  redis_caller unlucky{server.url() + "/16"};
  EXPECT_EQ(unlucky.changes.wait_for(1), lines{"lost: Redis refuses the database: ERR DB index is out of range"});
}

// -- passwords -------------------------------------------------------------------------

TEST_F(redis_client_test, is_let_in_with_the_password) {
  redis_server server{{"--requirepass", "sec/ret"}};
  redis_caller caller{server.url("sec%2Fret")};
  ASSERT_TRUE(caller.is_connected());
  EXPECT_EQ(caller.ask({"ECHO", "hi"}), "'hi'");
}

TEST_F(redis_client_test, says_that_the_password_is_refused_without_repeating_it) {
  redis_server server{{"--requirepass", "right"}};
  redis_caller wrong{server.url("wrong")};
  lines refused{"lost: Redis refuses the password: WRONGPASS invalid username-password pair or user is disabled."};
  EXPECT_EQ(wrong.changes.wait_for(1), refused);
  EXPECT_EQ(wrong.ask({"ECHO", "hi"}), "lost Redis is not connected: " + refused[0].substr(6));
  redis_caller none{server.url()};
  EXPECT_EQ(none.changes.wait_for(1), lines{"lost: Redis refuses the database: NOAUTH Authentication required."});
}

TEST_F(redis_client_test, is_let_in_as_a_user_of_the_list) {
  scratch directory;
  const auto list = directory.path("users.acl");
  std::ofstream{list} << "user default off\nuser alice on >s3cret ~* &* +@all\n";
  redis_server server{{"--aclfile", list}};
  const auto at = "127.0.0.1:" + std::to_string(server.port());
  redis_caller alice{"redis://alice:s3cret@" + at};
  ASSERT_TRUE(alice.is_connected());
  EXPECT_EQ(alice.ask({"ACL", "WHOAMI"}), "'alice'");
  redis_caller wrong{"redis://alice:wrong@" + at}, none{"redis://:s3cret@" + at};
  const std::string why = "WRONGPASS invalid username-password pair or user is disabled.";
  EXPECT_EQ(wrong.changes.wait_for(1), lines{"lost: Redis refuses the user or the password: " + why});
  EXPECT_EQ(none.changes.wait_for(1), lines{"lost: Redis refuses the password: " + why});
}

// -- TLS -------------------------------------------------------------------------------

namespace {

/// A Redis with TLS, whose certificate this authority signed.
struct redis_client_tls_test : tidy_test {
  redis_options trusting(const std::string& file) const {
    redis_options result = unhurried();
    result.trust = std::make_shared<client_trust>(file);
    return result;
  }

  std::string signed_certificate() {
    save(authority.sign(), directory.path("redis.pem"), directory.path("redis.key"));
    return directory.path("redis.pem");
  }

  certificate_authority authority;
  scratch directory;
  redis_server server = redis_server::in_tls(signed_certificate(), directory.path("redis.key"));
  const std::string at = "127.0.0.1:" + std::to_string(server.port());
};

} // namespace

TEST_F(redis_client_tls_test, is_spoken_with_a_redis_that_shows_a_trusted_certificate) {
  redis_caller caller{"rediss://" + at, trusting(authority.file_name())};
  ASSERT_TRUE(caller.is_connected());
  const std::string large(8 * 1024 * 1024, 'x');
  EXPECT_EQ(caller.ask({"SET", "key", large}), "'OK'");
  EXPECT_EQ(caller.ask({"GET", "key"}), "'" + large + "'");
}

TEST_F(redis_client_tls_test, is_not_spoken_with_a_redis_that_nobody_vouches_for) {
  redis_caller caller{"rediss://" + at, trusting("")};
  const auto why = caller.changes.wait_for(1).back();
  EXPECT_TRUE(why.starts_with("lost: cannot trust 127.0.0.1: certificate verify failed: ")) << why;
  EXPECT_EQ(caller.ask({"ECHO", "hi"}), "lost Redis is not connected: " + why.substr(6));
}

TEST_F(redis_client_tls_test, is_spoken_by_both_or_none) {
  redis_server open;
  auto soon = trusting(authority.file_name());
  soon.time_limit = 300ms;
  redis_caller secure{"rediss://127.0.0.1:" + std::to_string(open.port()), soon};
  redis_caller plain{"redis://" + at, unhurried()};
  EXPECT_EQ(secure.changes.wait_for(1), lines{"lost: Redis did not answer within 0.300 s"});
  const auto replies = plain.changes.wait_for(1);
  EXPECT_TRUE(replies.size() == 1 && replies[0].starts_with("lost: the connection to Redis was lost"));
}

// -- losses ----------------------------------------------------------------------------

TEST_F(redis_client_test, fails_at_once_before_it_is_connected) {
  redis_caller caller{"redis://127.0.0.1:1", hasty()};
  EXPECT_TRUE(caller.ask({"ECHO", "hi"}).starts_with("lost Redis is not connected: "));
  EXPECT_EQ(caller.changes.wait_for(1), lines{"lost: cannot connect to 127.0.0.1 port 1: Connection refused"});
  EXPECT_EQ(caller.ask({"ECHO", "hi"}),
            "lost Redis is not connected: cannot connect to 127.0.0.1 port 1: Connection refused");
}

TEST_F(redis_client_test, fails_what_waits_when_redis_is_killed_and_comes_back_with_it) {
  redis_server server;
  redis_caller caller{server.url(), unhurried()};
  ASSERT_TRUE(caller.is_connected());
  server.freeze();
  for (auto i = 0; i < 3; ++i)
    caller.send({"ECHO", "in flight"});
  server.kill();
  auto replies = caller.seen.wait_for(3);
  ASSERT_EQ(replies.size(), 3u);
  for (auto& one : replies)
    EXPECT_TRUE(one.starts_with("lost the connection to Redis was lost")) << one;
  EXPECT_TRUE(caller.ask({"ECHO", "hi"}).starts_with("lost Redis is not connected: "));
  server.start();
  EXPECT_EQ(caller.changes.wait_for(3).size(), 3u);
  EXPECT_EQ(caller.changes.all().back(), "connected");
  EXPECT_EQ(caller.ask({"ECHO", "again"}), "'again'");
}

TEST_F(redis_client_test, gives_up_a_redis_that_hangs_and_comes_back_when_it_wakes) {
  redis_server server;
  auto limited = hasty();
  limited.time_limit = 4s; // enough time for a greeting on a busy machine
  redis_caller caller{server.url(), limited};
  ASSERT_TRUE(caller.is_connected());
  server.freeze();
  auto begun = io_thread::clock::now();
  caller.send({"ECHO", "one"});
  caller.send({"ECHO", "two"});
  EXPECT_EQ(caller.seen.wait_for(2), lines(2, "lost Redis did not answer within 4 s"));
  EXPECT_GE(io_thread::clock::now() - begun, limited.time_limit);
  EXPECT_EQ(caller.changes.wait_for(2).back(), "lost: Redis did not answer within 4 s");
  EXPECT_EQ(caller.ask({"ECHO", "hi"}), "lost Redis is not connected: Redis did not answer within 4 s");
  server.thaw();
  EXPECT_EQ(caller.changes.wait_for(3).back(), "connected");
  EXPECT_EQ(caller.ask({"ECHO", "again"}), "'again'");
}

TEST_F(redis_client_test, does_not_take_who_never_greets_for_a_redis) {
  http_server silent{saying("")};
  redis_caller caller{url_of(silent), hasty()};
  EXPECT_EQ(caller.changes.wait_for(1), lines{"lost: Redis did not answer within 0.300 s"});
}

TEST_F(redis_client_test, leaves_who_says_what_cannot_be_understood) {
  http_server garbage{saying("HTTP/1.1 400 Bad Request\r\n\r\n")};
  redis_caller caller{url_of(garbage), unhurried()};
  auto replies = caller.changes.wait_for(1).back();
  EXPECT_TRUE(replies.starts_with("lost: Redis said what cannot be understood: ")) << replies;
}

TEST_F(redis_client_test, leaves_who_answers_what_was_not_asked) {
  http_server eager{saying("+OK\r\n+OK\r\n")};
  redis_caller caller{url_of(eager), unhurried()};
  EXPECT_EQ(caller.changes.wait_for(2), (lines{"connected", "lost: Redis answered what it was not asked"}));
}

TEST_F(redis_client_test, bears_garbage_after_an_answer) {
  http_server garbage{[](peer& one) {
    one.say("+OK\r\n");
    one.read_request(); // the empty line is the empty argument
    one.say("$5\r\nhello\r\nworld\r\n");
    one.read_request();
  }};
  redis_caller caller{url_of(garbage), unhurried()};
  ASSERT_TRUE(caller.is_connected());
  EXPECT_EQ(caller.ask({"ECHO", ""}), "'hello'");
  auto replies = caller.changes.wait_for(2).back();
  EXPECT_TRUE(replies.starts_with("lost: Redis said what cannot be understood: ")) << replies;
}

TEST_F(redis_client_test, pauses_longer_and_longer_between_attempts) {
  http_server server{[](peer&) {}};
  redis_caller caller{url_of(server), {.first_pause = 50ms, .longest_pause = 100ms}};
  auto begun = io_thread::clock::now();
  EXPECT_TRUE(eventually([&] { return server.accepted() >= 4; }));
  EXPECT_GE(io_thread::clock::now() - begun, 250ms); // 50, 100, 100
}

// -- limits ----------------------------------------------------------------------------

TEST_F(redis_client_test, lets_so_many_commands_wait_and_no_more) {
  redis_server server;
  redis_caller caller{server.url(), {.time_limit = patience, .most_commands = 100}};
  ASSERT_TRUE(caller.is_connected());
  for (auto count : {99, 100, 101}) {
    auto before = caller.seen.all().size();
    caller.let([&](auto& client) {
      for (auto i = 0; i < count; ++i)
        client.send({"ECHO", "x"}, caller.note());
    });
    auto replies = caller.seen.wait_for(before + static_cast<std::size_t>(count));
    EXPECT_EQ(std::count(replies.begin(), replies.end(), "lost too much waits for Redis to answer"),
              count > 100 ? 1 : 0);
  }
}

TEST_F(redis_client_test, lets_so_many_bytes_wait_and_no_more) {
  redis_server server;
  redis_caller caller{server.url(), {.time_limit = patience, .most_bytes = 1000}};
  ASSERT_TRUE(caller.is_connected());
  auto one = [](std::size_t size) { return redis_command{"ECHO", std::string(size - 4, 'x')}; };
  for (std::size_t size : {999, 1000, 1001})
    EXPECT_EQ(caller.ask(one(size)) == "lost too much waits for Redis to answer", size > 1000) << size;
  for (std::size_t second : {499, 500, 501}) {
    auto before = caller.seen.all().size();
    caller.let([&](auto& client) {
      client.send(one(500), caller.note());
      client.send(one(second), caller.note());
    });
    auto replies = caller.seen.wait_for(before + 2);
    EXPECT_EQ(std::count(replies.begin() + static_cast<std::ptrdiff_t>(before), replies.end(),
                         "lost too much waits for Redis to answer"),
              second > 500 ? 1 : 0)
        << second;
  }
}

// -- the end ---------------------------------------------------------------------------

TEST_F(redis_client_test, tells_nothing_after_it_was_destroyed) {
  redis_server server;
  redis_caller caller{server.url()};
  ASSERT_TRUE(caller.is_connected());
  caller.let([&](auto& client) {
    for (auto i = 0; i < 100; ++i)
      client.send({"ECHO", "hi"}, caller.note());
    caller.let_go();
  });
  caller.stop();
  EXPECT_EQ(caller.seen.all(), lines{});
}

TEST_F(redis_client_test, may_be_destroyed_by_an_answer_and_by_a_loss) {
  redis_server server;
  for (auto is_lost : {false, true}) {
    redis_caller caller{server.url()};
    ASSERT_TRUE(caller.is_connected());
    if (is_lost)
      server.freeze();
    caller.let([&](auto& client) {
      client.send({"ECHO", "hi"}, [&](auto&&) {
        caller.let_go();
        caller.seen.note("destroyed");
      });
      client.send({"ECHO", "hi"}, caller.note());
    });
    if (is_lost)
      server.kill();
    EXPECT_EQ(caller.seen.wait_for(1), lines{"destroyed"});
    caller.stop();
    EXPECT_EQ(caller.seen.all(), lines{"destroyed"});
  }
}

TEST_F(redis_client_test, ends_at_any_moment) {
  redis_server server;
  redis_caller{server.url()}.stop();
  redis_caller{"redis://127.0.0.1:1"}.stop();
  redis_caller waiting{"redis://127.0.0.1:1"};
  waiting.changes.wait_for(1);
  waiting.stop();
  server.freeze();
  redis_caller greeting{server.url()};
  greeting.send({"ECHO", "hi"});
}

// -- final messages --------------------------------------------------------------------

TEST_F(redis_client_test, says_its_last_word_after_all_others_and_tells_nothing) {
  redis_server server;
  redis_caller caller{server.url()};
  ASSERT_TRUE(caller.is_connected());
  caller.let([&](auto& client) {
    for (auto i = 0; i < 100; ++i)
      client.send({"RPUSH", "list", "x"}, caller.note());
    client.send_last({"RPUSH", "list", "last"}, patience);
    caller.let_go();
  });
  caller.stop();
  EXPECT_EQ(caller.seen.all(), lines{});
  redis_caller reader{server.url()};
  ASSERT_TRUE(reader.is_connected());
  EXPECT_EQ(reader.ask({"LLEN", "list"}), "101");
  EXPECT_EQ(reader.ask({"LINDEX", "list", "-1"}), "'last'");
}

TEST_F(redis_client_test, waits_for_its_last_word_no_longer_than_it_is_told_to) {
  redis_server server;
  redis_caller caller{server.url(), {.time_limit = patience}};
  ASSERT_TRUE(caller.is_connected());
  server.freeze();
  caller.let([&](auto& client) { client.send_last({"DEL", "x"}, 100ms); });
  auto begun = io_thread::clock::now();
  caller.stop();
  EXPECT_LT(io_thread::clock::now() - begun, patience / 2);
}

TEST_F(redis_client_test, has_no_last_word_for_a_redis_that_is_not_there) {
  redis_caller caller{"redis://127.0.0.1:1", hasty()};
  caller.changes.wait_for(1);
  caller.let([&](auto& client) { client.send_last({"DEL", "x"}, 1h); });
  caller.stop();
}

} // namespace troupe::tests::redis_client_test
