#include "deploy/log/log_line.hpp"

#include "tests/support/full_access_record.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace troupe::tests::packed_record_test {

namespace {

const access_record full = full_access_record();

void expect_same(const access_record& a, const access_record& b) {
  EXPECT_EQ(a.at, b.at);
  EXPECT_EQ(a.request, b.request);
  EXPECT_EQ(a.client, b.client);
  EXPECT_EQ(a.caller, b.caller);
  EXPECT_EQ(a.issuer, b.issuer);
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

std::string packed(const access_record& record) {
  std::string result(deploy::largest_packed, '\0');
  result.resize(static_cast<std::size_t>(deploy::pack(result.data(), record) - result.data()));
  return result;
}

bool stands_in(std::string_view text, std::string_view whole) {
  return text.data() >= whole.data() && text.data() + text.size() <= whole.data() + whole.size();
}

} // namespace

TEST(packed_record, is_read_as_it_was) {
  for (auto& one : {full, access_record{}, access_record{.path = "/other"}}) {
    const auto bytes = packed(one);
    expect_same(deploy::unpacked(bytes), one);
  }
}

TEST(packed_record, has_all_its_texts_with_it) {
  const auto bytes = packed(full);
  const auto read = deploy::unpacked(bytes);
  for (auto text : {read.request, read.client, read.caller, read.http_method, read.path, read.session, read.method,
                    read.tool, read.server, read.error, read.trace})
    EXPECT_TRUE(stands_in(text, bytes)) << text;
}

TEST(packed_record, has_as_much_of_a_text_as_a_line_has) {
  constexpr auto longest = deploy::longest_access_value;
  for (auto size : {longest - 1, longest, longest + 1, longest + 2, 100 * longest}) {
    const std::string path(size, 'x');
    const auto bytes = packed({.path = path});
    EXPECT_LT(bytes.size(), 2 * longest);
    std::string cut, whole;
    deploy::append_access_json(cut, deploy::unpacked(bytes));
    deploy::append_access_json(whole, {.path = path});
    EXPECT_EQ(cut, whole) << size;
    EXPECT_EQ(cut.find("xxx...") != cut.npos, size > longest);
  }
}

TEST(packed_record, has_room_for_the_longest_texts) {
  const std::string longest(deploy::longest_access_value + 1, 'x');
  const access_record large{.request = longest,
                            .client = longest,
                            .caller = longest,
                            .issuer = longest,
                            .http_method = longest,
                            .path = longest,
                            .session = longest,
                            .method = longest,
                            .tool = longest,
                            .server = longest,
                            .error = longest,
                            .trace = longest};
  std::array<char, deploy::largest_packed> room{};
  const char* const end = deploy::pack(room.data(), large);
  ASSERT_LE(end, room.data() + room.size());
  expect_same(deploy::unpacked({room.data(), end}), large);
}

} // namespace troupe::tests::packed_record_test
