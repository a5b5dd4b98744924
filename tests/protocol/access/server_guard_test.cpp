#include "protocol/access/server_guard.hpp"

#include "protocol/message/message.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace troupe::tests::server_guard_test {

using namespace protocol;

namespace {

std::shared_ptr<const permissions> rules() {
  access_rule writers{.scopes = {"write"}}, staff{.groups = {"staff"}};
  return std::make_shared<const permissions>(access_rule{},
                                             std::vector<named_rule>{{offered::tool, "write_*", writers},
                                                                     {offered::tool, "admin", staff},
                                                                     {offered::prompt, "secret", staff},
                                                                     {offered::resource, "file:///etc/*", staff}});
}

const caller nobody;
const auto reader = std::make_shared<const principal>(principal{.issuer = "as", .subject = "ann", .scopes = {"read"}});
const auto writer = std::make_shared<const principal>(
    principal{.issuer = "as", .subject = "bob", .scopes = {"write"}, .groups = {"staff"}});

message request(const std::string& method, const std::string& params, const std::string& id = "1") {
  auto read =
      read_message(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}");
  return std::get<message>(std::move(read));
}

message answer(const std::string& result, const std::string& id = "1") {
  return std::get<message>(read_message(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}"));
}

/// The params that the server gets instead of those of the request; empty when the request is unchanged.
std::string renamed(const std::string& method, const std::string& params, const caller& who) {
  server_guard guard{rules(), "-none"};
  auto what = request(method, params), before = what;
  EXPECT_FALSE(guard.refuse(what, who));
  return what == before ? "" : std::string{find_member(what.text, {"params"}).value_or("")};
}

message seen_by(server_guard& guard, message from_server) {
  return guard.for_client(std::move(from_server), nobody).value();
}

std::string listed(const std::string& method, const std::string& result, const caller& who) {
  server_guard guard{rules(), "-none"};
  auto asked = request(method, "{}");
  EXPECT_FALSE(guard.refuse(asked, who));
  return seen_by(guard, answer(result)).text;
}

std::string whole(const std::string& result) { return answer(result).text; }

} // namespace

TEST(server_guard, asks_for_no_tool_or_prompt_that_the_caller_may_not_use) {
  EXPECT_EQ(renamed("tools/call", R"({"name":"read"})", reader), "");
  EXPECT_EQ(renamed("tools/call", R"({"name":"write_file","arguments":{"name":"write_file"}})", reader),
            R"({"name":"-none1x","arguments":{"name":"write_file"}})");
  EXPECT_EQ(renamed("tools/call", R"({"name":"admin"})", nobody), R"({"name":"-none1x"})");
  EXPECT_EQ(renamed("tools/call", R"({"name":"write_file"})", writer), "");
  EXPECT_EQ(renamed("prompts/get", R"({"name":"secret"})", reader), R"({"name":"-none1x"})");
}

TEST(server_guard, asks_for_no_resource_that_the_caller_may_not_use) {
  for (auto method : {"resources/read", "resources/subscribe", "resources/unsubscribe"}) {
    EXPECT_EQ(renamed(method, R"({"uri":"file:///etc/passwd"})", reader), R"({"uri":"file:///-none1x"})");
    EXPECT_EQ(renamed(method, R"({"uri":"file:///tmp"})", reader), "") << method;
    EXPECT_EQ(renamed(method, R"({"uri":"file:///etc/passwd"})", writer), "") << method;
  }
  EXPECT_EQ(renamed("completion/complete", R"({"ref":{"type":"ref/resource","uri":"file:///etc/{x}"}})", reader),
            R"({"ref":{"type":"ref/resource","uri":"file:///-none1x"}})");
  EXPECT_NE(renamed("completion/complete", R"({"ref":{"type":"ref/prompt","name":"secret"}})", reader), "");
  EXPECT_EQ(renamed("completion/complete", R"({"ref":{"type":"ref/prompt","name":"open"}})", reader), "");
}

// Peers disagree on which of two equal members counts, and some convert other values to names.
TEST(server_guard, is_not_deceived_by_names_of_other_shapes) {
  EXPECT_EQ(renamed("tools/call", R"({"name":"read","name":"admin"})", reader), R"({"name":"read","name":"-none1x"})");
  EXPECT_EQ(renamed("tools/call", R"({"name":"admin","name":"read"})", reader), R"({"name":"-none1x","name":"read"})");
  EXPECT_EQ(renamed("tools/call", R"({"name":"\u0061dmin"})", reader), R"({"name":"-none1x"})");
}

// Servers accept many spellings of the same URI.
TEST(server_guard, is_not_deceived_by_other_ways_to_write_a_uri) {
  for (auto uri : {"file:///etc/passwd?",
                   "file:///etc/passwd#",
                   "file:///x/../etc/passwd",
                   "file:///./etc/passwd",
                   "file:///%65tc/passwd",
                   "file:///%2e%2e/etc/passwd",
                   "file:///etc%2Fpasswd",
                   "FILE:///etc/passwd",
                   "file:/etc/passwd",
                   "file:////etc/passwd",
                   "file:///etc//passwd",
                   "file://localhost/etc/passwd",
                   "file:///x/..//etc/passwd",
                   "file:///etc\\\\passwd",
                   "file:///e\\ttc/passwd",
                   " file:///etc/passwd",
                   "file:///x%2F..%2Fetc%2Fpasswd",
                   "file:///etc/a b",
                   "file:///etc/\\u00e9",
                   "file:///etc/%zz",
                   "file:///x/../etc/passwd?%zz",
                   "file:///x/../etc/passwd#%",
                   "file:///x/../etc/passwd##",
                   "file:///x[/../etc/passwd",
                   "file:/x/../etc/passwd#a#b",
                   "FILE:///etc/passwd#a#b",
                   "file://LOCALHOST/etc/passwd#%",
                   "file:///x/..;y/../etc/passwd;z",
                   "file:\\\\\\\\x\\\\..\\\\etc\\\\passwd?%",
                   "file:///%25%32%65%25%32%65/etc/passwd?%"})
    EXPECT_EQ(renamed("resources/read", std::string{R"({"uri":")"} + uri + "\"}", reader).find("/etc/"),
              std::string::npos)
        << uri;
  for (auto uri : {"file:///tmp/etc/passwd", "file:///etcetera", "note://etc/passwd", "file:///", "x:", "urn:a:b"})
    EXPECT_EQ(renamed("resources/read", std::string{R"({"uri":")"} + uri + "\"}", reader), "") << uri;
}

// The interpretation of these URIs by a server is unknown.
TEST(server_guard, asks_for_no_resource_of_which_it_is_not_known_what_it_is) {
  auto is_hidden = [](const std::string& uri, const std::shared_ptr<const permissions>& by) {
    server_guard guard{by, "-none"};
    auto what = request("resources/read", R"({"uri":")" + uri + "\"}");
    guard.refuse(what, writer);
    return what.text.find("-none") != std::string::npos;
  };
  auto of_tools = std::make_shared<const permissions>(
      access_rule{}, std::vector<named_rule>{{offered::tool, "x", {.groups = {"staff"}}}});
  for (auto uri :
       {"", "x", ":", "%", "/etc/passwd", "../etc/passwd", "1:x", "file:etc/passwd", "file:../etc/passwd",
        "http://0x7f.1/x", "file://host/x", "http://1.2/x", "https://\u00e9.example/x", "http://[::ffff:1.2.3.4]/"}) {
    EXPECT_TRUE(is_hidden(uri, rules())) << uri;
    EXPECT_FALSE(is_hidden(uri, of_tools)) << uri;
  }
  EXPECT_TRUE(is_hidden("x://U@H:080" + std::string(2000, '/') + "%2e;a/../%00?%41#%42", rules()));
  EXPECT_FALSE(is_hidden("file:///a%20b/../" + std::string(7000, 'x') + "?%41#%42", rules()));
  for (auto uri : {"http://127.0.0.1:80/x", "http://[::1]/x", "note:x", "x:\u00e9", "file:///x"})
    EXPECT_FALSE(is_hidden(uri, rules())) << uri;
}

// A server may compare methods without regard to case or blanks.
TEST(server_guard, judges_what_may_be_taken_for_another_method) {
  auto refusal = [](const std::shared_ptr<const permissions>& by, const std::string& method) {
    server_guard guard{by, "-none"};
    auto what = request(method, R"({"name":"admin"})");
    auto refused = guard.refuse(what, reader);
    return refused ? refused->text : "";
  };
  auto server_alone = std::make_shared<const permissions>(access_rule{.scopes = {"read"}}, std::vector<named_rule>{});
  for (auto method : {"tools/call ", "Tools/Call", "tools/drop", "resources/Read"}) {
    auto why = R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: )" + std::string{method};
    EXPECT_EQ(refusal(rules(), method), why + "\"}}");
    EXPECT_EQ(refusal(server_alone, method), "");
  }
  EXPECT_EQ(refusal(rules(), "x/custom"), "");
}

// Go's encoding/json uses the last member whose name is equal except for its case.
TEST(server_guard, takes_no_names_in_other_letters) {
  server_guard guard{rules(), "-none"};
  auto call = request("tools/call", R"({"name":"read","Name":"admin"})");
  auto refused = guard.refuse(call, reader);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->text.find("-32600"), std::string::npos);
}

TEST(server_guard, judges_a_call_without_an_id_as_well) {
  server_guard guard{rules(), "-none"};
  auto call = gateway_message(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"admin"}})");
  EXPECT_FALSE(guard.refuse(call, reader));
  EXPECT_EQ(call.text, R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"-none1x"}})");
}

TEST(server_guard, takes_names_that_are_texts_of_some_length) {
  auto refusal = [](const std::string& name) {
    server_guard guard{rules(), "-none"};
    auto what = request("tools/call", "{\"name\":" + name + "}");
    auto refused = guard.refuse(what, writer);
    return refused ? refused->text : "";
  };
  const std::string why =
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: a name is too long, or no text"}})";
  EXPECT_EQ(refusal(R"(["admin"])"), why);
  EXPECT_EQ(refusal("7"), why);
  EXPECT_EQ(refusal('"' + std::string(longest_named - 2, 'x') + '"'), "");
  EXPECT_EQ(refusal('"' + std::string(longest_named - 1, 'x') + '"'), why);
}

TEST(server_guard, judges_so_many_names_of_one_request) {
  auto refusal = [](std::size_t count) {
    std::string names;
    for (std::size_t i = 0; i < count; ++i)
      names.append(names.empty() ? "" : ",").append(R"("name":"x")");
    server_guard guard{rules(), "-none"};
    auto what = request("tools/call", "{" + names + "}");
    auto refused = guard.refuse(what, writer);
    return refused ? refused->text : "";
  };
  EXPECT_EQ(refusal(most_named), "");
  EXPECT_EQ(
      refusal(most_named + 1),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: more is named than may be"}})");
}

// Neither the length of a message nor the number of hidden names is limited.
TEST(server_guard, looks_through_a_message_once_however_many_names_are_hidden) {
  const std::string none = "0123456789abcdef0123456789abcdef";
  server_guard guard{rules(), none};
  for (std::size_t i = 1; i < server_guard::most_awaited; ++i) {
    auto asked = request("tools/call", R"({"name":"admin"})", std::to_string(i));
    ASSERT_FALSE(guard.refuse(asked, reader));
  }
  std::string data, expected;
  while (data.size() < std::size_t{5} << 20) {
    const auto rest = none + " " + none + "7" + none + "x " + none + "5000x ";
    data += none + "7x" + rest;
    expected += "admin" + rest;
  }
  auto log = [](const std::string& text) {
    return R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":")" + text + "\"}}";
  };
  const auto begun = std::clock();
  const auto shown = seen_by(guard, gateway_message(log(data)));
  EXPECT_LT((std::clock() - begun) / CLOCKS_PER_SEC, 10);
  EXPECT_TRUE(shown.text == log(expected));
}

TEST(server_guard, gives_names_back_up_to_so_many_bytes) {
  server_guard guard{rules(), "-none"};
  const auto name = "write_" + std::string(8000, 'x');
  auto asked = request("tools/call", R"({"name":")" + name + "\"}");
  guard.refuse(asked, reader);
  std::string data;
  for (int i = 0; i < 1000; ++i)
    data += "-none1x ";
  const auto shown = seen_by(guard, answer("{\"content\":\"" + data + "\"}"));
  EXPECT_GT(shown.text.size(), std::size_t{4000000});
  EXPECT_LT(shown.text.size(), std::size_t{4300000});
  EXPECT_NE(shown.text.find(name + " -none1x"), std::string::npos);
}

