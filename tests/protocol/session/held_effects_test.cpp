// Effects that a session withholds while its ownership is unknown.

#include "protocol/session/session_transfer.hpp"

#include "protocol/delivery/backlog.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::held_effects_test {

using namespace protocol;

namespace {

constexpr auto size = sizeof(effect);

effects says(std::size_t bytes) { return {publish{1, {.data = std::string(bytes, 'x')}}}; }

} // namespace

TEST(held_effects, come_back_in_the_order_in_which_they_were_decided) {
  held_effects it{nullptr};
  it.add({accept{1}, publish{2, {.data = "a"}}});
  it.add({accept{3}});
  EXPECT_EQ(it.bytes(), 3 * size + 1);
  EXPECT_EQ(it.failure(), std::nullopt);
  EXPECT_EQ(it.extract_all(), (effects{accept{1}, publish{2, {.data = "a"}}, accept{3}}));
  EXPECT_EQ(it.extract_all(), effects{});
  EXPECT_EQ(it.bytes(), 0u);
}

TEST(held_effects, have_the_last_record_alone) {
  held_effects it{nullptr};
  it.add({remember{"first"}, accept{1}});
  it.add({remember{"next"}});
  EXPECT_EQ(it.bytes(), 2 * size + 4);
  it.add({accept{2}});
  EXPECT_EQ(it.extract_all(), (effects{accept{1}, remember{"next"}, accept{2}}));
  it.add({remember{"third"}, accept{3}});
  it.drop_record();
  it.drop_record();
  EXPECT_EQ(it.bytes(), size);
  EXPECT_EQ(it.extract_all(), (effects{accept{3}}));
}

TEST(held_effects, are_so_many) {
  for (auto more : {-1, 0, 1}) {
    held_effects it{nullptr};
    for (std::size_t i = 0; i < held_effects::most + static_cast<std::size_t>(more); ++i)
      it.add({accept{1}});
    EXPECT_EQ(it.failure().has_value(), more > 0) << more;
  }
}

TEST(held_effects, have_so_many_bytes) {
  for (auto more : {-1, 0, 1}) {
    held_effects it{nullptr};
    it.add(says(held_effects::most_bytes - size + static_cast<std::size_t>(more)));
    EXPECT_EQ(it.failure().has_value(), more > 0) << more;
  }
}

TEST(held_effects, have_so_many_bytes_in_all_sessions_or_a_few_in_each) {
  constexpr auto few = backlog::least_bytes;
  for (auto more : {-1, 0, 1}) {
    auto all = std::make_shared<byte_total>(size + few + 1 + size + 10);
    held_effects large{all}, other{all};
    large.add(says(few + 1));
    other.add(says(10 + static_cast<std::size_t>(more)));
    EXPECT_EQ(large.failure().has_value(), more > 0) << more;
    EXPECT_EQ(other.failure(), std::nullopt);
    other.extract_all();
    EXPECT_EQ(large.failure(), std::nullopt);
  }
  for (auto more : {-1, 0, 1}) {
    held_effects one{std::make_shared<byte_total>(0)};
    one.add(says(few - size + static_cast<std::size_t>(more)));
    EXPECT_EQ(one.failure().has_value(), more > 0) << more;
  }
}

TEST(held_effects, count_the_texts_of_all_that_has_one) {
  auto body = std::get<post_body>(read_body(R"({"jsonrpc":"2.0","method":"m"})"));
  auto text = body.messages.front().text.size();
  for (auto& [one, bytes] : {std::pair<effect, std::size_t>{forward{body.messages.front()}, text},
                             {reply{1, "abc"}, 3},
                             {remember{"abcd"}, 4},
                             {keep_event{{1, 1, "ab"}}, 2},
                             {pass_on{1, waiting_post{body}}, text},
                             {pass_on{1, waiting_end{}}, 0},
                             {open_stream{1}, 0}}) {
    held_effects it{nullptr};
    it.add({one});
    EXPECT_EQ(it.bytes(), size + bytes) << one.index();
  }
}

TEST(held_effects, of_a_session_that_is_over_wait_for_nothing) {
  held_effects it{nullptr};
  it.add({end_session{"its client ended it"}});
  EXPECT_EQ(it.failure(), "it is over");
}

} // namespace troupe::tests::held_effects_test
