// Limits on messages that wait for servers to initialize.

#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::catalog_waiting_test {

namespace {

const std::string why = "Too much waits for servers to start";

std::string big(std::string id, std::string tool, std::size_t size) {
  auto text = request(id, "tools/call", named(tool, R"(,"arguments":{"a":""})"));
  return text.insert(text.find("\"\"}") + 1, std::string(size - text.size(), 'a'));
}

/// Ready servers, and one that was not used yet.
std::vector<catalog_server> five_and_an_idle_one() {
  std::vector<catalog_server> result;
  for (std::uint64_t id = 1; id <= 5; ++id)
    result.push_back(fresh(id, "s" + std::to_string(id)));
  result.push_back(configured(6, "idle"));
  return result;
}

catalog_limits narrow(std::size_t bytes) { return {.waiting_bytes = bytes}; }

bool is_refused(const catalog_effects& all, std::string id) {
  return all == catalog_effects{client(error_text(id, -32603, why))};
}

} // namespace

TEST(catalog_waiting, does_not_count_calls_of_servers_that_are_ready) {
  catalog_driver t{five_and_an_idle_one()};
  t.opened();
  auto size = std::size_t{7} * 512 * 1024;
  auto seen = t.says(big("9", "s3__x", size));
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(std::get<send_to_member>(seen.front()).server, 3U);
  EXPECT_EQ(t.says(big("10", "idle__x", size)), (catalog_effects{greets(6, "8")}));
}

TEST(catalog_waiting, is_bounded_in_bytes) {
  std::size_t size = 500, at_server = size - std::string{"idle__"}.size();
  for (auto spare : {0U, 1U, 2U}) {
    catalog_driver t{five_and_an_idle_one(), narrow(2 * at_server - 1 + spare)};
    t.opened();
    EXPECT_FALSE(is_refused(t.says(big("9", "idle__x", size)), "9"));
    EXPECT_EQ(is_refused(t.says(big("10", "idle__x", size)), "10"), spare == 0) << spare;
  }
}

TEST(catalog_waiting, counts_a_list_once_for_each_server_that_it_waits_for) {
  auto size = request("9", "tools/list").size();
  for (auto spare : {0U, 1U, 2U}) {
    catalog_driver t{{configured(1, "a"), fresh(2, "b"), configured(3, "c")}, narrow(2 * size - 1 + spare)};
    t.opened();
    EXPECT_EQ(is_refused(t.says(request("9", "tools/list")), "9"), spare == 0) << spare;
  }
}

TEST(catalog_waiting, is_free_again_when_the_servers_are_ready_or_calls_are_cancelled) {
  std::size_t size = 500;
  catalog_driver t{five_and_an_idle_one(), narrow(size)};
  t.opened();
  t.says(big("9", "idle__x", size));
  EXPECT_TRUE(is_refused(t.says(big("10", "idle__x", size)), "10"));
  t.says(cancelled("9"));
  t.says(big("10", "idle__x", size));
  EXPECT_TRUE(is_refused(t.says(big("11", "idle__x", size)), "11"));
  t.server(6, result("7", can_all));
  EXPECT_FALSE(is_refused(t.says(big("11", "idle__x", size)), "11"));
}

TEST(catalog_waiting, counts_a_call_whose_server_is_being_looked_for) {
  auto plain = [](std::uint64_t id, std::string name) {
    auto one = configured(id, std::move(name));
    one.prefix.clear();
    return one;
  };
  std::size_t size = 500, search = std::string{R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"}.size();
  for (auto spare : {0U, 1U, 2U}) {
    catalog_driver t{{plain(1, "a"), plain(2, "b")}, narrow(search + 2 * size - 1 + spare)};
    t.opened();
    t.says(big("9", "x", size));
    EXPECT_EQ(is_refused(t.says(big("10", "x", size)), "10"), spare == 0) << spare;
  }
}

TEST(catalog_waiting, is_refused_for_now_when_a_server_cannot_start_for_want_of_descriptors) {
  catalog_driver t{five_and_an_idle_one()};
  t.opened();
  t.says(request("9", "tools/call", named("idle__x")));
  const auto told = t.lacks(6, "the gateway is out of descriptors");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(std::get<send_to_client>(told.front()).what.is_shortage);
  EXPECT_EQ(std::get<send_to_client>(told.front()).what.id, "9");
  t.says(request("10", "tools/call", named("idle__x")));
  EXPECT_FALSE(std::get<send_to_client>(t.lost(6).front()).what.is_shortage);
}

} // namespace troupe::tests::catalog_waiting_test
