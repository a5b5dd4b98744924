// Which sessions begin at a gateway, which begin again there, and which are kept.

#include "protocol/session/admission.hpp"
#include "protocol/session/gateway_drain.hpp"

#include <gtest/gtest.h>

using namespace troupe::protocol;

namespace {

constexpr admission free_place{.is_restored = true, .can_keep = true};

admission with(bool admission::*what, bool value) {
  auto result = free_place;
  result.*what = value;
  return result;
}

} // namespace

TEST(admission, lets_sessions_begin_where_there_is_a_server_and_room) {
  EXPECT_EQ(refuse_session(free_place), std::nullopt);
  EXPECT_EQ(refuse_session({}), std::nullopt) << "one that is not kept begins, too";
  EXPECT_EQ(refuse_session(with(&admission::has_server, false)), server_not_found());
  EXPECT_EQ(refuse_session(with(&admission::is_stopping, true), "7"), gateway_stops("7"));
  auto full = refuse_session(with(&admission::is_full, true), "7").value();
  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(full.id, "7");
  EXPECT_EQ(full.headers.front().second, "5");
}

TEST(admission, restores_sessions_where_they_can_be_kept_again) {
  EXPECT_EQ(refuse_restored(free_place), std::nullopt);
  EXPECT_EQ(refuse_restored(with(&admission::can_keep, false)), session_moves());
  EXPECT_EQ(refuse_restored(with(&admission::is_stopping, true)), gateway_stops());
  EXPECT_EQ(refuse_restored(with(&admission::is_full, true))->status, 503);
}

TEST(admission, gives_up_sessions_that_can_never_be_restored) {
  EXPECT_EQ(refuse_restored(with(&admission::has_server, false)), server_not_found());
  auto never = with(&admission::is_restored, false);
  never.is_stopping = true;
  EXPECT_EQ(refuse_restored(never), session_not_found());
}

TEST(admission, keeps_sessions_of_streamable_HTTP_with_servers_that_are_restored) {
  EXPECT_TRUE(is_kept(free_place, true));
  EXPECT_FALSE(is_kept(free_place, false));
  EXPECT_FALSE(is_kept(with(&admission::is_restored, false), true));
  EXPECT_FALSE(is_kept(with(&admission::can_keep, false), true));
}

// -- a gateway that stops ------------------------------------------------------------------

TEST(gateway_drain, ends_sessions_where_there_are_no_other_nodes) {
  gateway_drain it;
  EXPECT_FALSE(it.has_begun());
  EXPECT_EQ(it.begin(false, false), gateway_drain::sessions::end);
  EXPECT_TRUE(it.has_begun());
  EXPECT_FALSE(it.is_hurried());
}

TEST(gateway_drain, moves_listeners_to_other_nodes_once_and_ends_sessions_with_the_grace) {
  gateway_drain it;
  EXPECT_EQ(it.begin(false, true), gateway_drain::sessions::move_listeners);
  EXPECT_EQ(it.begin(false, true), gateway_drain::sessions::stay);
  EXPECT_EQ(it.begin(true, true), gateway_drain::sessions::end);
  EXPECT_EQ(it.begin(false, true), gateway_drain::sessions::stay);
  EXPECT_TRUE(it.is_hurried());
}
