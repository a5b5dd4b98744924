#define CAF_SUITE known_credentials

#include "actors/access/known_credentials.hpp"
#include "net/crypto.hpp"
#include "protocol/access/access_key.hpp"
#include "tests/support/caf_test.hpp"

namespace troupe::tests::known_credentials_suite {

using namespace std::chrono_literals;
using troupe::actors::known_credentials;
using troupe::net::digest_256;
using troupe::net::digest_hex;

namespace {

const troupe::protocol::time_point now{};

troupe::protocol::key_table table(const std::string& key, const std::string& name) {
  return troupe::protocol::key_table{{{.name = name, .hash = digest_hex(key)}}};
}

/// The subject of known credentials, or the reason of their refusal; empty when they are unknown.
std::string who_has(known_credentials& all, const std::string& secret, troupe::protocol::time_point when = now) {
  auto found = all.find(secret, when);
  if (auto* who = std::get_if<troupe::protocol::caller>(&found))
    return (*who)->subject;
  auto* why = std::get_if<std::string>(&found);
  return why ? *why : "";
}

} // namespace

CAF_TEST(a_key_is_known_again_until_the_keys_change) {
  known_credentials all;
  const std::string key = "troupe_0123456789abcdef";
  all.change(table(key, "ann"));
  for (int i = 0; i < 2; ++i)
    CAF_CHECK_EQUAL(who_has(all, key), "ann");
  CAF_CHECK(std::holds_alternative<troupe::protocol::caller>(all.find(key, now, 1)));
  CAF_CHECK_EQUAL(all.change(table(key, "bob")).size(), 1u);
  CAF_CHECK_EQUAL(who_has(all, key), "bob");
  all.change(table("troupe_another", "ann"));
  CAF_CHECK_EQUAL(who_has(all, key), "the key is not known");
  CAF_CHECK_EQUAL(who_has(all, ""), "the key is not known");
}

CAF_TEST(a_token_is_known_again_until_its_time_is_over) {
  known_credentials all{true};
  troupe::protocol::principal ann{.issuer = "https://as.example.com", .subject = "ann"};
  all.add(digest_256("a.token.of-hers"), std::make_shared<const troupe::protocol::principal>(ann), now + 10s);
  for (int i = 0; i < 2; ++i)
    CAF_CHECK_EQUAL(who_has(all, "a.token.of-hers"), "ann");
  CAF_CHECK_EQUAL(who_has(all, "b.token.of-hers"), ""); // it has the same end
  CAF_CHECK_EQUAL(who_has(all, "a.token.of-hers", now + 10s - 1ns), "ann");
  CAF_CHECK_EQUAL(who_has(all, "a.token.of-hers", now + 10s), "");
}

} // namespace troupe::tests::known_credentials_suite
