#include "deploy/operator/readable.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace troupe::tests::followed_test {

using namespace deploy;
using troupe::protocol::event;

namespace {

/// The line for a message, in UTC.
std::string line_of(const std::string& data) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  return followed_line({.type = "message", .data = data});
}

} // namespace

TEST(followed, is_a_line_for_each_message) {
  EXPECT_EQ(line_of(R"({"at_ms":1700000000123,"from":"client","kind":"request","id":"3","method":"tools/call",
    "name":"search","bytes":120})"),
            "22:13:20.123 from client request tools/call search id 3, 120 bytes");
  EXPECT_EQ(line_of(R"({"at_ms":0,"from":"server","kind":"notification","method":"notifications/progress","bytes":9})"),
            "00:00:00.000 from server notification notifications/progress, 9 bytes");
}

TEST(followed, has_the_content_on_the_same_line) {
  EXPECT_EQ(line_of("{\"at_ms\":5,\"from\":\"server\",\"kind\":\"response\",\"id\":\"\\\"a\\\"\",\"bytes\":2,\n"
                    "\"message\":{\"result\":\n\"\u009b\"}}"),
            R"(00:00:00.005 from server response id a, 2 bytes {"result": "\u009b"})");
}

TEST(followed, says_of_an_answer_whether_it_is_an_error) {
  EXPECT_EQ(line_of(R"({"at_ms":0,"from":"server","kind":"response","id":"3","error":"tool_error","bytes":40})"),
            "00:00:00.000 from server response id 3 error tool_error, 40 bytes");
}

TEST(followed, lets_no_name_speak_to_the_terminal) {
  EXPECT_EQ(line_of(R"({"at_ms":0,"from":"client","kind":"request","method":"a\u001b[2J\nb","bytes":1})"),
            R"(00:00:00.000 from client request a\u001b[2J\nb, 1 bytes)");
}

TEST(followed, tells_what_is_missing_and_leaves_out_what_it_does_not_know) {
  EXPECT_EQ(followed_line({.type = "lost", .data = R"({"messages":5})"}),
            "5 messages are missing here: they came too fast");
  EXPECT_EQ(followed_line({.type = "news", .data = "{}"}), "");
  EXPECT_EQ(followed_line({.type = "message", .data = "{"}), "");
}

} // namespace troupe::tests::followed_test
