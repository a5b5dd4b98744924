#include "protocol/hosted/hosted_offer.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace troupe::tests::uri_template_test {

using namespace protocol;

namespace {

std::string match(std::string_view uri_template, std::string_view uri) {
  auto found = match_uri(uri_template, uri);
  return found ? boost::json::serialize(*found) : "none";
}

} // namespace

TEST(a_template, stands_for_the_uris_that_fill_its_variables) {
  EXPECT_EQ(match("n://{id}/text", "n://7/text"), R"({"id":"7"})");
  EXPECT_EQ(match("n://{a}/{b}", "n://x/y"), R"({"a":"x","b":"y"})");
  EXPECT_EQ(match("n://{a}-{b}.txt", "n://x-y-z.txt"), R"({"a":"x","b":"y-z"})");
  EXPECT_EQ(match("n://{id}", "n://a%2Fb"), R"({"id":"a/b"})");
  EXPECT_EQ(match("n://x", "n://x"), "{}");
}

TEST(a_template, stands_for_no_other_uri) {
  for (auto uri : {"", "n:/", "n:///text", "n://7/texts", "n://7", "n://a/b/text", "n://%zz/text", "m://7/text"})
    EXPECT_EQ(match("n://{id}/text", uri), "none") << uri;
  EXPECT_EQ(match("n://{id", "n://7"), "none");
  EXPECT_EQ(match("{id}", ""), "none");
}

TEST(a_template, crosses_slashes_where_it_says_so) {
  EXPECT_EQ(match("file:///{+path}", "file:///a/b.txt"), R"({"path":"a/b.txt"})");
  EXPECT_EQ(match("file:///{path}", "file:///a/b.txt"), "none");
}

} // namespace troupe::tests::uri_template_test
