#include "protocol/session/state_report.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::state_report_test {

using namespace protocol;
using namespace std::chrono_literals;

TEST(state_report, of_nothing_shows_every_count) {
  EXPECT_EQ(json_text({}),
            R"({"sessions":0,"leases":{"now":0,"calls":0,"parked":0,"listens":0},)"
            R"("streams":{"primary":0,"shadow":0,"call":0,"detached":0},"brokers":0,)"
            R"("calls":0,"questions":0,"waiting":0,"stored":{"events":0,"bytes":0},"dropped":0,)"
            R"("upstreams":[],"servers":[],"limits":{},)"
            R"("cluster":{"nodes":[],"relayed_here":0,"relayed_elsewhere":0},"problems":[],"actors":0})");
}

TEST(state_report, adds_up_what_sessions_hold) {
  state_report report;
  report.sessions.push_back({{1, 2, 3, 4, 5, 6, 7, 8}, 9, 10, 11});
  report.sessions.push_back({{10, 20, 30, 40, 50, 60, 70, 80}, 90, 100, 110});
  report.actors = 7;
  report.brokers = 5;
  EXPECT_EQ(json_text(report),
            R"({"sessions":2,"leases":{"now":0,"calls":0,"parked":0,"listens":0},)"
            R"("streams":{"primary":11,"shadow":22,"call":33,"detached":44},"brokers":5,)"
            R"("calls":99,"questions":110,"waiting":55,"stored":{"events":66,"bytes":77},"dropped":88,)"
            R"("upstreams":[],"servers":[],"limits":{},)"
            R"("cluster":{"nodes":[],"relayed_here":0,"relayed_elsewhere":0},"problems":[],"actors":7})");
}

TEST(state_report, adds_up_what_leases_hold) {
  state_report report;
  report.leases.push_back({1, 2, 3});
  state_report more;
  more.leases.push_back({10, 20, 30});
  add(report, std::move(more));
  EXPECT_NE(json_text(report).find(R"("leases":{"now":2,"calls":11,"parked":22,"listens":33})"), std::string::npos);
}

TEST(state_report, says_how_each_server_fares) {
  state_report report;
  report.servers.push_back({"a", "0123abcd…", "waiting", 3, "it was killed", 1});
  EXPECT_NE(json_text(report).find(R"("servers":[{"name":"a","session":"0123abcd…","state":"waiting","restarts":3,)"
                                   R"("why":"it was killed","users":1}])"),
            std::string::npos);
}

TEST(state_report, tells_how_much_is_used_of_what_is_limited) {
  state_report report;
  report.limits = {{"sessions", 3, 10}, {"eventBytes", 0, 1}};
  EXPECT_NE(json_text(report).find(R"("limits":{"sessions":{"used":3,"most":10},"eventBytes":{"used":0,"most":1}})"),
            std::string::npos);
}

TEST(state_report, says_what_is_wrong) {
  state_report sum, part;
  part.problems = {"a \"b\""};
  add(sum, part);
  add(sum, state_report{});
  EXPECT_NE(json_text(sum).find(R"("problems":["a \"b\""])"), std::string::npos);
}

TEST(state_report, adds_parts_up) {
  state_report sum;
  state_report part;
  part.actors = 2;
  part.upstreams.push_back({"a", 42, 0ms, ""});
  add(sum, part);
  add(sum, part);
  EXPECT_EQ(sum.actors, 4u);
  EXPECT_EQ(sum.upstreams.size(), 2u);
}

TEST(state_report, lists_every_process) {
  state_report report;
  report.upstreams.push_back({"a", 42, 1500ms, "0123abcd…"});
  report.upstreams.push_back({"b", 43, 0ms, "\"\n"});
  auto text = json_text(report);
  EXPECT_NE(text.find(R"("upstreams":[{"server":"a","pid":42,"age_ms":1500,"session":"0123abcd…"},)"
                      R"({"server":"b","pid":43,"age_ms":0,"session":"\"\n"}])"),
            text.npos)
      << text;
}

} // namespace troupe::tests::state_report_test
