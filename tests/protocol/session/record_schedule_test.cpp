// Writes of a session's record: which changes cause them, and how often.

#include "protocol/session/session_record.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::record_schedule_test {

namespace {

constexpr auto idle = 30min;

/// A schedule, and a count of its writes.
struct scheduled {
  explicit scheduled(std::optional<session_record> begins_as = session_record{.path = "p"}) : it{std::move(begins_as)} {
    it.begin(gateway_message(hello("0")));
  }
  scheduled& agreed() { return it.agreed("2025-11-25", now, out), *this; }
  /// A subscription that the server accepts.
  void subscribes(const std::string& uri) {
    it.asked(++own, gateway_message(request("1", "resources/subscribe", R"({"uri":")" + uri + "\"}")));
    it.answered(own, gateway_message(result("1")), now, out);
  }
  void refreshes(std::chrono::milliseconds age = record_age::spoken) { it.refresh(age, now, out); }
  /// The number of writes since the last call.
  std::size_t written() { return std::exchange(out, {}).size(); }
  session_record last() { return read_record(std::get<remember>(out.back()).record).value(); }

  time_point now{1h};
  effects out;
  record_schedule it;
  std::uint64_t own = 0;
};

} // namespace

TEST(record_schedule, of_a_session_without_record_writes_nothing) {
  scheduled s{std::nullopt};
  EXPECT_FALSE(s.it.is_kept());
  s.agreed().subscribes("a");
  s.it.client_initialized(s.now, s.out);
  s.it.request_dropped(7);
  s.refreshes(0ms);
  s.it.finish(s.now, s.out);
  EXPECT_EQ(s.written(), 0u);
  EXPECT_EQ(s.it.deadline(idle), time_point::max());
  EXPECT_EQ(s.it.last_exchange(), 0u);
}

TEST(record_schedule, gives_up_a_record_with_too_long_an_initialize) {
  scheduled s;
  s.it.begin(
      gateway_message(hello("0", "2025-11-25", R"({"x":")" + std::string(longest_kept_initialize, 'x') + "\"}")));
  EXPECT_FALSE(s.it.is_kept());
  EXPECT_EQ(s.agreed().written(), 0u);
}

TEST(record_schedule, writes_nothing_before_client_and_server_have_agreed) {
  scheduled s;
  s.refreshes(0ms);
  s.it.finish(s.now, s.out);
  EXPECT_EQ(s.written(), 0u);
  EXPECT_EQ(s.it.deadline(idle), time_point::max());
  s.agreed();
  EXPECT_EQ(s.last().version, "2025-11-25");
  EXPECT_EQ(s.written(), 1u);
}

TEST(record_schedule, writes_once_that_the_client_is_initialized) {
  scheduled s;
  s.agreed().written();
  s.it.client_initialized(s.now, s.out);
  EXPECT_TRUE(s.last().initialized);
  s.it.client_initialized(s.now, s.out);
  EXPECT_EQ(s.written(), 1u);
}

TEST(record_schedule, writes_no_request_that_was_forsaken) {
  scheduled s;
  s.agreed().written();
  s.it.asked(1, gateway_message(request("1", "resources/subscribe", R"({"uri":"a"})")));
  s.it.request_dropped(1);
  s.it.answered(1, gateway_message(result("1")), s.now, s.out);
  EXPECT_EQ(s.written(), 0u);
}

TEST(record_schedule, is_written_again_at_an_age_and_not_before) {
  scheduled s;
  s.agreed().written();
  s.now += record_age::spoken - 1ns;
  s.refreshes();
  EXPECT_EQ(s.written(), 0u);
  s.now += 1ns;
  s.refreshes();
  EXPECT_EQ(s.written(), 1u);
  s.refreshes();
  EXPECT_EQ(s.written(), 0u);
}

TEST(record_schedule, is_due_when_half_of_the_idle_time_has_passed_but_not_within_a_minute) {
  scheduled s;
  s.agreed();
  EXPECT_EQ(s.it.deadline(idle), s.now + 15min);
  EXPECT_EQ(s.it.deadline(10s), s.now + 1min);
}

TEST(record_schedule, holds_back_changes_of_a_long_record_until_its_pace_allows) {
  scheduled s;
  s.agreed().written();
  std::size_t asked = 0;
  do
    s.subscribes(std::to_string(++asked) + std::string(4000, 'u'));
  while (s.written() == 1 && asked < 100);
  ASSERT_LT(asked, 100u) << "the pace never held anything back";
  auto due = s.it.deadline(idle);
  EXPECT_GT(due, s.now);
  s.now = due - 1ms;
  s.refreshes();
  EXPECT_EQ(s.written(), 0u);
  s.now = due;
  s.refreshes();
  EXPECT_EQ(s.last().subscriptions.size(), asked);
  EXPECT_EQ(s.written(), 1u);
  EXPECT_EQ(s.it.deadline(idle), s.now + 15min) << "nothing is held back any more";
}

TEST(record_schedule, writes_at_the_end_what_was_held_back_whatever_the_pace) {
  scheduled s;
  s.agreed().it.finish(s.now, s.out);
  EXPECT_EQ(s.written(), 1u) << "nothing was held back";
  do
    s.subscribes(std::to_string(s.own) + std::string(4000, 'u'));
  while (s.written() == 1 && s.own < 100);
  s.it.finish(s.now, s.out);
  EXPECT_EQ(s.last().subscriptions.size(), s.own);
  EXPECT_EQ(s.written(), 1u);
}

TEST(record_schedule, goes_on_in_another_life_from_the_record_of_the_one_before) {
  scheduled s{std::nullopt};
  s.it.begin_again({.initialize = hello("0"), .version = "2025-11-25", .initialized = true, .life = 1}, 7);
  EXPECT_EQ(s.it.last_exchange(), (exchange_id{2} << 32U) + 7) << "a life that was forgotten has other numbers";
  EXPECT_EQ(s.it.deadline(idle), time_point::max()) << "its new server has not agreed yet";
  s.it.write(s.now, s.out);
  EXPECT_EQ(s.last().life, 2u);
  s.it.client_initialized(s.now, s.out);
  EXPECT_EQ(s.written(), 1u) << "it was initialized already";
}

} // namespace troupe::tests::record_schedule_test
