// Finding the server of a tool or prompt by its name.

#include "protocol/catalog/merged_names.hpp"
#include "tests/support/catalog_driver.hpp"

namespace troupe::tests::catalog_names_test {

namespace {

std::string tools(std::string items, std::string more = "") { return R"({"tools":[)" + items + "]" + more + "}"; }

catalog_server with_prefix(std::uint64_t id, std::string name, std::string prefix) {
  auto one = fresh(id, std::move(name));
  one.prefix = std::move(prefix);
  return one;
}

std::string tool_call(std::string id, std::string name) { return request(id, "tools/call", named(name)); }

std::string unknown_tool(std::string id, std::string name) { return error_text(id, -32602, "Unknown tool: " + name); }

std::vector<std::string> names_in(const catalog_effects& seen) {
  std::vector<std::string> result;
  for (array_reader items{*find_member(std::get<send_to_client>(seen.at(0)).what.text, {"result", "tools"})};
       items.next();)
    result.push_back(*string_value(*find_member(items.value(), {"name"})));
  return result;
}

} // namespace

TEST(catalog_names, say_whose_they_are) {
  catalog_driver t{{fresh(1, "a"), fresh(2, "b")}};
  t.opened();
  auto params = [](auto name) { return named(name, R"(,"arguments":{ "x" : 1.50 },"_meta":{"progressToken":9})"); };
  EXPECT_EQ(
      t.says(request("9", "tools/call", params("b__x"))),
      (catalog_effects{to(
          2, request("3", "tools/call", R"({"name":"x","arguments":{ "x" : 1.50 },"_meta":{"progressToken":3}})"))}));
  EXPECT_EQ(t.says(request("10", "prompts/get", named("a__x"))),
            (catalog_effects{to(1, request("4", "prompts/get", named("x")))}));
  EXPECT_EQ(t.says(request("11", "completion/complete", R"({"ref":{"type":"ref/prompt","name":"a__x"},"name":"n"})")),
            (catalog_effects{
                to(1, request("5", "completion/complete", R"({"ref":{"type":"ref/prompt","name":"x"},"name":"n"})"))}));
  EXPECT_EQ(t.server(2, result("3", R"({"content":[]})")), (catalog_effects{client(result("9", R"({"content":[]})"))}));
  EXPECT_EQ(t.server(1, error_text("4", -32602, "no")), (catalog_effects{client(error_text("10", -32602, "no"))}));
}

TEST(catalog_names, are_unknown_where_nobody_has_them) {
  catalog_driver t{{fresh(1, "a"), fresh(2, "b")}};
  t.opened();
  for (auto name : {"x", "a", "a__", "a_x", "c__x", ""}) {
    EXPECT_EQ(t.says(tool_call("9", name)), (catalog_effects{client(unknown_tool("9", name))}));
    EXPECT_EQ(t.says(request("9", "prompts/get", named(name))),
              (catalog_effects{client(error_text("9", -32602, "Unknown prompt: " + std::string{name}))}));
  }
  EXPECT_EQ(t.says(request("9", "tools/call")),
            (catalog_effects{client(error_text("9", -32602, "The name is missing"))}));
}

TEST(catalog_names, belong_to_the_longest_prefix) {
  catalog_driver t{{fresh(1, "a"), fresh(2, "a__b")}};
  t.opened();
  EXPECT_EQ(t.says(tool_call("9", "a__b__x")), (catalog_effects{to(2, tool_call("3", "x"))}));
  EXPECT_EQ(t.says(tool_call("10", "a__c__x")), (catalog_effects{to(1, tool_call("4", "c__x"))}));
}

TEST(catalog_names, belong_to_whom_the_list_said_before_all) {
  catalog_driver t{{fresh(1, "a"), fresh(2, "a__b")}};
  t.opened();
  t.says(request("9", "tools/list"));
  t.server(1, result("3", tools(named("b__x"))));
  t.server(2, result("4", tools("")));
  EXPECT_EQ(t.says(tool_call("10", "a__b__x")), (catalog_effects{to(1, tool_call("5", "b__x"))}));
}

TEST(catalog_names, without_a_prefix_are_the_one_servers_that_has_none) {
  catalog_driver t{{fresh(1, "a"), with_prefix(2, "b", "")}};
  t.opened();
  EXPECT_EQ(t.says(tool_call("9", "c__x")), (catalog_effects{to(2, tool_call("3", "c__x"))}));
  EXPECT_EQ(t.says(tool_call("10", "a__x")), (catalog_effects{to(1, tool_call("4", "x"))}));
}

TEST(catalog_names, have_a_clean_prefix) {
  catalog_driver t{{with_prefix(1, "my.server", "my.server")}};
  t.opened().says(request("9", "tools/list"));
  EXPECT_EQ(names_in(t.server(1, result("2", tools(named("x.y"))))), (std::vector<std::string>{"my_server__x.y"}));
}

TEST(catalog_names, of_two_servers_are_the_first_ones) {
  catalog_driver t{{with_prefix(1, "a", ""), with_prefix(2, "b", "")}};
  t.opened().says(request("9", "tools/list"));
  t.server(2, result("4", tools(named("x") + "," + named("z"))));
  EXPECT_EQ(t.server(1, result("3", tools(named("x") + "," + named("y")))),
            (catalog_effects{name_hidden{list_kind::tools, "x", 1, 2},
                             client(result("9", tools(named("x") + "," + named("y") + "," + named("z"))))}));
  EXPECT_EQ(t.says(tool_call("10", "x")), (catalog_effects{to(1, tool_call("5", "x"))}));
  EXPECT_EQ(t.says(tool_call("11", "z")), (catalog_effects{to(2, tool_call("6", "z"))}));
}

TEST(catalog_names, that_are_left_out_are_told_once_in_a_session) {
  catalog_driver t{{with_prefix(1, "a", ""), with_prefix(2, "b", "")}};
  t.opened();
  for (auto round : {3, 5}) {
    t.says(request("9", "tools/list"));
    t.server(1, result(std::to_string(round), tools(named("x"))));
    EXPECT_EQ(t.server(2, result(std::to_string(round + 1), tools(named("x") + "," + named("x")))).size(),
              round == 3 ? 2U : 1U);
  }
  t.says(request("9", "prompts/list"));
  t.server(1, result("7", R"({"prompts":[{"name":"x"}]})"));
  EXPECT_EQ(t.server(2, result("8", R"({"prompts":[{"name":"x"}]})")).front(),
            (catalog_effect{name_hidden{list_kind::prompts, "x", 1, 2}}));
}

TEST(catalog_names, that_are_left_out_are_told_of_a_hundred) {
  catalog_driver t{{with_prefix(1, "a", ""), with_prefix(2, "b", "")}};
  t.opened().says(request("9", "tools/list"));
  std::string many;
  for (int i = 0; i < 101; ++i)
    many += (i == 0 ? "" : ",") + named("x" + std::to_string(i));
  t.server(1, result("3", tools(many)));
  EXPECT_EQ(t.server(2, result("4", tools(many))).size(), 100U + 1U);
}

// -- a single server -----------------------------------------------------------------

namespace {

catalog_server without_given_prefix(std::uint64_t id, std::string name) {
  auto one = fresh(id, std::move(name));
  one.plain_alone = true;
  return one;
}

} // namespace

TEST(catalog_names, of_a_server_that_is_alone_have_no_prefix_unless_it_was_given) {
  catalog_driver t{{without_given_prefix(1, "a")}};
  t.opened().says(request("9", "tools/list"));
  EXPECT_EQ(names_in(t.server(1, result("2", tools(named("x"))))), (std::vector<std::string>{"x"}));
  EXPECT_EQ(t.says(tool_call("10", "x")), (catalog_effects{to(1, tool_call("3", "x"))}));
  EXPECT_EQ(t.says(tool_call("11", "a__x")), (catalog_effects{to(1, tool_call("4", "a__x"))}));
  EXPECT_EQ(t.says(request("12", "resources/read", at_uri("file:///x"))),
            (catalog_effects{to(1, request("5", "resources/read", at_uri("file:///x")))}));
}

TEST(catalog_names, change_when_a_second_server_comes_and_when_it_goes) {
  auto listed = [](catalog_driver& t, std::string own) {
    auto seen = t.says(request("9", "tools/list"));
    return names_in(t.server(1, result(own, tools(named("x")))));
  };
  catalog_driver t{{without_given_prefix(1, "a")}};
  t.opened();
  EXPECT_EQ(listed(t, "2"), (std::vector<std::string>{"x"}));
  EXPECT_EQ(t.change({without_given_prefix(1, "a"), configured(2, "b", can("{}"))}),
            (catalog_effects{client(changed("tools")), client(changed("prompts")), client(changed("resources"))}));
  EXPECT_EQ(t.says(tool_call("10", "x")), (catalog_effects{client(unknown_tool("10", "x"))}));
  EXPECT_EQ(listed(t, "3"), (std::vector<std::string>{"a__x"}));
  EXPECT_EQ(t.says(tool_call("10", "a__x")), (catalog_effects{to(1, tool_call("4", "x"))}));
  t.change({without_given_prefix(1, "a")});
  EXPECT_EQ(listed(t, "5"), (std::vector<std::string>{"x"}));
}

// -- searching ---------------------------------------------------------------------

TEST(catalog_names, that_were_cut_are_known_from_the_list) {
  const std::string long_name(80, 'x');
  auto cut = merged_name("a", "a", long_name);
  catalog_driver t{{fresh(1, "a")}};
  t.opened().says(request("9", "tools/list"));
  EXPECT_EQ(names_in(t.server(1, result("2", tools(named(long_name))))), (std::vector<std::string>{cut}));
  EXPECT_EQ(t.says(tool_call("10", cut)), (catalog_effects{to(1, tool_call("3", long_name))}));
}

TEST(catalog_names, that_were_cut_are_searched_for_page_by_page) {
  const std::string long_name(80, 'x');
  auto cut = merged_name("a", "a", long_name);
  catalog_driver t{{fresh(1, "a"), fresh(2, "b")}};
  t.opened();
  EXPECT_EQ(t.says(tool_call("9", cut)), (catalog_effects{to(1, R"({"jsonrpc":"2.0","id":3,"method":"tools/list"})")}));
  EXPECT_EQ(t.server(1, result("3", tools(named("y"), R"(,"nextCursor":"c")"))),
            (catalog_effects{to(1, R"({"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"c"}})")}));
  EXPECT_EQ(t.server(1, result("4", tools(named(long_name)))), (catalog_effects{to(1, tool_call("5", long_name))}));
  EXPECT_EQ(t.server(1, result("5")), (catalog_effects{client(result("9"))}));
  EXPECT_EQ(t.says(tool_call("10", cut)), (catalog_effects{to(1, tool_call("6", long_name))}));
}

TEST(catalog_names, that_look_cut_and_are_not_found_are_what_they_say) {
  const std::string name = "a__" + std::string(52, 'x') + "_0123abcd";
  catalog_driver t{{fresh(1, "a"), fresh(2, "b")}};
  t.opened().says(tool_call("9", name));
  EXPECT_EQ(t.server(1, result("3", tools(""))), (catalog_effects{to(1, tool_call("4", name.substr(3)))}));
  t.says(tool_call("10", name));
  EXPECT_EQ(t.server(1, result("5", tools(""))), (catalog_effects{to(1, tool_call("6", name.substr(3)))}));
}

TEST(catalog_names, that_cannot_be_searched_for_are_sent_to_nobody) {
  const std::string name = "a__" + std::string(52, 'x') + "_0123abcd";
  catalog_driver t{{fresh(1, "a"), with_prefix(2, "b", "")}};
  t.opened().says(tool_call("9", name));
  EXPECT_EQ(t.server(1, error_text("3", -32000, "no")),
            (catalog_effects{to(2, R"({"jsonrpc":"2.0","id":4,"method":"tools/list"})")}));
  EXPECT_EQ(t.server(2, result("4", tools(""))), (catalog_effects{client(error_text("9", -32603, "no"))}));
}

TEST(catalog_names, are_searched_for_on_50_pages_at_most) {
  const std::string name = std::string(55, 'x') + "_0123abcd";
  catalog_driver t{{with_prefix(1, "a", ""), with_prefix(2, "b", "")}};
  t.opened().says(tool_call("9", name));
  for (int page = 1; page < 50; ++page)
    EXPECT_EQ(t.server(1, result(std::to_string(page + 2), tools("", R"(,"nextCursor":"c")"))).size(), 1U) << page;
  EXPECT_EQ(t.server(1, result("52", tools("", R"(,"nextCursor":"c")"))),
            (catalog_effects{to(2, R"({"jsonrpc":"2.0","id":53,"method":"tools/list"})")}));
  EXPECT_EQ(t.server(2, result("53", tools(""))), (catalog_effects{client(unknown_tool("9", name))}));
}

TEST(catalog_names, that_several_servers_may_have_are_searched_for) {
  catalog_driver t{{with_prefix(1, "a", ""), with_prefix(2, "b", ""), fresh(3, "c")}};
  t.opened();
  EXPECT_EQ(t.says(tool_call("9", "x")), (catalog_effects{to(1, R"({"jsonrpc":"2.0","id":4,"method":"tools/list"})")}));
  EXPECT_EQ(t.server(1, result("4", tools(named("y")))),
            (catalog_effects{to(2, R"({"jsonrpc":"2.0","id":5,"method":"tools/list"})")}));
  EXPECT_EQ(t.server(2, result("5", tools(named("x")))), (catalog_effects{to(2, tool_call("6", "x"))}));
}

TEST(catalog_names, that_are_searched_for_can_be_cancelled) {
  const std::string name = std::string(55, 'x') + "_0123abcd";
  catalog_driver t{{with_prefix(1, "a", "")}};
  t.opened().says(tool_call("9", name));
  EXPECT_EQ(t.says(cancelled("9")), (catalog_effects{to(1, cancelled("2"))}));
  EXPECT_EQ(t.server(1, result("2", tools(""))), catalog_effects{});
  EXPECT_EQ(t.it.calls_in_flight(), 0U);
}

TEST(catalog_names, that_are_searched_for_survive_the_loss_of_a_server) {
  catalog_driver t{{with_prefix(1, "a", ""), with_prefix(2, "b", "")}};
  t.opened().says(tool_call("9", "x"));
  EXPECT_EQ(t.lost(1), (catalog_effects{to(2, R"({"jsonrpc":"2.0","id":4,"method":"tools/list"})")}));
  EXPECT_EQ(
      t.change({}),
      (catalog_effects{member_left{1}, client(error_text("9", -32603, "The MCP server was removed")), member_left{2},
                       client(changed("tools")), client(changed("prompts")), client(changed("resources"))}));
}

} // namespace troupe::tests::catalog_names_test
