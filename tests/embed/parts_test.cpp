// Errors for a host that uses a part of Troupe that was left out of the build.

#include <troupe/caf.hpp>
#include <troupe/gateway.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace troupe::tests::parts_test {

namespace {

constexpr const char* without_clusters = "a cluster is given, and this Troupe was built without (TROUPE_CLUSTER=OFF)";
constexpr const char* without_redis =
    "cluster.store is given, and this Troupe was built without Redis (TROUPE_REDIS=OFF)";

cluster_options node(const std::string& store) {
  cluster_options result;
  result.name = "a";
  result.port = 0;
  result.key = "0123456789abcdef";
  result.store = store;
  return result;
}

std::string why_not(const std::function<void()>& what) {
  try {
    what();
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

} // namespace

TEST(options, that_take_a_part_which_was_left_out_are_refused) {
  gateway_options options;
  options.cluster = node({});
  EXPECT_EQ(why_not([&] { check_options(options); }), TROUPE_HAS_CLUSTER ? "" : without_clusters);
  options.cluster = node("redis://127.0.0.1");
  EXPECT_EQ(why_not([&] { check_options(options); }), TROUPE_HAS_REDIS     ? ""
                                                      : TROUPE_HAS_CLUSTER ? without_redis
                                                                           : without_clusters);
}

TEST(an_actor_system, is_not_prepared_for_what_was_left_out) {
  caf::actor_system_config config;
  EXPECT_EQ(why_not([&] { configure(config, node({})); }), TROUPE_HAS_CLUSTER ? "" : without_clusters);
}

} // namespace troupe::tests::parts_test
