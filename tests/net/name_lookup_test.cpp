#include "net/name_lookup.hpp"

#include "tests/support/test_listener.hpp"

#include <optional>

namespace troupe::tests::name_lookup_test {

using namespace net;

namespace {

/// The journal has the addresses of each host, or `not: why`.
class name_lookup_test : public tidy_test {
protected:
  name_lookup::on_found note() {
    return [this](const lines& addresses, const std::string& why_not) {
      std::string told = why_not.empty() ? "" : "not: " + why_not;
      for (auto& one : addresses)
        told += told.empty() ? one : " " + one;
      seen.note(told);
    };
  }
  void find(const std::string& host, std::uint16_t port) {
    run_on(*thread, [&] {
      lookup->find(host, port, note());
      seen.note("asked");
    });
  }
  void SetUp() override { lookup.emplace(*thread); }
  void TearDown() override {
    lookup.reset();
    thread.reset();
  }

  journal seen;
  std::optional<io_thread> thread{std::in_place};
  std::optional<name_lookup> lookup;
};

} // namespace

TEST_F(name_lookup_test, takes_an_address_as_it_is) {
  find("1.2.3.4", 80);
  EXPECT_EQ(seen.wait_for(2), (lines{"asked", "1.2.3.4:80"}));
  find("::1", 65535);
  EXPECT_EQ(seen.wait_for(4).back(), "[::1]:65535");
}

TEST_F(name_lookup_test, finds_this_machine_without_asking) {
  find("localhost", 1);
  EXPECT_EQ(seen.wait_for(2), (lines{"asked", "[::1]:1 127.0.0.1:1"}));
}

TEST_F(name_lookup_test, asks_the_system_for_a_name_and_tells_each_address_once) {
  char name[256] = {};
  ASSERT_EQ(::gethostname(name, sizeof name - 1), 0);
  find(name, 7);
  auto told = seen.wait_for(2).back();
  EXPECT_TRUE(told.ends_with(":7") || told.starts_with("not: cannot resolve ")) << told;
  EXPECT_EQ(told.find(told.substr(0, told.find(' ')) + " "), told.find(' ') == told.npos ? told.npos : 0);
}

TEST_F(name_lookup_test, says_in_one_line_why_a_name_has_no_address) {
  find("no-such-host.invalid", 80); // RFC 6761, 6.4
  auto told = seen.wait_for(2).back();
  EXPECT_TRUE(told.starts_with("not: cannot resolve no-such-host.invalid: ")) << told;
  EXPECT_EQ(told.find('\n'), told.npos);
}

TEST_F(name_lookup_test, answers_others_while_it_asks_for_one) {
  run_on(*thread, [&] {
    lookup->find("no-such-host.invalid", 80, note());
    for (auto i = 0; i < 100; ++i)
      lookup->find("127.0.0.1", 80, note());
  });
  EXPECT_EQ(seen.wait_for(101).size(), 101u);
}

TEST_F(name_lookup_test, tells_nothing_after_it_was_destroyed) {
  run_on(*thread, [&] {
    lookup->find("127.0.0.1", 80, note());
    lookup->find("no-such-host.invalid", 80, note());
    lookup.reset();
  });
  thread.reset();
  EXPECT_EQ(seen.all(), lines{});
}

TEST_F(name_lookup_test, may_be_destroyed_by_whom_it_tells_and_from_any_thread) {
  run_on(*thread, [&] {
    lookup->find("127.0.0.1", 80, [&](auto...) {
      lookup.reset();
      seen.note("destroyed");
    });
    lookup->find("127.0.0.1", 80, note());
  });
  EXPECT_EQ(seen.wait_for(1), lines{"destroyed"});
  lookup.emplace(*thread);
  run_on(*thread, [&] { lookup->find("no-such-host.invalid", 80, note()); });
  lookup.reset();
  thread.reset();
}

} // namespace troupe::tests::name_lookup_test
