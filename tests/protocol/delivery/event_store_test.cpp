#include "protocol/delivery/event_store.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace troupe::protocol {

void PrintTo(const stored_event& one, std::ostream* out) { *out << one.position << ": " << one.text; }

} // namespace troupe::protocol

namespace troupe::tests::event_store_test {

using namespace protocol;

namespace {

using rest = std::vector<stored_event>;
constexpr bool vital = true;
constexpr std::size_t plenty = 1000;

/// The remaining positions of a stream.
std::string left(const memory_store& kept, exchange_id stream) {
  std::string result;
  for (auto& one : kept.after(stream, 0))
    result += (result.empty() ? "" : " ") + std::to_string(one.position);
  return result;
}

} // namespace

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(event_store, gives_what_came_after_a_place_in_order) {
  memory_store kept{plenty, plenty};
  kept.append(3, {1, "a"}, false);
  kept.append(3, {2, "b"}, vital);
  kept.append(3, {4, "d"}, false);
  EXPECT_EQ(kept.after(3, 0), (rest{{1, "a"}, {2, "b"}, {4, "d"}}));
  EXPECT_EQ(kept.after(3, 1), (rest{{2, "b"}, {4, "d"}}));
  EXPECT_EQ(kept.after(3, 3), (rest{{4, "d"}}));
  EXPECT_EQ(kept.after(3, 4), rest{});
  EXPECT_EQ(kept.after(3, 99), rest{});
}

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(event_store, never_gives_what_came_on_another_stream) {
  memory_store kept{plenty, plenty};
  kept.append(3, {1, "a"}, false);
  kept.append(4, {1, "x"}, false);
  kept.append(3, {2, "b"}, false);
  EXPECT_EQ(kept.after(3, 0), (rest{{1, "a"}, {2, "b"}}));
  EXPECT_EQ(kept.after(4, 0), (rest{{1, "x"}}));
  EXPECT_EQ(kept.after(5, 0), rest{});
}

TEST(event_store, counts_events_and_bytes) {
  memory_store kept{plenty, plenty};
  EXPECT_EQ(kept.events(), 0u);
  EXPECT_EQ(kept.bytes(), 0u);
  kept.append(3, {1, "abc"}, false);
  kept.append(4, {1, "de"}, false);
  EXPECT_EQ(kept.events(), 2u);
  EXPECT_EQ(kept.bytes(), 5u);
  kept.drop(3);
  EXPECT_EQ(kept.events(), 1u);
  EXPECT_EQ(kept.bytes(), 2u);
  kept.drop(3);
  kept.drop(9);
  kept.drop(4);
  EXPECT_EQ(kept.events(), 0u);
  EXPECT_EQ(kept.bytes(), 0u);
}

TEST(event_store, keeps_at_most_so_many_events_and_forgets_the_oldest) {
  for (std::size_t sent : {2u, 3u, 4u, 5u}) {
    memory_store kept{3, plenty};
    for (std::uint64_t position = 1; position <= sent; ++position)
      kept.append(3, {position, "x"}, false);
    auto first = sent > 3 ? sent - 2 : 1;
    rest expected;
    for (auto position = first; position <= sent; ++position)
      expected.push_back({position, "x"});
    EXPECT_EQ(kept.after(3, 0), expected) << sent;
    EXPECT_EQ(kept.bytes(), expected.size());
  }
}

TEST(event_store, keeps_at_most_so_many_bytes_and_forgets_the_oldest) {
  for (std::size_t last : {1u, 2u, 3u}) {
    memory_store kept{plenty, 10};
    kept.append(3, {1, "1234"}, false);
    kept.append(3, {2, "1234"}, false);
    kept.append(3, {3, std::string(last, 'x')}, false);
    EXPECT_EQ(left(kept, 3), last <= 2 ? "1 2 3" : "2 3") << last;
    EXPECT_EQ(kept.bytes(), last <= 2 ? 8 + last : 4 + last);
  }
}

TEST(event_store, forgets_as_many_as_a_large_event_needs) {
  memory_store kept{plenty, 10};
  for (std::uint64_t position = 1; position <= 5; ++position)
    kept.append(3, {position, "12"}, false);
  kept.append(3, {6, "12345"}, false);
  EXPECT_EQ(left(kept, 3), "4 5 6");
}

TEST(event_store, keeps_little_while_all_stores_have_too_much) {
  constexpr auto least = memory_store::least_bytes;
  for (std::size_t others : {least - 1, least, least + 1}) {
    auto total = std::make_shared<byte_total>(3 * least);
    memory_store other{plenty, 9 * least, total};
    other.append(1, {1, std::string(others, 'x')}, vital);
    memory_store kept{plenty, 9 * least, total};
    kept.append(3, {1, std::string(least, 'a')}, vital);
    kept.append(3, {2, std::string(least, 'b')}, vital);
    EXPECT_EQ(left(kept, 3), others <= least ? "1 2" : "2") << others;
    EXPECT_EQ(total->bytes(), others + kept.bytes());
  }
}

TEST(event_store, keeps_no_large_event_while_all_stores_have_too_much) {
  constexpr auto least = memory_store::least_bytes;
  for (std::size_t large : {least, least + 1}) {
    memory_store kept{plenty, plenty, std::make_shared<byte_total>(least - 1)};
    kept.append(3, {1, std::string(large, 'x')}, vital);
    EXPECT_EQ(kept.events(), large == least ? 1u : 0u);
  }
}

TEST(event_store, gives_its_bytes_back_when_it_goes) {
  auto total = std::make_shared<byte_total>(plenty);
  {
    memory_store kept{plenty, plenty, total};
    kept.append(3, {1, "12345"}, vital);
    kept.append(4, {1, "123"}, vital);
    kept.drop(4);
    EXPECT_EQ(total->bytes(), 5u);
  }
  EXPECT_EQ(total->bytes(), 0u);
}

TEST(event_store, forgets_what_is_not_vital_first) {
  memory_store kept{4, plenty};
  kept.append(3, {1, "answer"}, vital);
  kept.append(4, {1, "note"}, false);
  kept.append(3, {2, "answer"}, vital);
  kept.append(4, {2, "note"}, false);
  kept.append(3, {3, "answer"}, vital);
  EXPECT_EQ(left(kept, 3), "1 2 3");
  EXPECT_EQ(left(kept, 4), "2");
  kept.append(3, {4, "answer"}, vital);
  EXPECT_EQ(left(kept, 3), "1 2 3 4");
  EXPECT_EQ(left(kept, 4), "");
}

TEST(event_store, forgets_the_oldest_finished_stream_when_all_is_vital) {
  memory_store kept{5, plenty};
  kept.append(3, {1, "a"}, vital);
  kept.append(4, {1, "a"}, vital);
  kept.append(5, {1, "a"}, vital);
  kept.append(4, {2, "b"}, vital);
  kept.append(5, {2, "b"}, vital);
  kept.finish(5);
  kept.finish(4);
  kept.append(6, {1, "a"}, vital);
  EXPECT_EQ(left(kept, 3), "1");
  EXPECT_EQ(left(kept, 4), "");
  EXPECT_EQ(left(kept, 5), "1 2");
  EXPECT_EQ(left(kept, 6), "1");
}

TEST(event_store, forgets_the_oldest_event_when_all_is_vital_and_nothing_finished) {
  memory_store kept{3, plenty};
  kept.append(3, {1, "a"}, vital);
  kept.append(4, {1, "a"}, vital);
  kept.append(3, {2, "b"}, vital);
  kept.append(4, {2, "b"}, vital);
  EXPECT_EQ(left(kept, 3), "2");
  EXPECT_EQ(left(kept, 4), "1 2");
}

TEST(event_store, keeps_the_newest_in_any_case) {
  for (auto is_vital : {false, true}) {
    memory_store kept{1, 3};
    kept.append(3, {1, "old"}, vital);
    kept.append(4, {1, "much too long"}, is_vital);
    EXPECT_EQ(left(kept, 3), "");
    EXPECT_EQ(left(kept, 4), "1");
    EXPECT_EQ(kept.bytes(), 13u);
    kept.append(4, {2, "abc"}, false);
    EXPECT_EQ(left(kept, 4), "2");
    EXPECT_EQ(kept.bytes(), 3u);
  }
  memory_store nothing{0, 0};
  nothing.append(3, {1, "a"}, false);
  nothing.append(3, {2, "b"}, false);
  EXPECT_EQ(left(nothing, 3), "2");
}

TEST(event_store, begins_anew_with_a_stream_that_it_dropped) {
  memory_store kept{2, plenty};
  kept.append(3, {1, "a"}, vital);
  kept.finish(3);
  kept.drop(3);
  EXPECT_EQ(left(kept, 3), "");
  kept.append(3, {2, "b"}, vital);
  kept.append(4, {1, "a"}, vital);
  EXPECT_EQ(left(kept, 3), "2");
}

} // namespace troupe::tests::event_store_test
