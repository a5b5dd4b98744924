#include "protocol/delivery/backlog.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe::tests::backlog_test {

using namespace protocol;

namespace {

constexpr std::size_t plenty = 10000;

message of(std::string text) { return std::get<message>(read_message(std::move(text))); }

std::string note(std::string method, std::string params = "{}") {
  return R"({"jsonrpc":"2.0","method":")" + method + R"(","params":)" + params + "}";
}
std::string log_line(int n) { return note("notifications/message", R"({"data":)" + std::to_string(n) + "}"); }
std::string change(int n) { return note("notifications/x", R"({"n":)" + std::to_string(n) + "}"); }
std::string ask(int id) { return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"roots/list"})"; }

using texts = std::vector<std::string>;

texts taken(backlog& all) {
  texts result;
  for (auto& one : all.extract_all())
    result.push_back(one.text);
  return result;
}

/// Pushes all texts, and returns whether each was accepted.
std::vector<bool> pushed(backlog& all, const texts& some) {
  std::vector<bool> result;
  for (auto& one : some)
    result.push_back(all.push(of(one)));
  return result;
}

const std::string tools_changed = note("notifications/tools/list_changed");

} // namespace

TEST(backlog, gives_back_what_it_took_in_order_and_once) {
  backlog all{8, plenty};
  EXPECT_EQ(pushed(all, {change(1), ask(1), log_line(1), change(2)}), std::vector<bool>(4, true));
  EXPECT_EQ(all.size(), 4u);
  EXPECT_EQ(taken(all), (texts{change(1), ask(1), log_line(1), change(2)}));
  EXPECT_EQ(all.size(), 0u);
  EXPECT_EQ(taken(all), texts{});
  EXPECT_EQ(all.dropped(), 0u);
}

TEST(backlog, tells_once_that_a_list_changed) {
  backlog all{8, plenty};
  auto again = note("notifications/tools/list_changed", R"({"_meta":{"n":2}})");
  auto prompts = note("notifications/prompts/list_changed");
  pushed(all, {tools_changed, prompts, again, tools_changed});
  EXPECT_EQ(taken(all), (texts{tools_changed, prompts}));
  EXPECT_EQ(all.dropped(), 0u);
  pushed(all, {tools_changed});
  EXPECT_EQ(taken(all), (texts{tools_changed}));
}

TEST(backlog, tells_once_that_a_resource_was_updated) {
  backlog all{8, plenty};
  auto updated = [](std::string uri) { return note("notifications/resources/updated", R"({"uri":")" + uri + "\"}"); };
  pushed(all, {updated("a"), updated("b"), updated("a"), updated("b"), updated("c")});
  EXPECT_EQ(taken(all), (texts{updated("a"), updated("b"), updated("c")}));
}

TEST(backlog, repeats_logs_and_questions_as_often_as_they_came) {
  backlog all{8, plenty};
  pushed(all, {log_line(1), log_line(1), ask(1), ask(1)});
  EXPECT_EQ(taken(all), (texts{log_line(1), log_line(1), ask(1), ask(1)}));
}

TEST(backlog, takes_a_repeated_change_even_when_it_is_full) {
  backlog all{2, plenty};
  pushed(all, {tools_changed, ask(1), tools_changed});
  EXPECT_EQ(all.dropped(), 0u);
  EXPECT_EQ(taken(all), (texts{tools_changed, ask(1)}));
}

TEST(backlog, loses_logs_first_and_the_oldest_of_them) {
  backlog all{4, plenty};
  pushed(all, {change(1), log_line(1), ask(1), log_line(2)});
  pushed(all, {log_line(3)});
  EXPECT_EQ(all.dropped(), 1u);
  pushed(all, {change(2)});
  EXPECT_EQ(all.dropped(), 2u);
  EXPECT_EQ(taken(all), (texts{change(1), ask(1), log_line(3), change(2)}));
}

TEST(backlog, loses_the_oldest_change_when_there_are_no_logs) {
  backlog all{3, plenty};
  EXPECT_EQ(pushed(all, {ask(1), change(1), change(2), change(3), ask(2)}), std::vector<bool>(5, true));
  EXPECT_EQ(taken(all), (texts{ask(1), change(3), ask(2)}));
  EXPECT_EQ(all.dropped(), 2u);
}

