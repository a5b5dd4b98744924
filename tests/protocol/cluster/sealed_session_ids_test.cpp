// Session ids that name their owner.

#include "protocol/cluster/sealed_session_ids.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::sealed_session_ids_test {

using namespace protocol;

namespace {

/// A seal that depends on every character of the text, and on the key.
random_bytes seal(std::uint8_t key, std::string_view text) {
  random_bytes result{};
  for (std::size_t i = 0; i < text.size(); ++i)
    result[i % result.size()] ^= static_cast<std::byte>(text[i] + key + static_cast<int>(i));
  return result;
}

sealed_session_ids::sealer sealer(std::vector<std::uint8_t> keys) {
  return [keys](std::string_view text) {
    std::vector<random_bytes> result;
    for (auto key : keys)
      result.push_back(seal(key, text));
    return result;
  };
}

const random_bytes some{std::byte{0xAB}, std::byte{1}};
const node_life life{0x0123456789abcdefU, 7};

} // namespace

TEST(sealed_session_ids, names_its_owner_and_is_a_valid_session_id) {
  sealed_session_ids ids{sealer({1})};
  auto id = ids.make(some, life);
  EXPECT_TRUE(valid_session_id(id));
  EXPECT_EQ(id.size(), 96u);
  EXPECT_EQ(id.substr(0, 64), "ab0100000000000000000000000000000123456789abcdef0000000000000007");
  EXPECT_EQ(ids.owner(id), life);
}

TEST(sealed_session_ids, differs_with_what_it_is_made_from) {
  sealed_session_ids ids{sealer({1})};
  EXPECT_NE(ids.make(some, life), ids.make({}, life));
  EXPECT_NE(ids.make(some, life), ids.make(some, {life.node, 8}));
}

TEST(sealed_session_ids, of_another_cluster_is_nobodys) {
  EXPECT_EQ(sealed_session_ids{sealer({2})}.owner(sealed_session_ids{sealer({1})}.make(some, life)), std::nullopt);
}

TEST(sealed_session_ids, is_made_with_the_first_key_and_known_by_each) {
  const auto old_id = sealed_session_ids{sealer({1})}.make(some, life);
  const auto new_id = sealed_session_ids{sealer({2})}.make(some, life);
  EXPECT_EQ((sealed_session_ids{sealer({1, 2})}.make(some, life)), old_id);
  EXPECT_EQ((sealed_session_ids{sealer({2, 1})}.make(some, life)), new_id);
  for (const auto& keys : {std::vector<std::uint8_t>{1, 2}, {2, 1}}) {
    EXPECT_EQ(sealed_session_ids{sealer(keys)}.owner(old_id), life);
    EXPECT_EQ(sealed_session_ids{sealer(keys)}.owner(new_id), life);
  }
  EXPECT_EQ((sealed_session_ids{sealer({3, 2})}.owner(old_id)), std::nullopt);
}

TEST(sealed_session_ids, is_nobodys_when_a_single_digit_is_forged) {
  sealed_session_ids ids{sealer({1})};
  auto id = ids.make(some, life);
  for (auto& c : id) {
    auto before = std::exchange(c, c == '0' ? '1' : '0');
    EXPECT_EQ(ids.owner(id), std::nullopt);
    c = before;
  }
}

TEST(sealed_session_ids, is_nobodys_when_it_is_shorter_or_longer) {
  sealed_session_ids ids{sealer({1})};
  auto id = ids.make(some, life);
  for (auto& other : {std::string{}, id.substr(1), id.substr(0, 95), id + "0", std::string(96, 'x')})
    EXPECT_EQ(ids.owner(other), std::nullopt) << other;
}

TEST(sealed_session_ids, shows_the_life_that_it_names) {
  EXPECT_EQ(life_named_by(sealed_session_ids{sealer({1})}.make(some, life)), life_text(life));
  EXPECT_EQ(life_named_by("x"), "");
}

TEST(node_life, reads_only_what_it_writes) {
  EXPECT_EQ(life_text(life), "0123456789abcdef0000000000000007");
  EXPECT_EQ(read_life(life_text(life)), life);
  for (auto bad :
       {"", "0123456789abcdef000000000000000", "0123456789abcdef00000000000000070", "0123456789ABCDEF0000000000000007",
        "0123456789abcdef 000000000000007", "0123456789abcdef-000000000000007", "0x23456789abcdef0000000000000007"})
    EXPECT_EQ(read_life(bad), std::nullopt) << bad;
}

} // namespace troupe::tests::sealed_session_ids_test
