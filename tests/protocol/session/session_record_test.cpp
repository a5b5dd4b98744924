// The record of a session that is kept outside of its node, and how it is read.

#include "protocol/session/session_record.hpp"
#include "tests/support/session_driver.hpp"

#include <random>

namespace troupe::tests::session_record_test {

namespace {

session_record full() {
  return {.path = "a\"b",
          .initialize = hello("\"i\""),
          .version = "2025-11-25",
          .initialized = true,
          .level = "warning",
          .subscriptions = {"file:///a", "x:\"\\\n\u00e9"},
          .life = 3,
          .owner = "2:as3:ann0:"};
}

std::string with(std::string text, const std::string& part, const std::string& by) {
  auto at = text.find(part);
  EXPECT_NE(at, text.npos) << part;
  return text.replace(at, part.size(), by);
}

std::string subscribe(const std::string& id, const std::string& uri) {
  return request(id, "resources/subscribe", R"({"uri":)" + troupe::protocol::quoted(uri) + "}");
}

/// A record keeper whose client and server agree at once.
struct agreeing {
  bool asks(std::string text, bool granted = true) {
    it.asked(++own, gateway_message(std::move(text)));
    return it.answered(own, gateway_message(granted ? result("1") : failed("1", "no")));
  }
  record_keeper it{session_record{}};
  std::uint64_t own = 0;
};

} // namespace

// -- the text ---------------------------------------------------------------------------

TEST(session_record, is_read_as_it_was_written) {
  EXPECT_EQ(read_record(record_text(full())), full());
  session_record least{.initialize = hello("0"), .version = "2024-11-05"};
  EXPECT_EQ(read_record(record_text(least)), least);
}

TEST(session_record, is_one_line_of_JSON_with_initialize_as_it_came) {
  auto text = record_text(full());
  EXPECT_EQ(json_error(text), std::nullopt);
  EXPECT_EQ(text.find('\n'), text.npos);
  EXPECT_EQ(find_member(text, {"initialize"}), hello("\"i\""));
}

TEST(session_record, is_nothing_when_a_part_is_missing_or_of_another_kind) {
  auto good = record_text(full());
  for (std::string name :
       {"format", "path", "initialize", "version", "initialized", "level", "subscriptions", "life", "owner"})
    for (auto& other : {std::string{"\"other\":"}, "\"" + name + "\":null,\"x\":", "\"" + name + "\":{},\"x\":"})
      EXPECT_EQ(read_record(with(good, "\"" + name + "\":", other)), std::nullopt) << other;
}

TEST(session_record, is_nothing_in_a_format_a_version_or_a_life_that_nobody_had) {
  auto good = record_text(full());
  EXPECT_EQ(read_record(with(good, "\"format\":2", "\"format\":1")), std::nullopt);
  EXPECT_EQ(read_record(with(good, "\"version\":\"2025-11-25\"", "\"version\":\"2026-07-28\"")), std::nullopt);
  for (auto life : {"-1", "1.0", "1000001", "99999999999999999999"})
    EXPECT_EQ(read_record(with(good, "\"life\":3", std::string{"\"life\":"} + life)), std::nullopt) << life;
  EXPECT_TRUE(read_record(with(good, "\"life\":3", "\"life\":1000000")));
}

TEST(session_record, is_nothing_when_initialize_is_another_message_or_too_long) {
  auto good = record_text(full());
  for (auto& bad :
       {request("1", "tools/list"), note("notifications/initialize"), result("1"), std::string{"[]"}, std::string{"7"}})
    EXPECT_EQ(read_record(with(good, hello("\"i\""), bad)), std::nullopt) << bad;
  for (auto more : {-1, 0, 1}) {
    auto pad = longest_kept_initialize - hello("\"\"").size() + static_cast<std::size_t>(more);
    auto changed = with(good, hello("\"i\""), with(hello("\"\""), "\"params\"", std::string(pad, ' ') + "\"params\""));
    EXPECT_EQ(read_record(changed).has_value(), more <= 0) << more;
  }
}

TEST(session_record, is_nothing_with_too_many_subscriptions_or_too_long_ones) {
  for (auto count : {most_kept_subscriptions - 1, most_kept_subscriptions, most_kept_subscriptions + 1}) {
    auto record = full();
    record.subscriptions.assign(count, "u");
    EXPECT_EQ(read_record(record_text(record)).has_value(), count <= most_kept_subscriptions) << count;
  }
  for (auto size : {longest_kept_uri - 1, longest_kept_uri, longest_kept_uri + 1}) {
    auto record = full();
    record.subscriptions = {std::string(size, 'u')};
    EXPECT_EQ(read_record(record_text(record)).has_value(), size <= longest_kept_uri) << size;
  }
}

TEST(session_record, is_nothing_when_its_URIs_or_its_level_are_too_long_together_or_all_of_it_is) {
  for (auto more : {-1, 0, 1}) {
    auto record = full();
    record.level = std::string(longest_kept_level + static_cast<std::size_t>(more), 'l');
    EXPECT_EQ(read_record(record_text(record)).has_value(), more <= 0) << more;
    record.level.clear();
    record.subscriptions.assign(most_kept_uris / 1024 - 1, std::string(1024 - 2, 'u'));
    record.subscriptions.push_back(std::string(1024 - 2 + static_cast<std::size_t>(more), 'u'));
    EXPECT_EQ(read_record(record_text(record)).has_value(), more <= 0) << more;
    auto text = record_text(full());
    text.append(longest_record - text.size() + static_cast<std::size_t>(more), ' ');
    EXPECT_EQ(read_record(text).has_value(), more <= 0) << more;
  }
}

TEST(session_record, survives_any_text) {
  auto good = record_text(full());
  std::mt19937 dice{7};
  for (int i = 0; i < 20000; ++i) {
    auto text = good.substr(0, dice() % 3 == 0 ? dice() % good.size() : good.size());
    for (auto changes = dice() % 4; changes > 0 && !text.empty(); --changes)
      text[dice() % text.size()] = "{}[]\",:\\0a\x80"[dice() % 12];
    if (auto read = read_record(text)) {
      EXPECT_EQ(read_record(record_text(*read)), read) << text;
    }
  }
}

// -- keeper -------------------------------------------------------------------------------

TEST(record_keeper, keeps_what_the_server_has_granted) {
  agreeing t;
  EXPECT_TRUE(t.asks(request("1", "logging/setLevel", R"({"level":"info"})")));
  EXPECT_FALSE(t.asks(request("1", "logging/setLevel", R"({"level":"info"})")));
  EXPECT_FALSE(t.asks(request("1", "logging/setLevel", R"({"level":"debug"})"), false));
  EXPECT_EQ(t.it.record().level, "info");
  EXPECT_TRUE(t.asks(subscribe("1", "a")));
  EXPECT_FALSE(t.asks(subscribe("1", "a")));
  EXPECT_FALSE(t.asks(subscribe("1", "b"), false));
  EXPECT_TRUE(t.asks(subscribe("1", "c")));
  EXPECT_TRUE(t.asks(request("1", "resources/unsubscribe", R"({"uri":"a"})")));
  EXPECT_FALSE(t.asks(request("1", "resources/unsubscribe", R"({"uri":"a"})")));
  EXPECT_EQ(t.it.record().subscriptions, std::vector<std::string>{"c"});
}

TEST(record_keeper, keeps_nothing_of_other_requests_nor_of_malformed_ones) {
  agreeing t;
  EXPECT_FALSE(t.asks(request("1", "tools/call", R"({"uri":"a","level":"info"})")));
  EXPECT_FALSE(t.asks(request("1", "resources/subscribe")));
  EXPECT_FALSE(t.asks(request("1", "logging/setLevel", R"({"level":7})")));
  EXPECT_EQ(t.it.record(), session_record{});
}

TEST(record_keeper, keeps_nothing_of_a_request_whose_answer_does_not_count) {
  agreeing t;
  t.it.asked(1, gateway_message(subscribe("1", "a")));
  t.it.request_dropped(1);
  EXPECT_FALSE(t.it.answered(1, gateway_message(result("1"))));
}

TEST(record_keeper, keeps_a_thousand_subscriptions_and_no_long_ones) {
  agreeing t;
  for (std::size_t i = 1; i <= most_kept_subscriptions + 1; ++i)
    EXPECT_EQ(t.asks(subscribe("1", std::to_string(i))), i <= most_kept_subscriptions) << i;
  EXPECT_TRUE(t.asks(request("1", "resources/unsubscribe", R"({"uri":"7"})")));
  EXPECT_FALSE(t.asks(subscribe("1", std::string(longest_kept_uri + 1, 'u'))));
  EXPECT_TRUE(t.asks(subscribe("1", std::string(longest_kept_uri, 'u'))));
}

TEST(record_keeper, keeps_no_more_of_all_URIs_than_is_written_in_so_many_bytes) {
  agreeing t;
  auto uri = [](std::size_t i) { return std::to_string(1000 + i) + std::string(4092, '\x01'); };
  std::size_t kept = 0;
  while (t.asks(subscribe("1", uri(kept))))
    ++kept;
  auto size = troupe::protocol::quoted(uri(0)).size();
  EXPECT_EQ(kept, most_kept_uris / size);
  auto text = record_text(
      {.path = "p", .initialize = hello("1"), .version = "2025-11-25", .subscriptions = t.it.record().subscriptions});
  EXPECT_LE(text.size(), most_kept_uris + 1024);
  EXPECT_TRUE(read_record(text));
  EXPECT_TRUE(t.asks(request("1", "resources/unsubscribe", R"({"uri":)" + troupe::protocol::quoted(uri(0)) + "}")));
  EXPECT_TRUE(t.asks(subscribe("1", uri(kept))));
  EXPECT_FALSE(t.asks(subscribe("1", uri(0))));
  record_keeper again{t.it.record()};
  again.asked(1, gateway_message(subscribe("1", uri(0))));
  EXPECT_FALSE(again.answered(1, gateway_message(result("1"))));
}

TEST(record_keeper, keeps_no_level_that_is_too_long) {
  for (auto more : {-1, 0, 1}) {
    agreeing t;
    std::string level(longest_kept_level + static_cast<std::size_t>(more), 'l');
    EXPECT_EQ(t.asks(request("1", "logging/setLevel", R"({"level":")" + level + "\"}")), more <= 0) << more;
  }
}

