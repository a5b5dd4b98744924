#include "protocol/admin/operator_views.hpp"
#include "protocol/admin/server_views.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::live_texts_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

live_session session_of(std::uint64_t number, std::vector<live_call> calls = {}) {
  return {.number = number,
          .id = "1a2b",
          .transport = "streamable_http",
          .server = "files",
          .caller = "al\"ice",
          .age = 5s,
          .calls = std::move(calls)};
}

message read(std::string text) { return std::get<message>(read_message(std::move(text))); }

std::string event_of(const message& what, bool with_content) {
  return followed_event({what, "client", what.id, {}, std::chrono::system_clock::time_point{1500ms}}, with_content);
}

} // namespace

TEST(live_session, is_an_object_with_its_calls) {
  auto one = session_of(7, {{3, "tools/call", "search", "files", 1200ms}});
  one.primary = 1;
  one.listens = 2;
  EXPECT_EQ(live_session_text(one),
            R"({"number":7,"id":"1a2b","transport":"streamable_http","server":"files","caller":"al\"ice",)"
            R"("age_ms":5000,"calls":[{"number":3,"method":"tools/call","name":"search","server":"files",)"
            R"("age_ms":1200}],"streams":{"primary":1,"shadow":0,"call":0,"listen":2},"questions":0})");
}

TEST(live_session, is_idle_for_some_time_while_nobody_uses_it) {
  auto one = session_of(7);
  EXPECT_EQ(live_session_text(one).find("idle_ms"), std::string::npos);
  one.idle = 0ms;
  EXPECT_NE(live_session_text(one).find("\"idle_ms\":0"), std::string::npos);
}

TEST(live_session, stands_on_its_page_by_number) {
  const auto page = live_sessions_text({session_of(9), session_of(7)}, 12, 9);
  EXPECT_LT(page.find("\"number\":7"), page.find("\"number\":9"));
  EXPECT_NE(page.find(R"("total":12,"next":9})"), std::string::npos);
  EXPECT_EQ(live_sessions_text({}, 0, std::nullopt), R"({"sessions":[],"total":0})");
}

TEST(live_session, has_its_oldest_calls_listed_first) {
  const std::vector all{session_of(1, {{1, "tools/call", "young", "", 1ms}}),
                        session_of(2, {{4, "tools/call", "old", "", 3ms}, {5, "tools/list", "", "", 2ms}})};
  const auto text = live_calls_text(all, 2);
  EXPECT_LT(text.find("old"), text.find("tools/list"));
  EXPECT_EQ(text.find("young"), std::string::npos);
  EXPECT_NE(text.find(R"("session":2,"session_id":"1a2b","caller":"al\"ice")"), std::string::npos);
  EXPECT_NE(text.find(R"("total":3})"), std::string::npos);
}

TEST(live_server, is_an_object_with_its_processes_and_failures) {
  constexpr std::chrono::system_clock::time_point at{12h};
  live_server one{.name = "files", .kind = "stdio"};
  one.states = {{"ready", 2}};
  one.restarts = 4;
  one.processes = {{4711, 100ms, "1a2b", 1, live_process::usage{4096, 20ms, 2}}, {0, 50ms, "", 3}};
  one.diagnostics.wrote(12, "no key", at);
  one.diagnostics.failed({at, "exited", 30ms, 12, "3c4d"});
  one.failures = 1;
  const std::string beginning = R"({"name":"files","kind":"stdio","enabled":true,"not_ready":"","states":{"ready":2},)"
                                R"("restarts":4,"users":0,"why":"","failures":1,)";
  const std::string processes = R"("processes":[{"pid":4711,"age_ms":100,"session":"1a2b","users":1,)"
                                R"("rss_bytes":4096,"cpu_ms":20,"processes":2},)"
                                R"({"pid":0,"age_ms":50,"session":"","users":3}])";
  const std::string failures = R"("last_failures":[{"at":"1970-01-01T12:00:00Z","why":"exited","after_ms":30,"pid":12,)"
                               R"("session":"3c4d","lines":["no key"]}])";
  EXPECT_EQ(live_server_text(one), beginning + processes + ',' + failures +
                                       R"(,"stderr":[{"at":"1970-01-01T12:00:00Z","pid":12,"line":"no key"}]})");
  EXPECT_EQ(live_servers_text({one}), R"({"servers":[)" + beginning + processes + "}]}");
  EXPECT_EQ(failing_servers_text({one}), '[' + beginning + failures + "}]");
  EXPECT_EQ(live_servers_text({}), R"({"servers":[]})");
}

TEST(live_node, is_an_object_with_the_others) {
  live_node one{.name = "a", .version = "1", .pid = 5, .uptime = 3ms, .max_sessions = 10, .log_level = "info"};
  one.nodes = {{"b", true}};
  one.can.drain = true;
  EXPECT_EQ(live_node_text(one),
            R"({"node":"a","version":"1","pid":5,"uptime_ms":3,"draining":false,"sessions":0,"leases":0,)"
            R"("max_sessions":10,"log_level":"info","nodes":[{"name":"b","draining":true}],)"
            R"("can":{"reload":false,"drain":true,"log_level":false,"content":false}})");
}

TEST(live_node, says_how_far_it_has_drained) {
  live_node one;
  one.drain = {.rate = "20/s", .to_move = 4, .moved = 3, .stay = 2, .calls = 1};
  EXPECT_TRUE(live_node_text(one).ends_with(R"(,"drain":{"rate":"20/s","to_move":4,"moved":3,"stay":2,"calls":1}})"));
}

TEST(followed_message, says_who_said_what_but_not_its_content) {
  const auto call = read(R"({"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"secret"}})");
  const auto text = event_of(call, false);
  EXPECT_EQ(text, "event: message\ndata: {\"at_ms\":1500,\"from\":\"client\",\"kind\":\"request\",\"id\":\"\\\"x\\\"\","
                  "\"method\":\"tools/call\",\"bytes\":" +
                      std::to_string(call.text.size()) + "}\n\n");
  EXPECT_EQ(text.find("secret"), std::string::npos);
}

TEST(followed_message, has_its_content_when_that_is_wanted) {
  const auto note = read(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":"a"}})");
  EXPECT_NE(event_of(note, true).find(",\"message\":" + note.text + "}\n\n"), std::string::npos);
}

TEST(followed_message, tells_how_a_call_ended) {
  const auto error = read(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}})");
  EXPECT_NE(event_of(error, false).find(R"("error":"-32602")"), std::string::npos);
  const auto result = read(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(event_of(result, false).find("error"), std::string::npos);
}

TEST(followed_message, shows_no_more_than_the_beginning_of_what_clients_choose) {
  const auto long_one = read(R"({"jsonrpc":"2.0","method":")" + std::string(10'000, 'x') + "\"}");
  EXPECT_LT(event_of(long_one, false).size(), 400u);
}

} // namespace troupe::tests::live_texts_test
