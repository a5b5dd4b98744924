// The requests that a session accepts.

#include "protocol/session/session_admission.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::session_binding_test {

using namespace protocol;

TEST(session_binding, takes_requests_of_its_own_transport_path_and_owner) {
  session_binding at{transport::streamable_http, "a", 1, "ann"};
  EXPECT_TRUE(at.takes(transport::streamable_http, "a", "ann"));
  EXPECT_FALSE(at.takes(transport::http_sse, "a", "ann"));
  EXPECT_FALSE(at.takes(transport::streamable_http, "", "ann"));
  EXPECT_FALSE(at.takes(transport::streamable_http, "b", "ann"));
  EXPECT_FALSE(at.takes(transport::streamable_http, "a", "bob"));
  EXPECT_FALSE(at.takes(transport::streamable_http, "a", ""));
}

TEST(session_binding, of_nobody_takes_no_request_of_somebody) {
  session_binding at{transport::streamable_http, "a", 1};
  EXPECT_TRUE(at.takes(transport::streamable_http, "a", ""));
  EXPECT_FALSE(at.takes(transport::streamable_http, "a", "ann"));
}

TEST(session_binding, lets_listeners_of_streamable_HTTP_move) {
  EXPECT_TRUE((session_binding{transport::streamable_http}.can_move_listeners()));
  EXPECT_FALSE((session_binding{transport::http_sse}.can_move_listeners()));
}

TEST(session_binding, is_that_of_merged_servers_without_one_of_its_own) {
  EXPECT_TRUE(session_binding{}.is_merged());
  EXPECT_FALSE((session_binding{.path = "a", .server = 1}.is_merged()));
}

} // namespace troupe::tests::session_binding_test