TEST(record_keeper, does_not_keep_an_initialize_that_is_too_long) {
  for (auto more : {-1, 0, 1}) {
    record_keeper it{session_record{}};
    auto text = hello("\"\"");
    text.append(longest_kept_initialize - text.size() + static_cast<std::size_t>(more), ' ');
    EXPECT_EQ(it.begins(gateway_message(text)), more <= 0) << more;
  }
}

// -- purposes of streams ---------------------------------------------------------------------

TEST(stream_role, is_read_as_it_was_written) {
  for (auto& one : {stream_role{.listens = true}, stream_role{}, stream_role{.answers = {"7", "\"a\""}}})
    EXPECT_EQ(read_stream_role(stream_role_text(one)), one);
  EXPECT_EQ(stream_role_text({.answers = {"7", "\"a\""}}), R"({"answers":[7,"a"]})");
}

TEST(stream_role, is_nothing_when_the_text_is_anything_else) {
  for (auto bad : {"", "7", "{}", "[]", R"({"listens":false})", R"({"answers":7})", R"({"answers":[[1]]})",
                   R"({"answers":[{}]})", R"({"answers":[1)"})
    EXPECT_EQ(read_stream_role(bad), std::nullopt) << bad;
}

TEST(stream_role, has_no_more_ids_than_a_batch_and_no_longer_ones) {
  for (auto count : {max_batch - 1, max_batch, max_batch + 1})
    EXPECT_EQ(read_stream_role(stream_role_text({.answers = std::vector<std::string>(count, "1")})).has_value(),
              count <= max_batch);
  for (auto size : {longest_id - 1, longest_id, longest_id + 1})
    EXPECT_EQ(read_stream_role(stream_role_text({.answers = {std::string(size, '1')}})).has_value(),
              size <= longest_id);
}

} // namespace troupe::tests::session_record_test
