#include "protocol/trace/otlp_export.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace troupe::tests::span_batch_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

struct batched {
  span_batch batch{{.queue = 6, .batch = 3, .delay = 5s, .patience = 30s}, 1};
  time_point now{};

  /// Adds spans, and returns how many were accepted.
  int add(int many) {
    int taken = 0;
    for (int i = 0; i < many; ++i)
      taken += batch.add("{}", now) ? 1 : 0;
    return taken;
  }
  /// The number of spans that are sent now.
  std::size_t sent() {
    auto* what = batch.due(now);
    return what ? what->size() : 0;
  }
  batch_end answer(int status) { return batch.answered({.status = status}, now); }
  /// The delay before the batch is sent again; nothing when it is dropped.
  std::chrono::milliseconds pause() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(batch.deadline() - now);
  }
};

} // namespace

TEST(span_batch, sends_a_full_batch_at_once) {
  batched t;
  t.add(2);
  EXPECT_EQ(t.sent(), 0U);
  t.add(1);
  EXPECT_EQ(t.batch.deadline(), t.now);
  EXPECT_EQ(t.sent(), 3U);
  EXPECT_EQ(t.sent(), 0U) << "its answer is awaited";
}

TEST(span_batch, sends_what_there_is_after_a_while) {
  batched t;
  t.add(1);
  EXPECT_EQ(t.batch.deadline(), t.now + 5s);
  t.now += 5s - 1ms;
  t.add(1);
  EXPECT_EQ(t.sent(), 0U);
  t.now += 1ms;
  EXPECT_EQ(t.sent(), 2U);
}

TEST(span_batch, drops_what_there_is_no_room_for) {
  batched t;
  EXPECT_EQ(t.add(5), 5);
  EXPECT_EQ(t.add(1), 1);
  EXPECT_EQ(t.add(1), 0);
  EXPECT_EQ(t.sent(), 3U);
  EXPECT_EQ(t.add(4), 3) << "what is being sent takes no room of others";
}

TEST(span_batch, sends_one_batch_after_the_other) {
  batched t;
  t.add(6);
  EXPECT_EQ(t.sent(), 3U);
  EXPECT_EQ(t.answer(200).exported, 3U);
  EXPECT_EQ(t.sent(), 3U);
  EXPECT_EQ(t.answer(200).exported, 3U);
  EXPECT_EQ(t.sent(), 0U);
  EXPECT_TRUE(t.batch.is_empty());
  EXPECT_EQ(t.batch.deadline(), time_point::max());
}

TEST(span_batch, counts_what_the_collector_has_not_taken) {
  batched t;
  t.add(3);
  t.sent();
  auto end = t.batch.answered({.status = 200, .rejected = 2}, t.now);
  EXPECT_EQ(end.exported, 1U);
  EXPECT_EQ(end.dropped, 2U);
  t.add(3);
  t.sent();
  EXPECT_EQ(t.batch.answered({.status = 200, .rejected = 100}, t.now).dropped, 3U);
}

TEST(span_batch, tries_again_what_may_go_well_later) {
  for (int status : {0, 429, 502, 503, 504}) {
    batched t;
    t.add(3);
    t.sent();
    auto end = t.answer(status);
    EXPECT_EQ(end.exported + end.dropped, 0U);
    EXPECT_FALSE(end.note);
    EXPECT_GE(t.pause(), 500ms);
    EXPECT_LE(t.pause(), 1s);
    EXPECT_EQ(t.sent(), 0U);
    t.now = t.batch.deadline();
    EXPECT_EQ(t.sent(), 3U) << status;
    EXPECT_EQ(t.answer(200).exported, 3U);
  }
}

TEST(span_batch, gives_up_what_will_never_go_well) {
  for (int status : {301, 400, 401, 404, 413, 500}) {
    batched t;
    t.add(3);
    t.sent();
    EXPECT_EQ(t.answer(status).dropped, 3U) << status;
  }
}

TEST(span_batch, waits_longer_and_longer_and_gives_up_in_the_end) {
  batched t;
  t.add(3);
  const auto began = t.now;
  t.sent();
  std::vector<std::chrono::milliseconds> pauses;
  while (true) {
    if (t.answer(503).dropped != 0)
      break;
    pauses.push_back(t.pause());
    t.now = t.batch.deadline();
    EXPECT_EQ(t.sent(), 3U);
  }
  EXPECT_LT(t.now - began, 30s);
  ASSERT_GT(pauses.size(), 5U);
  EXPECT_LE(pauses[0], 1s);
  EXPECT_LE(pauses[1], 2s);
  for (std::size_t i = 3; i < pauses.size(); ++i) {
    EXPECT_GE(pauses[i], 2500ms);
    EXPECT_LE(pauses[i], 5s);
  }
}

TEST(span_batch, comes_again_when_the_collector_says) {
  batched t;
  t.add(3);
  t.sent();
  t.batch.answered({.status = 429, .retry_after = 29s}, t.now);
  EXPECT_EQ(t.pause(), 29s);
}

TEST(span_batch, does_not_wait_for_longer_than_its_patience) {
  batched t;
  t.add(3);
  t.sent();
  EXPECT_EQ(t.batch.answered({.status = 429, .retry_after = 30s}, t.now).dropped, 3U);
}

TEST(span_batch, tells_once_that_it_fails_and_once_that_it_goes_well_again) {
  batched t;
  auto note_of = [&](int status) {
    t.add(3);
    t.sent();
    return t.answer(status).note;
  };
  auto first = note_of(404);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->facts.front().second, "it is answered with HTTP 404");
  EXPECT_FALSE(note_of(404));
  EXPECT_TRUE(note_of(200));
  EXPECT_FALSE(note_of(200));
  EXPECT_TRUE(note_of(404));
}

TEST(span_batch, sends_the_rest_at_once_and_once_when_it_finishes) {
  batched t;
  t.add(4);
  t.sent();
  t.batch.finish(t.now);
  EXPECT_EQ(t.answer(503).dropped, 3U);
  EXPECT_EQ(t.sent(), 1U);
  EXPECT_EQ(t.answer(200).exported, 1U);
  EXPECT_TRUE(t.batch.is_empty());
}

TEST(span_batch, does_not_wait_for_its_next_attempt_when_it_finishes) {
  batched t;
  t.add(3);
  t.sent();
  t.answer(503);
  t.batch.finish(t.now);
  EXPECT_EQ(t.sent(), 3U);
  EXPECT_EQ(t.answer(503).dropped, 3U);
}

} // namespace troupe::tests::span_batch_test
