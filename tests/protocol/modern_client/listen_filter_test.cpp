#include "protocol/modern_client/listeners.hpp"

#include "protocol/message/subscribed_uris.hpp"
#include "tests/support/session_driver.hpp"

namespace troupe::tests::listen_filter_test {

namespace {

using read_filter = std::variant<listen_filter, std::string>;

read_filter read_listen(const std::string& params) {
  return read_listen_filter(gateway_message(request("1", "subscriptions/listen", params)));
}
read_filter read_wanted(const std::string& filter) { return read_listen(R"({"notifications":)" + filter + "}"); }

std::string uri_list(std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i)
    result += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\"";
  return R"({"resourceSubscriptions":[)" + result + "]}";
}

} // namespace

TEST(listen_filter, reads_what_is_asked_for) {
  EXPECT_EQ(read_wanted("{}"), read_filter{listen_filter{}});
  EXPECT_EQ(read_wanted(R"({"toolsListChanged":true,"promptsListChanged":false,"resourcesListChanged":true,
                            "resourceSubscriptions":["b","a","b"],"other":7})"),
            (read_filter{listen_filter{{list_group::tools, list_group::resources}, {"a", "b"}}}));
}

TEST(listen_filter, is_refused_when_it_is_of_another_shape) {
  EXPECT_EQ(read_wanted(R"({"toolsListChanged":1})"),
            read_filter{"params.notifications.toolsListChanged must be true or false"});
  for (auto bad :
       {"[]", "null", "true", R"({"promptsListChanged":null})", R"({"resourcesListChanged":"true"})",
        R"({"resourceSubscriptions":null})", R"({"resourceSubscriptions":"a"})", R"({"resourceSubscriptions":{}})",
        R"({"resourceSubscriptions":["a",1]})", R"({"resourceSubscriptions":[null]})"})
    EXPECT_TRUE(std::holds_alternative<std::string>(read_wanted(bad))) << bad;
  EXPECT_TRUE(std::holds_alternative<std::string>(read_listen("{}")));
}

TEST(listen_filter, is_bounded) {
  for (auto count : {most_listened_uris - 1, most_listened_uris, most_listened_uris + 1})
    EXPECT_EQ(std::holds_alternative<listen_filter>(read_wanted(uri_list(count))), count <= most_listened_uris);
  for (auto size : {longest_subscribed_uri - 1, longest_subscribed_uri, longest_subscribed_uri + 1})
    EXPECT_EQ(std::holds_alternative<listen_filter>(
                  read_wanted(R"({"resourceSubscriptions":[")" + std::string(size, 'u') + "\"]}")),
              size <= longest_subscribed_uri);
}

TEST(listen_filter, is_honoured_as_far_as_the_server_offers_it) {
  const listen_filter all{{list_group::tools, list_group::prompts, list_group::resources}, {"a"}};
  EXPECT_EQ(honoured(all, "{}"), listen_filter{});
  EXPECT_EQ(honoured(all, R"({"tools":{"listChanged":true},"prompts":{"listChanged":false},"resources":{}})"),
            (listen_filter{{list_group::tools}, {}}));
  EXPECT_EQ(honoured(all, R"({"tools":true,"prompts":{"listChanged":1},"resources":{"subscribe":true}})"),
            (listen_filter{{}, {"a"}}));
  EXPECT_EQ(honoured(all, R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},
                              "resources":{"listChanged":true,"subscribe":true}})"),
            all);
  EXPECT_EQ(honoured({}, R"({"tools":{"listChanged":true}})"), listen_filter{});
}

TEST(listen_filter, is_written_without_what_is_not_in_it) {
  EXPECT_EQ(filter_text({}), "{}");
  EXPECT_EQ(filter_text({{list_group::prompts}, {}}), R"({"promptsListChanged":true})");
  EXPECT_EQ(filter_text({{list_group::tools, list_group::resources}, {"a\"", "b"}}),
            R"({"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a\"","b"]})");
  EXPECT_EQ(filter_text({{}, {"a"}}), R"({"resourceSubscriptions":["a"]})");
}

} // namespace troupe::tests::listen_filter_test
