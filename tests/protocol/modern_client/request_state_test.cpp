#include "protocol/modern_client/request_state.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::request_state_test {

using namespace protocol;

namespace {

/// Seals with each of these keys. A change of any byte changes the seal.
state_seal state_seal_of(std::vector<std::string> keys) {
  return [keys](std::string_view text) {
    std::vector<std::string> result;
    for (auto& key : keys)
      result.push_back(std::to_string(std::hash<std::string>{}(key + std::string{text}) | 1ULL << 63U));
    return result;
  };
}

const state_seal anns = state_seal_of({"ann"});

} // namespace

TEST(request_state, gives_back_what_was_sealed) {
  for (auto& lease : {std::string{"a"}, std::string{"node-1.lease/2"}, std::string{"\"\\ é\n"}, std::string(1, '\0'),
                      std::string(1000, 'x'), std::string{}})
    for (auto number : {0ULL, 1ULL, 18446744073709551615ULL}) {
      request_state state{.lease = lease, .call = number, .round = 7};
      auto text = sealed_request_state(state, anns);
      EXPECT_EQ(read_request_state(text, anns), state);
      EXPECT_EQ(lease_of_request_state(text), lease);
    }
}

TEST(request_state, is_of_letters_that_need_no_escape) {
  auto text = sealed_request_state({.lease = "\"\\ é\n?>?>?>~~~", .call = 1, .round = 2}, anns);
  EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."), text.npos);
}

TEST(request_state, is_refused_when_any_byte_of_it_was_changed) {
  const auto text = sealed_request_state({.lease = "lease", .call = 12, .round = 3}, anns);
  for (std::size_t at = 0; at < text.size(); ++at)
    for (auto other : {'A', 'b', '0', '.', '-', '\0', '"'}) {
      auto changed = text;
      changed[at] = other;
      EXPECT_TRUE(changed == text || !read_request_state(changed, anns)) << changed;
    }
}

TEST(request_state, is_refused_when_it_was_cut_or_has_more) {
  const auto text = sealed_request_state({.lease = "lease", .call = 12, .round = 3}, anns);
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(read_request_state(text.substr(0, size), anns), std::nullopt) << size;
    EXPECT_EQ(read_request_state(text.substr(text.size() - size), anns), std::nullopt) << size;
  }
  for (auto more : {".", "0", "=", " ", ".0"}) {
    EXPECT_EQ(read_request_state(text + more, anns), std::nullopt) << more;
    EXPECT_EQ(read_request_state(more + text, anns), std::nullopt) << more;
  }
}

TEST(request_state, is_refused_when_it_is_sealed_for_another) {
  auto text = sealed_request_state({.lease = "lease", .call = 1, .round = 1}, anns);
  EXPECT_EQ(read_request_state(text, state_seal_of({"bob"})), std::nullopt);
  EXPECT_EQ(lease_of_request_state(text), "lease");
}

TEST(request_state, is_sealed_with_the_first_key_and_opened_with_each) {
  auto text = sealed_request_state({.lease = "lease", .call = 1, .round = 1}, state_seal_of({"old", "new"}));
  EXPECT_EQ(text, sealed_request_state({.lease = "lease", .call = 1, .round = 1}, state_seal_of({"old"})));
  for (auto& keys : {std::vector<std::string>{"old", "new"}, {"new", "old"}})
    EXPECT_NE(read_request_state(text, state_seal_of(keys)), std::nullopt);
  EXPECT_EQ(read_request_state(text, state_seal_of({"new"})), std::nullopt);
}

TEST(request_state, is_refused_when_what_is_sealed_is_no_state) {
  for (std::string text : {"", "a", "bGVhc2U", "bGVhc2U.1", "bGVhc2U.1.", "bGVhc2U.1.2.3", "bGVhc2U.01.2",
                           "bGVhc2U.-1.2", "bGVhc2U.1.18446744073709551616", "b.1.2", "?.1.2"})
    EXPECT_EQ(read_request_state(text + "." + anns(text).front(), anns), std::nullopt) << text;
  EXPECT_NE(read_request_state("bGVhc2U.1.2." + anns("bGVhc2U.1.2").front(), anns), std::nullopt);
}

/// States of other servers: JSON web tokens, itsdangerous, iron, Fernet, Express cookies, plain base64 and numbers.
TEST(request_state, names_no_lease_when_it_has_another_form) {
  for (auto text : {"",
                    "x",
                    "bGVhc2U",
                    "b.1.2.3",
                    "?.1",
                    "b\"GVhc2U.1",
                    "bGVhc2U.1",
                    "bGVhc2U.1.2",
                    "bGVhc2U.1.2.",
                    "bGVhc2U.01.2.x",
                    "bGVhc2U.1.2.3.x",
                    "bGVhc2U.x",
                    "bGVhc2U.c2ln",
                    "eyJhbGciOiJIUzI1NiJ9.eyJzIjoxfQ.dBjftJeZ4CVPmB92K27uhbUJU1p1r",
                    "eyJzIjoxfQ.aSfbHQ.Zy1xbVZ0",
                    "Fe26.2**0cdd607945dd1dffb7da0b0bf5f1a7daa6218cbae14cac51dcbd91fb077aeb5b*aOZLCKLhCt0D5IU1qLTtYw*"
                    "g0ilNDlQ3TsdFUqJCqAm9iL7Wa60H7eYcHL_5oP136TOJREkS3BzheDC1dlxz5oJ**05b8943049af490e913bbc3a2485b",
                    "gAAAAABlT3s=",
                    "s:bGVhc2U.x/y+z",
                    "1.2.3.4",
                    "v4.local.cGF5bG9hZA.Zm9vdA",
                    "12.7.3"})
    EXPECT_EQ(lease_of_request_state(text), "") << text;
}

TEST(request_state, is_bounded) {
  auto seal = [](std::string_view) { return std::vector{std::string(20, 's')}; };
  // Without `.1.1.` and the seal, 4096 bytes leave room for 3053 bytes before base64.
  for (auto size : {3052U, 3053U, 3054U}) {
    auto text = sealed_request_state({.lease = std::string(size, 'x'), .call = 1, .round = 1}, seal);
    EXPECT_EQ(read_request_state(text, seal).has_value(), size <= 3053) << text.size();
    EXPECT_EQ(lease_of_request_state(text).empty(), size > 3053) << text.size();
  }
}

} // namespace troupe::tests::request_state_test
