// Refusals of POSTs by scope, and the resources that a client may listen to.

#include "protocol/access/item_authorizer.hpp"
#include "protocol/access/uri_readings.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace troupe::tests::entry_scopes_test {

using namespace protocol;

namespace {

std::shared_ptr<const permissions> rules_of_staff() {
  return std::make_shared<const permissions>(
      access_rule{}, std::vector<named_rule>{{offered::resource, "file:///etc/*", {.groups = {"staff"}}}});
}

const principal reader{.issuer = "as", .subject = "ann", .scopes = {"read"}};
const principal writer{.issuer = "as", .subject = "bob", .scopes = {"write"}, .groups = {"staff"}};

message request(const std::string& method, const std::string& params) {
  auto text = R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}";
  return std::get<message>(read_message(std::move(text)));
}

/// The items of one server, under their own names.
guarded_items own(std::shared_ptr<const permissions> rules) {
  return [rules](const named_item& shown) { return std::vector<guarded_item>{{shown.name, rules}}; };
}

guarded_items under_prefix(std::shared_ptr<const permissions> rules) {
  return [rules](const named_item& shown) {
    return shown.name.starts_with("s__") ? std::vector<guarded_item>{{shown.name.substr(3), rules}}
                                         : std::vector<guarded_item>{};
  };
}

/// The scopes in a challenge.
std::string scopes_in(const std::optional<rejection>& why) {
  return why && why->status == 403 ? why->text : std::string{};
}

std::string lacked(std::vector<message> messages, const principal& who) {
  auto needs_two = std::make_shared<const permissions>(
      access_rule{.scopes = {"mcp"}}, std::vector<named_rule>{{offered::tool, "write_*", {.scopes = {"write"}}},
                                                              {offered::tool, "drop", {.scopes = {"admin"}}},
                                                              {offered::tool, "hidden", {.names = {"eve"}}}});
  return scopes_in(refuse_entry({std::move(messages), false}, under_prefix(needs_two), who, {}));
}

message call(const std::string& tool) { return request("tools/call", R"({"name":")" + tool + "\"}"); }

} // namespace

TEST(refused_entry, names_all_scopes_that_the_requests_need) {
  const principal has_one{.issuer = "as", .subject = "ann", .scopes = {"mcp"}};
  EXPECT_EQ(lacked({call("s__write_x")}, has_one), "this needs the scopes mcp write");
  EXPECT_EQ(lacked({call("s__write_x"), call("s__read"), call("s__drop")}, has_one),
            "this needs the scopes mcp write admin");
  EXPECT_EQ(lacked({call("s__read")}, has_one), "");
}

TEST(refused_entry, names_no_scopes_where_none_would_help) {
  const principal has_none{.issuer = "as", .subject = "ann"};
  EXPECT_EQ(lacked({call("s__hidden")}, has_none), "");
  EXPECT_EQ(lacked({call("write_x")}, has_none), "");
  EXPECT_EQ(lacked({request("tools/list", "{}")}, has_none), "");
}

// -- listened resources ------------------------------------------------------------------

namespace {

std::string many_uris(std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i)
    result.append(result.empty() ? "" : ",").append(R"("file:///etc/a")");
  return result;
}

std::string listens(const std::string& notifications, const principal& who) {
  auto told = without_hidden_subscriptions(
      request("subscriptions/listen", R"({"notifications":)" + notifications + "}"), own(rules_of_staff()), who);
  return std::string{find_member(told.text, {"params", "notifications"}).value_or("")};
}

} // namespace

