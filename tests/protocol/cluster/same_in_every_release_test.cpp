// Texts that nodes of different releases exchange through clients and the store. They must not change, so that a
// cluster can be updated node by node. If a text has to change, a release must read both forms before any release
// writes the new one.

#include "protocol/cluster/sealed_session_ids.hpp"
#include "protocol/delivery/event_store.hpp"
#include "protocol/modern_client/lease_key.hpp"
#include "protocol/modern_client/request_state.hpp"
#include "protocol/session/session_record.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests::same_in_every_release_test {

using namespace protocol;

namespace {

constexpr const char* record =
    R"({"format":2,"path":"a\"b","initialize":{"jsonrpc":"2.0","id":"i","method":"initialize"},)"
    R"("version":"2025-11-25","initialized":true,"level":"warning","subscriptions":["file:///a","x:\"\\\né"],)"
    R"("life":3,"owner":"2:as3:ann0:"})";

/// A seal of a cluster's size, without a secret key.
std::vector<random_bytes> first_bytes(std::string_view text) {
  random_bytes result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::byte>(text[i]);
  return {result};
}
std::vector<std::string> size_of(std::string_view text) { return {std::to_string(text.size())}; }

} // namespace

TEST(same_in_every_release, the_record_of_a_session) {
  session_record one{.path = "a\"b", .initialize = R"({"jsonrpc":"2.0","id":"i","method":"initialize"})"};
  one.version = "2025-11-25";
  one.initialized = true;
  one.level = "warning";
  one.subscriptions = {"file:///a", "x:\"\\\né"};
  one.life = 3;
  one.owner = "2:as3:ann0:";
  EXPECT_EQ(record_text(one), record);
  EXPECT_EQ(read_record(record), one);
}

TEST(same_in_every_release, what_a_stream_is_for) {
  EXPECT_EQ(stream_role_text({.listens = true}), R"({"listens":true})");
  EXPECT_EQ(stream_role_text({.answers = {"7", "\"a\""}}), R"({"answers":[7,"a"]})");
}

TEST(same_in_every_release, the_id_of_a_session) {
  const random_bytes random{std::byte{0xAB}, std::byte{1}};
  const node_life life{0x0123456789abcdefU, 7};
  const std::string id =
      "ab0100000000000000000000000000000123456789abcdef000000000000000761623031303030303030303030303030";
  EXPECT_EQ(sealed_session_ids{first_bytes}.make(random, life), id);
  EXPECT_EQ(sealed_session_ids{first_bytes}.owner(id), life);
}

TEST(same_in_every_release, the_id_of_an_event) {
  const auto tag = event_tag("0123456789abcdef0123456789abcdef");
  EXPECT_EQ(event_id_text(tag, {7, 12}), "86d04db5-7-12");
}

TEST(same_in_every_release, the_state_of_a_request) {
  const request_state one{.lease = "0123456789abcdef/2", .call = 12, .round = 3};
  const std::string text = "MDEyMzQ1Njc4OWFiY2RlZi8y.12.3.29";
  EXPECT_EQ(sealed_request_state(one, size_of), text);
  EXPECT_EQ(read_request_state(text, size_of), one);
  EXPECT_EQ(lease_of_request_state(text), one.lease);
}

TEST(same_in_every_release, the_key_of_a_lease) {
  client_profile all{true, true, true, true, true, true};
  EXPECT_EQ(shared_lease_key("files", "2:as3:ann0:", all, "handle").text, "lease 5:files11:2:as3:ann0:6:handlefustcr");
  EXPECT_EQ(shared_lease_key("", "", {}, "").text, "lease 0:0:0:");
}

} // namespace troupe::tests::same_in_every_release_test
