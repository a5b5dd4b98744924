#include "deploy/operator/tables.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace troupe::tests::lists_test {

using namespace deploy;

namespace {

const auto session = boost::json::parse(R"({"number":7,"id":"1a2b…","transport":"streamable_http","server":"",
  "caller":"alice","age_ms":61000,"calls":[
    {"number":3,"method":"tools/call","name":"search","server":"files","age_ms":1200},
    {"number":4,"method":"ping","name":"","server":"","age_ms":2}],
  "streams":{"primary":1,"shadow":0,"call":2,"listen":0},"questions":1})");
const auto lease = boost::json::parse(R"({"number":12,"id":"9f","transport":"stateless","server":"files","caller":"",
  "age_ms":7200000,"idle_ms":5,"calls":[],"streams":{},"questions":0})");

} // namespace

TEST(lists, have_a_line_for_each_session) {
  EXPECT_EQ(sessions_table({session, lease}, 0),
            "SESSION  ID     KIND   SERVER  CALLER    AGE  IDLE  CALLS  STREAMS  QUESTIONS\n"
            "      7  1a2b…  http   all     alice   1 min  busy      2        3          1\n"
            "     12  9f     lease  files   -         2 h  5 ms      0        0          0\n");
}

TEST(lists, show_one_session_with_its_calls) {
  EXPECT_EQ(session_page(session, 0), "session: 7\nid: 1a2b…\nkind: http\nserver: all\ncaller: alice\nage: 1 min\n"
                                      "idle: busy\nstreams: 1 primary, 2 call\nquestions: 1\ncalls: 2\n"
                                      "\n"
                                      "CALL    AGE  METHOD      NAME    SERVER\n"
                                      "   3  1.2 s  tools/call  search  files\n"
                                      "   4   2 ms  ping        -       -\n");
  EXPECT_TRUE(session_page(lease, 0).ends_with("idle: 5 ms\nquestions: 0\ncalls: 0\n"));
}

TEST(lists, show_the_calls_of_all_sessions) {
  const auto calls = boost::json::parse(R"([{"number":3,"method":"tools/call","name":"search","server":"files",
    "age_ms":90000,"session":7,"session_id":"1a2b…","caller":"alice"}])");
  EXPECT_EQ(calls_table(calls.as_array(), 0), "SESSION  CALL    AGE  METHOD      NAME    SERVER  CALLER  ID\n"
                                              "      7     3  1 min  tools/call  search  files   alice   1a2b…\n");
}

TEST(lists, say_how_each_server_is) {
  const auto servers = boost::json::parse(R"([
    {"name":"files","kind":"stdio","enabled":true,"not_ready":"","states":{"ready":2,"waiting":1,"idle":0},"restarts":4,
     "failures":12,"users":3,"why":"exit status 1","processes":[{"pid":1},{"pid":2}]},
    {"name":"far","kind":"remote","enabled":true,"not_ready":"no answer yet","states":{},"restarts":0,"users":0,
     "why":"refused","processes":[]},
    {"name":"off","kind":"hosted","enabled":false,"not_ready":"","states":{"ready":1},"restarts":0,"users":0,"why":"",
     "processes":[]}])");
  EXPECT_EQ(servers_table(servers.as_array(), 0),
            "SERVER  KIND    STATE               PROCESSES  RESTARTS  FAILURES  USERS  WHY\n"
            "files   stdio   2 ready, 1 waiting          2         4        12      3  exit status 1\n"
            "far     remote  enabled                     0         0         0      0  not ready: no answer yet\n"
            "off     hosted  disabled                    0         0         0      0  -\n");
}

TEST(lists, show_why_a_server_fails) {
  const auto server = boost::json::parse(R"({"name":"files","kind":"stdio","enabled":true,"not_ready":"",
    "states":{"waiting":1},"restarts":4,"failures":2,"users":3,"why":"exit status 1",
    "processes":[{"pid":7,"age_ms":90000,"session":"1a2b…","users":1,"rss_bytes":3565158,"cpu_ms":1200,"processes":2},
                 {"pid":0,"age_ms":80,"session":"","users":2}],
    "last_failures":[{"at":"2026-11-30T12:00:00Z","why":"no \"program\"","after_ms":0,"pid":0,"session":"","lines":[]},
                     {"at":"2026-11-30T12:00:01Z","why":"exit status 1","after_ms":1500,"pid":9,"session":"",
                      "lines":["no key","\u001b[2Jbye"]}],
    "stderr":[{"at":"2026-11-30T12:00:01Z","pid":9,"line":"no key"}]})");
  EXPECT_EQ(server_page(server, 0),
            "server: files\nkind: stdio\nstate: 1 waiting\nusers: 3\nrestarts: 4\nfailures: 2\n\n"
            "PID    AGE      RSS    CPU  PROCESSES  USERS  SESSION\n"
            "  7  1 min  3.4 MiB  1.2 s          2      1  1a2b…\n"
            "  -  80 ms        -      -          -      2  -\n\n"
            "2026-11-30T12:00:00Z failed: no \"program\"\n\n"
            "2026-11-30T12:00:01Z failed after 1.5 s: exit status 1\n"
            "  no key\n  \\u001b[2Jbye\n\n"
            "last lines on stderr:\n  2026-11-30T12:00:01Z 9 no key\n");
}

TEST(lists, show_nodes_and_those_that_do_not_answer) {
  const auto self =
      boost::json::parse(R"({"node":"a","version":"0.1.0","uptime_ms":5000,"draining":true,"sessions":3,"leases":1})");
  EXPECT_EQ(nodes_table({self, boost::json::parse(R"({"name":"b","draining":false})")}, 0),
            "NODE  STATE      SESSIONS  LEASES     UP  VERSION\n"
            "a     draining          3       1  5.0 s  0.1.0\n"
            "b     no answer         -       -      -  -\n");
  EXPECT_NE(nodes_table({boost::json::parse(R"({"node":"","uptime_ms":1})")}, 0).find("(alone)  serving"),
            std::string::npos);
}

TEST(lists, take_an_answer_of_another_version_as_it_is) {
  for (const auto* text : {"{}", "null", "[]", R"({"number":-1,"calls":7,"streams":[],"id":5,"states":null})"}) {
    const auto odd = boost::json::parse(text);
    EXPECT_NE(sessions_table({odd}, 0), "");
    EXPECT_NE(session_page(odd, 0), "");
    EXPECT_NE(calls_table({odd}, 0), "");
    EXPECT_NE(servers_table({odd}, 0), "");
    EXPECT_NE(nodes_table({odd}, 0), "");
  }
}

} // namespace troupe::tests::lists_test
