#include "protocol/text/http_syntax.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::media_test {

using namespace protocol;

TEST(is_json_type, takes_any_case_and_parameters) {
  for (auto type : {"application/json", "Application/JSON", "application/json;charset=utf-8",
                    "application/json ; charset=\"utf-8\"", " application/json\t", "application/json;"})
    EXPECT_TRUE(is_json_type(type)) << type;
}

TEST(is_json_type, compares_the_whole_type) {
  for (auto type :
       {"", ";", "text/plain", "application/jsonp", "application/json-rpc", "application/json, text/plain",
        "text/plain; application/json", "text/plain;a=application/json", "xapplication/json", "json",
        "application / json", "application/*", "*/*", "application/x-www-form-urlencoded", "multipart/form-data"})
    EXPECT_FALSE(is_json_type(type)) << type;
}

TEST(accepts, finds_a_type_among_several_in_any_order) {
  for (auto line : {"text/event-stream", "application/json, text/event-stream", "text/event-stream,application/json",
                    "TEXT/Event-Stream", " a/b ,\ttext/event-stream ; q=0.5 , c/d", "text/event-stream;charset=utf-8",
                    ",,text/event-stream,"})
    EXPECT_TRUE(accepts(line, "text", "event-stream")) << line;
}

TEST(accepts, counts_wildcards) {
  for (auto line : {"*/*", "text/*", "TEXT/*", "image/png, */*;q=0.1"})
    EXPECT_TRUE(accepts(line, "text", "event-stream")) << line;
  for (auto line : {"application/*", "*", "text", "text/", "/event-stream", "*event-stream"})
    EXPECT_FALSE(accepts(line, "text", "event-stream")) << line;
}

TEST(accepts, does_not_match_a_part_of_a_type) {
  for (auto line : {"", ",", "text/event-streams", "text/event", "xtext/event-stream", "text/event-stream/x",
                    "a/b;x=text/event-stream", "application/json"})
    EXPECT_FALSE(accepts(line, "text", "event-stream")) << line;
}

TEST(accepts, is_refused_by_a_quality_of_zero) {
  for (auto line : {"text/event-stream;q=0", "text/event-stream;q=0.0", "text/event-stream; Q=0.000",
                    "text/event-stream; charset=utf-8 ; q=0 "})
    EXPECT_FALSE(accepts(line, "text", "event-stream")) << line;
  for (auto line : {"text/event-stream;q=0.001", "text/event-stream;q=1", "text/event-stream;q=1.0",
                    "text/event-stream;level=0", "text/event-stream;q="})
    EXPECT_TRUE(accepts(line, "text", "event-stream")) << line;
}

} // namespace troupe::tests::media_test
