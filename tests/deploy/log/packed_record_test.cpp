#include "deploy/log/record_writer.hpp"

#include "deploy/log/log_line.hpp"
#include "tests/support/full_access_record.hpp"

#include <gtest/gtest.h>

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
  deploy::packed_records packed;
  for (auto& one : {full, access_record{}, access_record{.path = "/other"}, full})
    packed.append(one);
  std::string_view left = packed.all();
  for (auto& one : {full, access_record{}, access_record{.path = "/other"}, full})
    expect_same(deploy::take_packed(left), one);
  EXPECT_TRUE(left.empty());
}

TEST(packed_record, has_all_its_texts_with_it) {
  deploy::packed_records packed;
  packed.append(full);
  std::string_view left = packed.all();
  const auto read = deploy::take_packed(left);
  for (auto text : {read.request, read.client, read.caller, read.http_method, read.path, read.session, read.method,
                    read.tool, read.server, read.error, read.trace})
    EXPECT_TRUE(stands_in(text, packed.all())) << text;
}

TEST(packed_record, has_as_much_of_a_text_as_a_line_has) {
  constexpr auto longest = deploy::longest_access_value;
  for (auto size : {longest - 1, longest, longest + 1, longest + 2, 100 * longest}) {
    const std::string path(size, 'x');
    deploy::packed_records packed;
    packed.append({.path = path});
    EXPECT_LT(packed.all().size(), 2 * longest);
    std::string_view left = packed.all();
    std::string cut, whole;
    deploy::append_access_json(cut, deploy::take_packed(left));
    deploy::append_access_json(whole, {.path = path});
    EXPECT_EQ(cut, whole) << size;
    EXPECT_EQ(cut.find("xxx...") != cut.npos, size > longest);
  }
}

TEST(packed_record, finds_room_for_the_longest_texts_up_to_the_last_byte) {
  const std::string longest(deploy::longest_access_value + 1, 'x');
  const access_record large{.request = longest,
                            .client = longest,
                            .caller = longest,
                            .http_method = longest,
                            .path = longest,
                            .session = longest,
                            .method = longest,
                            .tool = longest,
                            .server = longest,
                            .error = longest,
                            .trace = longest};
  deploy::packed_records one, several;
  one.append(large);
  const auto size = one.all().size();
  for (std::size_t count = 1; count <= 40; ++count)
    ASSERT_TRUE(several.append(large, count * size)) << count;
  EXPECT_FALSE(several.append({}, 40 * size));
  one.swap(several);
  EXPECT_EQ(several.all().size(), size);
  std::string_view left = one.all();
  for (std::size_t count = 1; count <= 40; ++count)
    expect_same(deploy::take_packed(left), large);
  EXPECT_TRUE(left.empty());
}

TEST(packed_record, is_not_taken_when_there_is_no_room) {
  deploy::packed_records packed;
  ASSERT_TRUE(packed.append(full));
  const auto size = packed.all().size();
  packed.clear();
  EXPECT_FALSE(packed.append(full, size - 1));
  EXPECT_TRUE(packed.is_empty());
  EXPECT_TRUE(packed.append(full, size));
  EXPECT_FALSE(packed.append({}, size));
  EXPECT_EQ(packed.all().size(), size);
  std::string_view left = packed.all();
  expect_same(deploy::take_packed(left), full);
  EXPECT_TRUE(left.empty());
}

TEST(packed_record, stands_in_the_memory_of_those_before) {
  deploy::packed_records packed;
  for (int i = 0; i < 3; ++i)
    packed.append({.path = "/before"});
  packed.clear();
  EXPECT_TRUE(packed.is_empty());
  packed.append(full);
  std::string_view left = packed.all();
  expect_same(deploy::take_packed(left), full);
  EXPECT_TRUE(left.empty());
}

} // namespace troupe::tests::packed_record_test
