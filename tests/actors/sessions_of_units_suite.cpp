// The index by which brokers find sessions on other units.

#define CAF_SUITE sessions_of_units

#include "tests/support/world.hpp"

namespace troupe::tests::sessions_of_units_suite {

using protocol::transport;

namespace {

struct two_tables {
  std::shared_ptr<actors::all_sessions> all = std::make_shared<actors::all_sessions>();
  actors::local_sessions first{0, all}, second{1, all};
  actors::local_session one{"s1", transport::streamable_http, "files", {}, "ann"};

  bool is_known(transport via, std::string_view path, std::string_view whose = "ann") const {
    return first.find_elsewhere("s1", via, path, whose).has_value();
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(sessions_of_units_tests, two_tables)

CAF_TEST(a session is found from every unit and on its own without the others) {
  second.add(one);
  CAF_CHECK(second.find("s1", transport::streamable_http, "files", "ann") != nullptr);
  CAF_CHECK(first.find("s1", transport::streamable_http, "files", "ann") == nullptr);
  auto found = first.find_elsewhere("s1", transport::streamable_http, "files", "ann");
  CAF_REQUIRE(found.has_value());
  CAF_CHECK_EQUAL(found->unit, 1u);
}

CAF_TEST(a session is found by its own transport path and owner only) {
  second.add(one);
  CAF_CHECK(is_known(transport::streamable_http, "files"));
  CAF_CHECK(!is_known(transport::http_sse, "files"));
  CAF_CHECK(!is_known(transport::streamable_http, ""));
  CAF_CHECK(!is_known(transport::streamable_http, "files", "bob"));
  CAF_CHECK(!is_known(transport::streamable_http, "files", ""));
  CAF_CHECK(second.find("s1", transport::streamable_http, "files", "bob") == nullptr);
}

CAF_TEST(a session that ended is found nowhere) {
  second.add(one);
  second.remove(one);
  CAF_CHECK(!is_known(transport::streamable_http, "files"));
  CAF_CHECK(second.find("s1", transport::streamable_http, "files", "ann") == nullptr);
}

CAF_TEST(a lease is found by its key too until that is taken away) {
  const protocol::lease_key key{"key"};
  second.add(one);
  second.add(one, key);
  CAF_CHECK(second.find(key, transport::streamable_http, "files", "ann") == &one);
  CAF_CHECK(first.find_elsewhere(key, transport::streamable_http, "files", "ann"));
  CAF_CHECK(second.find(key.text, transport::streamable_http, "files", "ann") == nullptr);
  CAF_CHECK(!first.find_elsewhere(key.text, transport::streamable_http, "files", "ann"));
  CAF_CHECK(second.find(protocol::lease_key{one.id}, transport::streamable_http, "files", "ann") == nullptr);
  second.remove(one, key);
  CAF_CHECK(!first.find_elsewhere(key, transport::streamable_http, "files", "ann"));
  CAF_CHECK(is_known(transport::streamable_http, "files"));
}

CAF_TEST(a unit alone knows of no others) {
  actors::local_sessions alone{0, nullptr};
  alone.add(one);
  CAF_CHECK(alone.find("s1", transport::streamable_http, "files", "ann") != nullptr);
  CAF_CHECK(!alone.find_elsewhere("s1", transport::streamable_http, "files", "ann"));
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::sessions_of_units_suite
