#include "protocol/delivery/effects.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe::tests::stream_part_test {

using namespace protocol;

namespace {

publish event_of(exchange_id exchange, const std::string& data) { return {exchange, {.data = data}}; }

/// The stream parts of the effects. Other effects are skipped.
std::vector<stream_part> parts_of(effects all) {
  std::vector<stream_part> result;
  for (auto at = all.begin(); at != all.end();)
    if (auto part = take_stream_part(at, all.end()))
      result.push_back(*part);
    else
      ++at;
  return result;
}

using parts = std::vector<stream_part>;

} // namespace

TEST(stream_part, is_a_whole_stream_that_begins_and_ends_at_once) {
  EXPECT_EQ(parts_of({open_stream{1}, event_of(1, "a"), event_of(1, "b"), end_stream{1}}),
            (parts{{1, true, "data: a\n\ndata: b\n\n", true}}));
}

TEST(stream_part, is_the_beginning_the_middle_or_the_end) {
  EXPECT_EQ(parts_of({open_stream{1}}), (parts{{1, true, "", false}}));
  EXPECT_EQ(parts_of({event_of(1, "a")}), (parts{{1, false, "data: a\n\n", false}}));
  EXPECT_EQ(parts_of({end_stream{1}}), (parts{{1, false, "", true}}));
}

TEST(stream_part, ends_where_another_stream_or_something_else_comes_between) {
  EXPECT_EQ(parts_of({event_of(1, "a"), event_of(2, "b"), end_stream{2}, accept{3}, end_stream{1}}),
            (parts{{1, false, "data: a\n\n", false}, {2, false, "data: b\n\n", true}, {1, false, "", true}}));
}

TEST(stream_part, ends_with_its_stream_and_before_another_begins) {
  EXPECT_EQ(parts_of({end_stream{1}, event_of(1, "a"), open_stream{1}}),
            (parts{{1, false, "", true}, {1, false, "data: a\n\n", false}, {1, true, "", false}}));
}

TEST(stream_part, takes_no_more_events_when_it_is_over_64_KiB) {
  const std::size_t frame = std::string{"data: \n\n"}.size();
  for (auto [size, count] : {std::pair{64 * 1024 - frame, 1U}, std::pair{64 * 1024 - frame + 1, 2U}})
    EXPECT_EQ(parts_of({event_of(1, std::string(size, 'x')), event_of(1, "a"), end_stream{1}}).size(), count) << size;
  EXPECT_EQ(parts_of({event_of(1, std::string(64 * 1024, 'x')), end_stream{1}}).size(), 1U);
}

} // namespace troupe::tests::stream_part_test
