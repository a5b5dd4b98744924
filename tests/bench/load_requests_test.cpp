#include "tests/bench/load_requests.hpp"

#include "tests/bench/json_member.hpp"

#include <gtest/gtest.h>

namespace troupe::bench {

namespace {

std::string_view body_of(std::string_view request) { return request.substr(request.find("\r\n\r\n") + 4); }

std::string answer_to(std::string_view request) {
  const auto body = body_of(request);
  const auto message = member(member(member(body, "params"), "arguments"), "message");
  return R"({"result":{"content":[{"type":"text","text":)" + std::string(message) + R"(}]},"id":)" +
         std::string(member(body, "id")) + "}";
}

} // namespace

TEST(member, is_found_by_its_name_behind_whatever_else_there_is) {
  constexpr auto object = R"( { "a" : {"id":1} , "b":[{"id":"]"}], "c":"\"id\":2}","id" : 3.5 })";
  EXPECT_EQ(member(object, "id"), "3.5");
  EXPECT_EQ(member(object, "a"), R"({"id":1})");
  EXPECT_EQ(member(object, "b"), R"([{"id":"]"}])");
  EXPECT_EQ(member(object, "c"), R"("\"id\":2}")");
}

TEST(member, that_is_not_there_is_empty) {
  for (const auto* object : {"", "{}", "{ }", R"({"a":1})", R"({"a":{"id":1}})", R"({"a":"id)"})
    EXPECT_EQ(member(object, "id"), "") << object;
}

TEST(call_request, has_the_length_that_it_says) {
  call_request call({}, "one", {.size = 10, .send = 20, .progress = true});
  const auto bytes = call.next();
  const auto length = "Content-Length: " + std::to_string(body_of(bytes).size()) + "\r\n";
  EXPECT_NE(bytes.find(length), std::string_view::npos) << bytes;
}

TEST(call_request, knows_the_answer_to_it_from_that_to_another) {
  call_request one({}, "one", {});
  call_request two({}, "two", {});
  const auto to_one = answer_to(one.next());
  const auto to_two = answer_to(two.next());
  EXPECT_TRUE(one.is_answer(to_one)) << to_one;
  EXPECT_FALSE(one.is_answer(to_two));
  one.next();
  EXPECT_FALSE(one.is_answer(to_one));
}

TEST(call_request, wants_the_answer_to_be_as_long_as_it_asked) {
  call_request call({}, "one", {.size = 1000});
  const auto answer = answer_to(call.next());
  EXPECT_FALSE(call.is_answer(answer));
  EXPECT_TRUE(call.is_answer(answer + std::string(1000, ' ')));
}

} // namespace troupe::bench