// Two names that a server has joined.
TEST(server_guard, gives_back_what_is_there_as_a_whole) {
  auto rules_of_x = std::make_shared<const permissions>(
      access_rule{}, std::vector<named_rule>{{offered::resource, "x:*", {.groups = {"no"}}},
                                             {offered::tool, "t", {.groups = {"no"}}}});
  server_guard guard{rules_of_x, "-none"};
  auto tool = request("tools/call", R"({"name":"t"})", "1"),
       resource = request("resources/read", R"({"uri":"x:1"})", "2");
  guard.refuse(tool, reader);
  guard.refuse(resource, reader);
  EXPECT_EQ(seen_by(guard, answer(R"(["-none1x://-none2x","x://-none2x","-none2x"])", "3")).text,
            answer(R"(["t://-none2x","x:1","-none2x"])", "3").text);
}

TEST(server_guard, refuses_a_request_that_names_uris_of_too_many_readings) {
  auto listening = [id = 0](int uris, const std::string& end) mutable {
    std::string all;
    for (int i = 0; i < uris; ++i)
      all.append(i ? "," : "").append("\"file:///a/%2e/" + std::to_string(i) + ";b%00/" + end + ";p?q#f\"");
    return request("subscriptions/listen", R"({"notifications":{"resourceSubscriptions":[)" + all + "]}}",
                   std::to_string(++id));
  };
  std::string endless;
  for (int i = 0; i < 800; ++i)
    endless += "/s%5c";
  server_guard guard{rules(), "-none", {.of_request = std::size_t{2} << 20}};
  const auto begun = std::clock();
  for (auto& end : {std::string{"c%5c/d%5c/e%2f"}, endless}) {
    auto few = listening(10, end), many = listening(1000, end);
    EXPECT_FALSE(guard.refuse(few, reader));
    auto refused = guard.refuse(many, reader);
    ASSERT_TRUE(refused);
    EXPECT_EQ(error_code_of(*refused), error_code::invalid_params);
  }
  EXPECT_LT((std::clock() - begun) / CLOCKS_PER_SEC, 10);
}

TEST(server_guard, gives_the_answer_to_an_unknown_name_for_a_hidden_one) {
  server_guard guard{rules(), "-none"};
  auto asked = request("tools/call", R"({"name":"admin"})", "7");
  guard.refuse(asked, reader);
  auto refusal = answer(R"({"content":"no -none1x, nor -none1x"})", "7");
  auto log = R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":"-none1x?"}})";
  EXPECT_EQ(seen_by(guard, gateway_message(log)).text,
            R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":"admin?"}})");
  EXPECT_EQ(seen_by(guard, refusal).text, answer(R"({"content":"no admin, nor admin"})", "7").text);
  EXPECT_EQ(seen_by(guard, refusal).text, refusal.text);
  auto after = seen_by(guard, answer("{}", "7"));
  EXPECT_EQ(after.text.substr(after.id_at.at, after.id_at.size), "7");
}

// Between a request and its answer, a caller with other rights may send requests.
TEST(server_guard, shows_an_answer_to_who_asked) {
  server_guard guard{rules(), "-none"};
  auto one = request("tools/list", "{}", "1"), other = request("tools/list", "{}", "2");
  guard.refuse(one, reader);
  guard.refuse(other, writer);
  const std::string tools = R"({"tools":[{"name":"admin"}]})";
  EXPECT_EQ(seen_by(guard, answer(tools, "1")).text, answer(R"({"tools":[]})", "1").text);
  EXPECT_EQ(seen_by(guard, answer(tools, "2")).text, answer(tools, "2").text);
}

TEST(server_guard, lists_what_the_caller_may_use_and_leaves_all_else_as_it_came) {
  const std::string tools =
      R"({"tools":[{"name":"read","x":1.0},{"name":"write_file"},{"name":"admin"}],"nextCursor":"c"})";
  EXPECT_EQ(listed("tools/list", tools, reader), whole(R"({"tools":[{"name":"read","x":1.0}],"nextCursor":"c"})"));
  EXPECT_EQ(listed("tools/list", tools, writer), whole(tools));
  EXPECT_EQ(listed("prompts/list", R"({"prompts":[{"name":"secret"},{"name":"open"}]})", reader),
            whole(R"({"prompts":[{"name":"open"}]})"));
  EXPECT_EQ(listed("resources/list", R"({"resources":[{"uri":"file:///etc/x"}]})", reader),
            whole(R"({"resources":[]})"));
  EXPECT_EQ(listed("resources/templates/list", R"({"resourceTemplates":[{"uriTemplate":"file:///etc/{x}"}]})", reader),
            whole(R"({"resourceTemplates":[]})"));
}

TEST(server_guard, filters_the_answer_to_each_list_once) {
  server_guard guard{rules(), "-none"};
  const std::string tools = R"({"tools":[{"name":"admin"}]})";
  auto asked = request("tools/list", "{}", "7");
  guard.refuse(asked, reader);
  EXPECT_EQ(seen_by(guard, answer(tools, "8")).text, answer(tools, "8").text);
  EXPECT_EQ(seen_by(guard, answer(tools, "7")).text, answer(R"({"tools":[]})", "7").text);
  EXPECT_EQ(seen_by(guard, answer(tools, "7")).text, answer(tools, "7").text);
}

/// The answer to the second could be shown as that to the first, with what the caller may not see.
TEST(server_guard, refuses_a_second_request_with_an_id_whose_answer_it_judges) {
  server_guard guard{rules(), "-none"};
  auto list = request("tools/list", "{}"), again = request("ping", "{}"), other = request("ping", "{}", "2");
  EXPECT_FALSE(guard.refuse(list, nobody));
  EXPECT_EQ(guard.refuse(again, nobody)->text,
            error_text("1", -32600, "Invalid Request: another request with this id is under way"));
  EXPECT_FALSE(guard.refuse(other, nobody));
  EXPECT_EQ(seen_by(guard, answer(R"({"tools":[{"name":"admin"}]})")).text, whole(R"({"tools":[]})"));
  EXPECT_FALSE(guard.refuse(again, nobody));
}

TEST(server_guard, fails_a_list_that_takes_too_long_to_judge) {
  const auto all = rules();
  const auto list = answer(R"({"tools":[{"name":"read"},{"name":"show"}]})");
  const auto cost = 2 * (16 + 4 + all->effort_for(offered::tool, {"read"}) / 8);
  for (auto most : {cost - 1, cost, cost + 1}) {
    server_guard guard{all, "-none", {.of_list = most}};
    auto asked = request("tools/list", "{}");
    EXPECT_FALSE(guard.refuse(asked, reader));
    const auto shown = seen_by(guard, list);
    if (most < cost)
      EXPECT_EQ(error_code_of(shown), error_code::internal_error);
    else
      EXPECT_EQ(shown.text, list.text);
  }
}

TEST(server_guard, passes_everything_where_there_are_no_rules) {
  for (auto none : {std::shared_ptr<const permissions>{}, std::make_shared<const permissions>()}) {
    server_guard guard{none, "-none"};
    auto call = request("tools/call", R"({"name":"admin"})"), list = request("tools/list", "{}");
    EXPECT_FALSE(guard.refuse(call, nobody));
    EXPECT_FALSE(guard.refuse(list, nobody));
    EXPECT_EQ(call.text, request("tools/call", R"({"name":"admin"})").text);
    EXPECT_EQ(seen_by(guard, answer(R"({"tools":[{"name":"admin"}]})")).text, whole(R"({"tools":[{"name":"admin"}]})"));
  }
}

TEST(server_guard, lets_so_many_answers_be_awaited) {
  server_guard guard{rules(), "-none"};
  auto is_refused = [&](std::size_t id, const std::string& method, const std::string& params) {
    auto asked = request(method, params, std::to_string(id));
    return guard.refuse(asked, reader).has_value();
  };
  for (std::size_t i = 0; i < server_guard::most_awaited; ++i)
    EXPECT_FALSE(i % 2 == 0 ? is_refused(i, "tools/list", "{}") : is_refused(i, "tools/call", R"({"name":"admin"})"));
  EXPECT_TRUE(is_refused(5000, "tools/list", "{}"));
  EXPECT_TRUE(is_refused(5000, "tools/call", R"({"name":"admin"})"));
  EXPECT_FALSE(is_refused(5000, "tools/call", R"({"name":"read"})"));
  seen_by(guard, answer("{}", "3"));
  EXPECT_FALSE(is_refused(5000, "tools/list", "{}"));
}

TEST(server_guard, awaits_no_answer_to_what_was_cancelled) {
  server_guard guard{rules(), "-none"};
  for (std::size_t i = 0; i < 2 * server_guard::most_awaited; ++i) {
    auto id = std::to_string(i);
    auto asked = request("tools/list", "{}", id), cancelled = cancellation_of(id, "late");
    ASSERT_FALSE(guard.refuse(asked, reader));
    ASSERT_FALSE(guard.refuse(cancelled, reader));
  }
}

TEST(server_guard, lets_nobody_keep_for_others_what_only_some_may_ask_for) {
  auto refusal = [](std::shared_ptr<const permissions> by) {
    server_guard guard{std::move(by), "-none"};
    return seen_by(guard, answer(R"({"cacheScope":"public","x":1,"cacheScope":"public"})")).text;
  };
  EXPECT_EQ(refusal(rules()), answer(R"({"cacheScope":"private","x":1,"cacheScope":"private"})").text);
  EXPECT_EQ(refusal({}), answer(R"({"cacheScope":"public","x":1,"cacheScope":"public"})").text);
  server_guard guard{rules(), "-none"};
  EXPECT_EQ(seen_by(guard, answer(R"({"cache\u0053cope":"public"})")).text.find("public"), std::string::npos);
}

} // namespace troupe::tests::server_guard_test
