#include "protocol/modern_client/lease_key.hpp"

#include "protocol/modern_client/request_state.hpp"
#include "tests/support/protocol_effects.hpp"
#include "tests/support/session_driver.hpp"

#include <set>

namespace troupe::tests::lease_key_test {

namespace {

std::optional<lease_key> key_by(lease_affinity affinity, std::string owner, std::string handle = "") {
  request_envelope envelope{.version = "2026-07-28"};
  envelope.affinity = std::move(handle);
  return lease_key_by(affinity, "files", owner, envelope);
}

} // namespace

TEST(lease_key, keeps_those_apart_whose_roots_servers_may_learn) {
  const auto roots = read_profile(R"({"roots":{}})");
  EXPECT_NE(lease_owner("me", true, roots), lease_owner("me", false, roots));
  EXPECT_EQ(lease_owner("me", false, roots), "me");
  EXPECT_EQ(lease_owner("me", true, {}), "me");
}

TEST(lease_key, differs_with_each_of_its_parts) {
  client_profile forms{.form = true};
  std::set<lease_key> keys{shared_lease_key("a", "b", {}),      shared_lease_key("b", "a", {}),
                           shared_lease_key("ab", "", {}),      shared_lease_key("", "ab", {}),
                           shared_lease_key("a", "b", forms),   shared_lease_key("a", "b", {}, "c"),
                           shared_lease_key("a", "b", {}, "d"), shared_lease_key("a", "", {}, "b")};
  EXPECT_EQ(keys.size(), 8u);
}

TEST(lease_key, is_the_callers_unless_a_server_wants_it_otherwise) {
  EXPECT_EQ(key_by(lease_affinity::principal, "me"), shared_lease_key("files", "me", {}));
  EXPECT_EQ(key_by(lease_affinity::principal, "me", "handle"), shared_lease_key("files", "me", {}));
  EXPECT_EQ(key_by(lease_affinity::none, "me"), std::nullopt);
}

TEST(lease_key, takes_the_handle_where_servers_go_by_it) {
  EXPECT_EQ(key_by(lease_affinity::header, "me", "a"), shared_lease_key("files", "me", {}, "a"));
  EXPECT_NE(key_by(lease_affinity::header, "me", "a"), key_by(lease_affinity::header, "you", "a"));
  EXPECT_EQ(key_by(lease_affinity::header, "me"), std::nullopt);
}

TEST(lease_affinity, keeps_apart_what_any_of_several_servers_wants_apart) {
  using enum lease_affinity;
  EXPECT_EQ(joined(none, none), none);
  EXPECT_EQ(joined(none, principal), principal);
  EXPECT_EQ(joined(header, principal), header);
  EXPECT_EQ(joined(none, header), header);
}

TEST(retry, names_its_lease_by_its_state) {
  auto named = [](std::string params) {
    return lease_of_retry(gateway_message(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)" + params + "}"));
  };
  auto seal = [](std::string_view) { return std::vector<std::string>{"00"}; };
  auto state = sealed_request_state({.lease = "l1", .call = 3, .round = 1}, seal);
  EXPECT_EQ(named(R"({"name":"t","requestState":")" + state + R"("})"), "l1");
  EXPECT_EQ(named(R"({"request\u0053tate":")" + state + R"("})"), "l1");
  EXPECT_EQ(named(R"({"arguments":{"requestState":")" + state + R"("}})"), "");
  EXPECT_EQ(named(R"({"requestState":7})"), "");
  EXPECT_EQ(named(R"({"requestState":"of another server"})"), "");
  EXPECT_EQ(named("{}"), "");
}

TEST(retry, has_an_own_state_by_its_seal_alone) {
  auto seal_of = [](std::string key) { return [key](std::string_view) { return std::vector{key}; }; };
  auto state = sealed_request_state({.lease = "l1", .call = 3, .round = 1}, seal_of("ours"));
  auto retry =
      gateway_message(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"requestState":")" + state + R"("}})");
  EXPECT_TRUE(has_own_state(retry, seal_of("ours")));
  EXPECT_FALSE(has_own_state(retry, seal_of("theirs")));
  EXPECT_EQ(lease_of_retry(retry), "l1");
  EXPECT_FALSE(
      has_own_state(gateway_message(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}})"), seal_of("ours")));
}

} // namespace troupe::tests::lease_key_test
