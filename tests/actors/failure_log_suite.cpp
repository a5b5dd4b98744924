#define CAF_SUITE failure_log

#include "actors/upstream/failure_log.hpp"
#include "tests/support/caf_test.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests::failure_log_suite {

using namespace std::chrono_literals;
using actors::upstream_failure;
using protocol::secret_mask;

namespace {

using lines = std::vector<std::string>;

/// Log of the failures of one server, whose environment has a key.
struct failing_server {
  /// Returns the line of a failure without the time of the next try, which depends on the clock.
  std::string line_of(const upstream_failure& what) {
    written.clear();
    log.failed(what, now);
    CAF_REQUIRE_EQUAL(written.size(), 1u);
    return written.front();
  }

  void note(const log_record& record) {
    std::string line{record.level == log_level::error ? "error " : "warning "};
    line += record.text;
    for (auto& [name, value] : record.fields)
      line += name == "next_try_at" ? " at" : " " + name + "=" + value;
    written.push_back(std::move(line));
  }

  static constexpr protocol::time_point now{1h};
  lines written;
  actors::failure_log log{"files", actors::event_log{[this](const log_record& record) { note(record); }},
                          std::make_shared<const secret_mask>(
                              std::vector<std::pair<std::string, std::string>>{{"API_KEY", "abcd-1234-efgh"}}),
                          500ms};
};

} // namespace

CAF_TEST(a failure is a line with its cause and its count and the next try) {
  failing_server t;
  t.log.diagnostics()->with([](auto& of) { of.wrote(7, "Error: no key", {}); });
  const actors::ended_run run{.age = 38ms, .pid = 7};
  CAF_CHECK_EQUAL(t.line_of({.why = "exit 1", .run = run, .session = "1a2b", .next_try = 0ms}),
                  "warning server failed server=files session=1a2b failures=1 stderr=Error: no key why=exit 1 "
                  "after=0.038 s next_try=now");
  CAF_CHECK_EQUAL(t.line_of({.why = "exit 1", .run = run, .next_try = 530ms}),
                  "warning server failed server=files failures=2 stderr=Error: no key why=exit 1 after=0.038 s "
                  "next_try_in=0.530 s at");
  CAF_CHECK_EQUAL(t.line_of({.why = "exit 1", .run = run, .next_try = 60s, .is_resting = true}),
                  "error server failed server=files failures=3 stderr=Error: no key why=exit 1 after=0.038 s "
                  "next_try_in=60 s at");
}

CAF_TEST(a server that is started only for a user says so) {
  failing_server t;
  CAF_CHECK_EQUAL(t.line_of({.why = "not found"}),
                  "warning server failed server=files failures=1 why=not found next_try=when a client needs it");
}

CAF_TEST(a server that is not started for new sessions says for how long) {
  failing_server t;
  t.log.refused("not found", 60s, failing_server::now);
  CAF_CHECK_EQUAL(
      t.written,
      (lines{"error server is not started for new sessions server=files why=not found next_try_in=60 s at"}));
}

CAF_TEST(a shortage of the gateway is no failure of the server) {
  failing_server t;
  CAF_CHECK_EQUAL(t.line_of({.why = "out of descriptors", .is_shortage = true, .next_try = 1s}),
                  "warning server cannot be started now server=files why=out of descriptors next_try_in=1 s at");
  CAF_CHECK_EQUAL(t.log.diagnostics()->with([](auto& of) { return of.failure_count(); }), 0u);
}

CAF_TEST(neither the line nor the diagnostics have secrets) {
  failing_server t;
  CAF_CHECK_EQUAL(t.line_of({.why = "bad key abcd-1234-efgh", .next_try = 0ms}),
                  "warning server failed server=files failures=1 why=bad key *** next_try=now");
  CAF_CHECK_EQUAL(t.log.diagnostics()->with([](auto& of) { return of.failures().back().why; }), "bad key ***");
}

CAF_TEST(what is in the way of a server is a warning even when the log object is gone) {
  lines written;
  std::function<void(std::string)> write;
  {
    actors::failure_log log{"files",
                            actors::event_log{[&](const log_record& record) { written.push_back(record.text); }},
                            std::make_shared<const secret_mask>(), 1s};
    write = log.obstacle_writer();
  }
  write("no such program");
  CAF_CHECK_EQUAL(written, (lines{"server cannot work"}));
}

} // namespace troupe::tests::failure_log_suite
