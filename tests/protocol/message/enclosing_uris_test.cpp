#include "protocol/message/subscribed_uris.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace troupe::tests::enclosing_uris_test {

using namespace protocol;

namespace {

using uri_set = std::set<std::string_view>;

uri_set enclosing(std::string_view uri) {
  auto all = enclosing_uris(uri);
  return {all.begin(), all.end()};
}

} // namespace

TEST(enclosing_uris, end_where_a_part_begins) {
  EXPECT_EQ(enclosing("a/b?c#d"), (uri_set{"a", "a/", "a/b", "a/b?c", "a/b?c#d"}));
  EXPECT_EQ(enclosing("f:///d/"), (uri_set{"f:", "f:/", "f://", "f:///", "f:///d", "f:///d/"}));
  EXPECT_EQ(enclosing("abc"), (uri_set{"abc"}));
  EXPECT_EQ(enclosing(""), (uri_set{""}));
}

TEST(enclosing_uris, are_none_of_a_uri_that_is_too_long) {
  for (auto size : {2 * longest_subscribed_uri - 1, 2 * longest_subscribed_uri, 2 * longest_subscribed_uri + 1})
    EXPECT_EQ(enclosing_uris(std::string(size, 'u')).empty(), size > 2 * longest_subscribed_uri) << size;
}

} // namespace troupe::tests::enclosing_uris_test
