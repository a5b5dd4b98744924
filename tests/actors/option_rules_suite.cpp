#define CAF_SUITE option_rules

#include "actors/option_rules.hpp"

#include <caf/test/dsl.hpp>

using troupe::gateway_options;
using troupe::actors::why_not;

namespace {

gateway_options node() {
  gateway_options result;
  result.servers.emplace_back().name = "files";
  result.cluster.emplace().name = "a";
  result.cluster->key = "0123456789abcdef";
  return result;
}

} // namespace

CAF_TEST(a gateway is no node unless it is told) { CAF_CHECK(!why_not({})); }

CAF_TEST(a node has a name and a key) {
  auto options = node();
  CAF_CHECK(!why_not(options));
  options.cluster->key.pop_back();
  CAF_CHECK_EQUAL(why_not(options).value_or(""),
                  "cluster.key must have at least 16 bytes, such as those of `openssl rand -hex 32`");
}

CAF_TEST(what is restored is kept somewhere) {
  auto options = node();
  options.servers.front().recovery = troupe::recovery::restore;
  CAF_CHECK_EQUAL(why_not(options).value_or(""), "the server files is to be restored, which takes cluster.store");
  options.cluster->store = "redis://localhost";
  CAF_CHECK(!why_not(options));
  options.cluster.reset();
  CAF_CHECK(why_not(options).has_value());
}
