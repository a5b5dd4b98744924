#include "protocol/supervised/server_life.hpp"

#include "tests/support/server_driver.hpp"

namespace troupe::tests::server_life_test {

namespace {

constexpr time_point start{1h};

/// A server that restarts without delay after a failure, then backs off for a minute.
struct short_life {
  short_life() : it{{.attempts = 2, .rest = 1min}, 1} {}

  server_effects starts() {
    return told([&](auto& out) { it.start(out); });
  }
  server_effects pauses(time_point now) {
    return told([&](auto& out) { it.pause(now, out); });
  }
  server_effects ends() {
    return told([&](auto& out) { it.idle(out); });
  }
  template <class Fact>
  server_effects told(Fact fact) {
    server_effects out;
    fact(out);
    return out;
  }

  server_life it;
};

} // namespace

TEST(server_life, begins_idle_and_may_start) {
  short_life of;
  EXPECT_TRUE(of.it.is(phase::idle));
  EXPECT_TRUE(of.it.may_start(start));
  EXPECT_FALSE(of.it.is_connected());
  EXPECT_FALSE(of.it.down());
  EXPECT_EQ(of.it.deadline(), time_point::max());
}

TEST(server_life, counts_starts_after_a_loss_but_none_after_it_was_idle) {
  short_life of;
  EXPECT_EQ(of.starts(), (server_effects{shows(phase::starting)}));
  EXPECT_TRUE(of.it.is_connected());
  of.it.lost("gone", start);
  EXPECT_TRUE(of.it.may_start(start));
  EXPECT_EQ(of.starts(), (server_effects{shows(phase::starting, 1, "gone")}));
  EXPECT_EQ(of.ends(), (server_effects{shows(phase::idle, 1, "gone")}));
  EXPECT_EQ(of.starts(), (server_effects{shows(phase::starting, 1, "gone")}));
}

TEST(server_life, waits_for_the_end_of_a_pause) {
  short_life of;
  of.starts();
  of.it.lost("gone", start);
  of.starts();
  of.it.lost("gone again", start);
  EXPECT_FALSE(of.it.may_start(start + 1min - 1ns));
  EXPECT_EQ(of.pauses(start), (server_effects{shows(phase::resting, 1, "gone again", 1min)}));
  EXPECT_TRUE(of.it.down());
  EXPECT_EQ(of.it.deadline(), start + 1min);
  EXPECT_TRUE(of.it.may_start(start + 1min));
}

TEST(server_life, keeps_a_pause_that_nobody_waits_for) {
  short_life of;
  of.starts();
  of.it.lost("gone", start);
  of.starts();
  of.it.lost("gone", start);
  of.ends();
  EXPECT_EQ(of.it.deadline(), time_point::max());
  EXPECT_FALSE(of.it.may_start(start + 20s));
  EXPECT_EQ(of.pauses(start + 20s), (server_effects{shows(phase::resting, 1, "gone", 40s)}));
}

TEST(server_life, says_why_the_server_is_absent) {
  short_life of;
  EXPECT_EQ(of.it.why_absent(start), "The MCP server is not there for this: initialize comes first");
  of.starts();
  of.it.lost("gone", start);
  of.starts();
  of.it.lost("gone", start);
  of.pauses(start);
  EXPECT_EQ(of.it.why_absent(start + 500ms),
            "The MCP server keeps stopping, the next try is in 59.500 s; it stopped: gone");
  EXPECT_EQ(of.it.why_absent(start + 2min), "The MCP server keeps stopping, the next try is in 0 s; it stopped: gone");
}

TEST(server_life, keeps_the_first_line_of_why_the_server_was_lost) {
  short_life of;
  of.it.lost("gone\r\nat main.js:1", start);
  EXPECT_EQ(of.it.status().why, "gone");
  of.it.lost(std::string(301, 'x'), start);
  EXPECT_EQ(of.it.status().why.size(), 300u);
}

} // namespace troupe::tests::server_life_test