TEST(backlog, loses_a_log_rather_than_a_change_that_waits_before_it) {
  backlog all{2, plenty};
  EXPECT_EQ(pushed(all, {change(1), change(2), log_line(1)}), std::vector<bool>(3, true));
  EXPECT_EQ(all.dropped(), 1u);
  EXPECT_EQ(taken(all), (texts{change(1), change(2)}));
}

TEST(backlog, refuses_a_question_when_only_questions_wait_and_never_loses_one) {
  backlog all{2, plenty};
  EXPECT_EQ(pushed(all, {ask(1), ask(2), ask(3), change(1), log_line(1)}),
            (std::vector<bool>{true, true, false, true, true}));
  EXPECT_EQ(all.dropped(), 2u);
  EXPECT_EQ(taken(all), (texts{ask(1), ask(2)}));
}

TEST(backlog, holds_so_many_messages) {
  for (std::size_t sent : {2u, 3u, 4u}) {
    backlog all{3, plenty};
    for (std::size_t i = 0; i < sent; ++i)
      EXPECT_EQ(all.push(of(ask(static_cast<int>(i)))), i < 3);
    EXPECT_EQ(all.size(), std::min<std::size_t>(sent, 3));
  }
}

TEST(backlog, holds_so_many_bytes) {
  auto size = ask(1).size();
  for (std::size_t bytes : {2 * size - 1, 2 * size, 2 * size + 1}) {
    backlog all{8, bytes};
    EXPECT_TRUE(all.push(of(ask(1))));
    EXPECT_EQ(all.push(of(ask(2))), bytes >= 2 * size) << bytes;
  }
}

TEST(backlog, has_room_again_for_the_bytes_that_it_gave_back_or_lost) {
  auto size = change(1).size();
  backlog all{8, size};
  pushed(all, {change(1), change(2)});
  EXPECT_EQ(taken(all), (texts{change(2)}));
  EXPECT_TRUE(all.push(of(ask(1))));
  all.withdraw("1");
  EXPECT_TRUE(all.push(of(ask(2))));
  EXPECT_EQ(taken(all), (texts{ask(2)}));
}

TEST(backlog, loses_nothing_for_a_message_that_cannot_fit) {
  backlog all{8, 300};
  pushed(all, {change(1), log_line(1)});
  EXPECT_TRUE(all.push(of(note("n", R"({"x":")" + std::string(300, 'x') + "\"}"))));
  EXPECT_EQ(all.dropped(), 1u);
  EXPECT_EQ(taken(all), (texts{change(1), log_line(1)}));
}

TEST(backlog, of_no_size_takes_nothing) {
  backlog all{0, plenty};
  EXPECT_TRUE(all.push(of(change(1))));
  EXPECT_FALSE(all.push(of(ask(1))));
  EXPECT_EQ(all.dropped(), 1u);
  EXPECT_EQ(all.size(), 0u);
}

// 2025-11-25, cancellation, "Cancellation Flow"
TEST(backlog, gives_a_question_up_by_its_id) {
  backlog all{8, plenty};
  pushed(all, {change(1), ask(1), ask(2)});
  all.withdraw("1");
  all.withdraw("7");
  all.withdraw("\"2\"");
  all.withdraw("");
  EXPECT_EQ(taken(all), (texts{change(1), ask(2)}));
  EXPECT_EQ(all.dropped(), 0u);
}

TEST(backlog, takes_little_while_all_backlogs_have_too_much) {
  constexpr auto least = backlog::least_bytes;
  auto change_of = [](std::size_t bytes) {
    const auto name = std::string(bytes - note("").size(), 'x');
    return note(name);
  };
  for (std::size_t bytes : {least - 1, least, least + 1}) {
    auto total = std::make_shared<byte_total>(2 * least);
    backlog other{plenty, 9 * least, total};
    EXPECT_TRUE(other.push(of(change_of(2 * least + 1))));
    backlog all{plenty, 9 * least, total};
    EXPECT_TRUE(all.push(of(change_of(bytes))));
    EXPECT_EQ(all.size(), bytes <= least ? 1u : 0u) << bytes;
    EXPECT_EQ(all.dropped(), bytes <= least ? 0u : 1u) << bytes;
    other.extract_all();
    EXPECT_EQ(total->bytes(), bytes <= least ? bytes : 0u);
  }
}

} // namespace troupe::tests::backlog_test