// 2026-07-28, subscriptions
TEST(hidden_subscriptions, are_left_out) {
  EXPECT_EQ(listens(R"({"resourceSubscriptions":["file:///etc/a","x:y","file:///etc/b"]})", reader),
            R"({"resourceSubscriptions":["x:y"]})");
  EXPECT_EQ(
      listens(R"({"resourceSubscriptions":["file:///etc/a"],"resourceSubscriptions":["file://%2Fetc/b"]})", reader),
      R"({"resourceSubscriptions":[],"resourceSubscriptions":[]})");
  EXPECT_EQ(listens(R"({"resourceSubscriptions":["file:///etc/a"]})", writer),
            R"({"resourceSubscriptions":["file:///etc/a"]})");
  EXPECT_EQ(listens(R"({"resourceSubscriptions":[7]})", reader), R"({"resourceSubscriptions":[7]})");
  EXPECT_EQ(listens(R"({"toolsListChanged":true})", reader), R"({"toolsListChanged":true})");
}

TEST(hidden_subscriptions, are_looked_for_among_so_many) {
  EXPECT_EQ(listens(R"({"resourceSubscriptions":[)" + many_uris(most_named) + "]}", reader),
            R"({"resourceSubscriptions":[]})");
}

TEST(hidden_subscriptions, are_no_others) {
  auto other = request("resources/subscribe", R"({"uri":"file:///etc/a"})");
  EXPECT_EQ(without_hidden_subscriptions(other, {}, reader), other);
}

TEST(refused_entry, names_scopes_of_what_is_listened_to) {
  auto rules = std::make_shared<const permissions>(
      access_rule{}, std::vector<named_rule>{{offered::resource, "x:*", {.scopes = {"watch"}}}});
  auto listen = request("subscriptions/listen", R"({"notifications":{"resourceSubscriptions":["a:b","x:y"]}})");
  EXPECT_EQ(scopes_in(refuse_entry({{listen}, false}, own(rules), reader, {})), "this needs the scopes watch");
  auto empty = request("subscriptions/listen", "{}");
  EXPECT_EQ(refuse_entry({{empty}, false}, own(rules), reader, {}), std::nullopt);
}

namespace {

std::shared_ptr<const permissions> rules_with(std::size_t patterns) {
  std::vector<named_rule> all;
  for (std::size_t i = 0; i < patterns; ++i)
    all.push_back({offered::resource, "*x" + std::to_string(i) + "*", {.groups = {"staff"}}});
  return std::make_shared<const permissions>(access_rule{}, std::move(all));
}

/// Checks a POST with so many requests for the URI.
std::optional<rejection> read(const std::string& uri, std::size_t count, std::size_t patterns = 100) {
  std::vector<message> all(count, request("resources/read", R"({"uri":")" + uri + "\"}"));
  return refuse_entry({std::move(all), count > 1}, own(rules_with(patterns)), reader, {});
}

std::string with_escapes(std::size_t size) {
  std::string result = "file:///a";
  while (result.size() < size)
    result += "%2e%2e%5c";
  return result;
}

} // namespace

// A single POST may use its thread for this long at most, whatever the number of its requests.
TEST(refused_entry, is_a_batch_whose_uris_have_too_many_readings) {
  const auto uri = with_escapes(4000);
  ASSERT_EQ(read(uri, 1), std::nullopt);
  const auto why = read(uri, max_batch);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->status, 400);
  EXPECT_EQ(why->code, error_code::invalid_params);
  EXPECT_EQ(why->text, "Invalid params: what is named may be read in too many ways");
  EXPECT_EQ(why->id, "");
  EXPECT_EQ(read("file:///a/b", max_batch), std::nullopt);
}

TEST(refused_entry, is_one_that_names_too_much) {
  auto listen = [](std::size_t count) {
    return request("subscriptions/listen", R"({"notifications":{"resourceSubscriptions":[)" + many_uris(count) + "]}}");
  };
  auto refuse = [&](std::vector<message> messages, bool is_batch) {
    return refuse_entry({std::move(messages), is_batch}, own(rules_of_staff()), reader, {});
  };
  EXPECT_EQ(refuse({listen(most_named - 1)}, false), std::nullopt);
  EXPECT_EQ(refuse({listen(most_named)}, false), std::nullopt);
  const auto why = refuse({listen(most_named + 1)}, false);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->text, "Invalid params: more is named than may be");
  EXPECT_EQ(why->id, "1");
  EXPECT_EQ(refuse({listen(most_named - 1), listen(1)}, true), std::nullopt);
  EXPECT_TRUE(refuse({listen(most_named - 1), listen(2)}, true));
}

TEST(refused_entry, is_one_that_names_a_thing_again_and_again) {
  auto refuse = [&](const std::string& method, const std::string& params) {
    return refuse_entry({{request(method, params)}, false}, own(rules_of_staff()), reader, {});
  };
  EXPECT_EQ(refuse("resources/read", R"({"uri":"x:a","uri":"x:b"})"), std::nullopt);
  EXPECT_TRUE(refuse("resources/read", R"({"uri":"x:a","uri":"x:b","uri":"x:c"})"));
  EXPECT_EQ(refuse("completion/complete", R"({"ref":{"name":"p","uri":"x:b"}})"), std::nullopt);
}

// A URI of a few bytes may take kilobytes of readings before it is found ambiguous.
TEST(refused_entry, is_one_whose_uris_take_long_to_be_found_unclear) {
  std::string unclear;
  for (std::size_t effort = 0, size = 0; size < 1000 && effort < 10'000; ++size) {
    unclear = "x://U@Hh.:1/a;b/..\\../%2e%2e\\c;d/" + std::string(size, 'a') + "/?q+r%2b#f%00g";
    effort = 0;
    if (readings_of_uri(unclear, &effort))
      effort = 0;
  }
  ASSERT_FALSE(readings_of_uri(unclear));
  std::string uris;
  for (std::size_t i = 0; i < most_named; ++i)
    uris.append(uris.empty() ? "" : ",").append(protocol::quoted(unclear));
  const auto listen = request("subscriptions/listen", R"({"notifications":{"resourceSubscriptions":[)" + uris + "]}}");
  const auto start = std::clock();
  const auto why = refuse_entry({{listen}, false}, own(rules_of_staff()), reader, {});
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->text, "Invalid params: what is named may be read in too many ways");
}

// A name that is too long either matches no item at the server, or the request is refused.
TEST(refused_entry, is_none_with_names_that_are_too_long_to_be_judged) {
  EXPECT_EQ(read(with_escapes(2 * longest_named), max_batch), std::nullopt);
}

} // namespace troupe::tests::entry_scopes_test
