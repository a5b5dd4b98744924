#include "deploy/log/packed_record.hpp"

#include "deploy/log/access_line.hpp"
#include "tests/support/full_access_record.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace troupe::tests {

namespace {

const access_record full = full_access_record();

void expect_same(const access_record& a, const access_record& b) {
  EXPECT_EQ(a.at, b.at);
  EXPECT_EQ(a.request, b.request);
  EXPECT_EQ(a.client, b.client);
  EXPECT_EQ(a.caller, b.caller);
  EXPECT_EQ(a.http_method, b.http_method);
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.session, b.session);
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.tool, b.tool);
  EXPECT_EQ(a.server, b.server);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.total, b.total);
  EXPECT_EQ(a.in_server, b.in_server);
  EXPECT_EQ(a.bytes_in, b.bytes_in);
  EXPECT_EQ(a.bytes_out, b.bytes_out);
  EXPECT_EQ(a.trace, b.trace);
}

bool stands_in(std::string_view text, std::string_view whole) {
  return text.data() >= whole.data() && text.data() + text.size() <= whole.data() + whole.size();
}

} // namespace

TEST(packed_record, is_read_as_it_was_one_by_one) {
  std::string packed;
  for (auto& one : {full, access_record{}, access_record{.path = "/other"}, full})
    deploy::append_packed(packed, one);
  std::string_view left = packed;
  for (auto& one : {full, access_record{}, access_record{.path = "/other"}, full})
    expect_same(deploy::take_packed(left), one);
  EXPECT_TRUE(left.empty());
}

TEST(packed_record, has_all_its_texts_with_it) {
  std::string packed;
  deploy::append_packed(packed, full);
  std::string_view left = packed;
  const auto read = deploy::take_packed(left);
  for (auto text : {read.request, read.client, read.caller, read.http_method, read.path, read.session, read.method,
                    read.tool, read.server, read.error, read.trace})
    EXPECT_TRUE(stands_in(text, packed)) << text;
}

TEST(packed_record, has_no_more_of_a_text_than_a_line_has) {
  const std::string path(60'000, 'x');
  std::string packed;
  deploy::append_packed(packed, {.path = path});
  EXPECT_LT(packed.size(), 2'000U);
  std::string_view left = packed;
  std::string cut, whole;
  deploy::append_access_json(cut, deploy::take_packed(left));
  deploy::append_access_json(whole, {.path = path});
  EXPECT_EQ(cut, whole);
  EXPECT_NE(cut.find("xxx..."), cut.npos);
}

TEST(packed_record, says_how_large_it_is) {
  const std::string path(60'000, 'x');
  for (auto& one : {full, access_record{}, access_record{.path = path}}) {
    std::string packed;
    deploy::append_packed(packed, one);
    EXPECT_EQ(packed.size(), deploy::packed_size(one));
  }
}

} // namespace troupe::tests
