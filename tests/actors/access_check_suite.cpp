#define CAF_SUITE access_check

#include "actors/troupe/access_check.hpp"
#include "actors/troupe/access_key.hpp"
#include "tests/support/caf_test.hpp"
#include "tests/support/scratch.hpp"

#include <fstream>

namespace troupe::tests::access_check_suite {

using troupe::access_answer;
using troupe::asked_thing;
using troupe::check_access;
using troupe::gateway_options;

namespace {

/// A gateway with one server and an access key for Ada.
struct world {
  world() {
    options.auth.keys_file = folder.path("keys");
    std::ofstream{options.auth.keys_file} << "ada sha256:" << key.hash << " read -\n";
    options.servers.push_back({"a", troupe::command("a")});
    options.servers.front().access.tools = {{"add", {.scopes = {"write"}}}};
    options.servers.front().deny_tools = {"slow"};
  }

  access_answer tool(std::string name) const {
    return check_access(options, {.name = "ada", .thing = asked_thing{.server = "a", .name = std::move(name)}});
  }

  troupe::tests::scratch folder;
  troupe::made_key key = troupe::make_access_key();
  gateway_options options;
};

const std::string ada = "ada, by a key\n  scopes: read\n  expires: never\n";

} // namespace

CAF_TEST_FIXTURE_SCOPE(access_check_tests, world)

CAF_TEST(somebody is known by a name and by a key) {
  for (const auto& answer : {check_access(options, {.name = "ada"}), check_access(options, {.secret = key.secret})}) {
    CAF_CHECK(answer.allowed);
    CAF_CHECK_EQUAL(answer.text,
                    ada + "comes in\nserver a: allowed\n  tools add: needs the scopes write, of which it lacks write\n"
                          "  of its tools only those that its \"tools\" lets through, for everybody\n");
  }
}

CAF_TEST(nobody may anything) {
  const auto nobody = check_access(options, {.name = "eve"});
  CAF_CHECK(!nobody.allowed);
  CAF_CHECK_EQUAL(nobody.text.find(key.hash), std::string::npos);
  const auto stranger = check_access(options, {.secret = troupe::make_access_key().secret});
  CAF_CHECK(!stranger.allowed);
  CAF_CHECK_EQUAL(stranger.text, "refused with 401, the key is not known\n");
}

CAF_TEST(a gateway without keys and issuer looks at no key) {
  options.auth.keys_file.clear();
  const auto answer = check_access(options, {.secret = key.secret});
  CAF_CHECK(!answer.allowed);
  CAF_CHECK_EQUAL(answer.text, "there are neither keys nor an issuer: no key or token is looked at\n");
}

CAF_TEST(somebody whose token is not at hand has what he is to have) {
  options.auth.issuer = troupe::issuer_options{.url = "http://127.0.0.1:9", .audiences = {"troupe"}};
  const auto eve = check_access(options, {.subject = "eve", .scopes = {"write"}, .groups = {"staff"}});
  CAF_CHECK(eve.allowed);
  CAF_CHECK_EQUAL(eve.text,
                  "eve, by a token\n  issuer: http://127.0.0.1:9\n  scopes: write\n  groups: staff\ncomes in\n"
                  "server a: allowed\n  tools add: allowed\n"
                  "  of its tools only those that its \"tools\" lets through, for everybody\n");
}

CAF_TEST(a tool is judged by all that hides it) {
  CAF_CHECK(tool("echo").allowed);
  CAF_CHECK(!tool("add").allowed);
  CAF_CHECK(!tool("slow").allowed);
  CAF_CHECK_EQUAL(check_access(options, {.name = "ada", .thing = asked_thing{.server = "b", .name = "x"}}).text,
                  ada + "there is no server of that name\n");
}

CAF_TEST(options that are not good are refused) {
  options.auth.keys_file = folder.path("none");
  std::string why;
  try {
    check_access(options, {.name = "ada"});
  } catch (const std::runtime_error& error) {
    why = error.what();
  }
  CAF_CHECK(why.starts_with("cannot read '" + options.auth.keys_file + "'"));
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::access_check_suite
