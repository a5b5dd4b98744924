#include "protocol/access/access_key.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::access_key_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

const std::string hash(64, 'a');
const std::string other(64, 'b');

calendar_time at(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  return sys_days{std::chrono::year{year} / month / day};
}

std::vector<access_key> keys(const std::string& text) {
  auto read = read_key_file(text);
  return std::holds_alternative<bad_key_line>(read) ? std::vector<access_key>{}
                                                    : std::get<std::vector<access_key>>(read);
}

std::size_t bad_line(const std::string& text) {
  auto read = read_key_file(text);
  return std::holds_alternative<bad_key_line>(read) ? std::get<bad_key_line>(read).line : 0;
}

} // namespace

TEST(access_key, is_a_line_of_a_file) {
  const access_key full{"ann@x", hash, {"tools:read", "tools:call"}, at(2027, 1, 31) + 12h};
  EXPECT_EQ(key_line(full), "ann@x sha256:" + hash + " tools:read,tools:call 2027-01-31T12:00:00Z");
  const access_key plain{"bob", other};
  EXPECT_EQ(key_line(plain), "bob sha256:" + other + " - -");
  EXPECT_EQ(keys("# keys\n\n" + key_line(full) + "\r\n  " + key_line(plain)), (std::vector{full, plain}));
  EXPECT_EQ(keys(""), std::vector<access_key>{});
}

TEST(access_key, expires_at_the_end_of_a_date_or_at_a_time) {
  EXPECT_EQ(read_expiry("2027-01-31"), at(2027, 2, 1));
  EXPECT_EQ(read_expiry("2028-02-29T23:59:59Z"), at(2028, 3, 1) - 1s);
  EXPECT_EQ(utc_text(at(2027, 2, 1) + 1s), "2027-02-01T00:00:01Z");
  for (auto text : {"", "-", "2027", "2027-02-29", "2027-13-01", "2027-00-01", "2027-01-00", "2027/01/01", "20x7-01-01",
                    "2027-01-01T24:00:00Z", "2027-01-01T23:60:00Z", "2027-01-01T23:00:60Z", "2027-01-01 23:00:00Z",
                    "2027-01-01T23:00:00+", "2027-01-01T23:00:00", "2027-1-1"})
    EXPECT_EQ(read_expiry(text), std::nullopt) << text;
}

TEST(access_key, names_the_line_that_is_none) {
  const auto good = "a sha256:" + hash + " - -\n";
  EXPECT_EQ(bad_line(good), 0U);
  for (auto& bad : {std::string{"b"}, "b sha256:" + other, "b sha256:" + other + " -", "b sha256:" + other + " - - -",
                    "b sha1:" + other + " - -", "b sha256:" + other.substr(1) + " - -",
                    "b sha256:" + std::string(64, 'B') + " - -", "b! sha256:" + other + " - -",
                    "- sha256:" + other + " - -", "b sha256:" + other + " \"x - ", "b sha256:" + other + " - tomorrow"})
    EXPECT_EQ(bad_line(good + bad), 2U) << bad;
}

TEST(access_key, has_a_name_and_a_hash_of_its_own) {
  const auto good = "a sha256:" + hash + " - -\n";
  EXPECT_EQ(bad_line(good + "a sha256:" + other + " - -"), 2U);
  EXPECT_EQ(bad_line(good + "b sha256:" + hash + " - -"), 2U);
}

TEST(access_key, has_a_name_of_at_most_64_characters) {
  EXPECT_TRUE(is_key_name(std::string(64, 'n')));
  EXPECT_FALSE(is_key_name(std::string(65, 'n')));
  EXPECT_FALSE(is_key_name(""));
}

} // namespace troupe::tests::access_key_test
