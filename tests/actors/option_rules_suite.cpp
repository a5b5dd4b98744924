#define CAF_SUITE option_rules

#include "actors/gateway/option_rules.hpp"
#include "actors/gateway/option_table.hpp"
#include "actors/gateway/server_rules.hpp"
#include "actors/troupe/caf.hpp"
#include "actors/troupe/server.hpp"
#include "tests/support/caf_test.hpp"

#include <chrono>
#include <limits>
#include <string>
#include <variant>

namespace troupe::tests::option_rules_suite {

using troupe::command;
using troupe::gateway_options;
using troupe::remote;
using troupe::server_options;
using troupe::actors::own_name;

namespace {

gateway_options node() {
  gateway_options result;
  result.servers.push_back({"files", command("files")});
  result.cluster.emplace().name = "a";
  result.cluster->key = "0123456789abcdef";
  return result;
}

std::optional<std::string> why_not(const gateway_options& options) { return troupe::actors::why_not(options, false); }

/// The error for a gateway of these servers.
std::string fault_of(std::vector<server_options> servers, bool in_host = false) {
  gateway_options options;
  options.servers = std::move(servers);
  return troupe::actors::why_not(options, in_host).value_or("");
}

std::vector<server_options> servers(std::size_t count) {
  std::vector<server_options> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back({.name = "s" + std::to_string(i), .source = command("x"), .prefixed = false});
  return result;
}

/// Actors that are never spawned.
troupe::actor_server actors() {
  return troupe::spawned([](caf::actor_system&) { return troupe::mcp_server{}; });
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

CAF_TEST(a server is a command or a URL or a part of the host) {
  auto hosted = std::make_shared<troupe::server>(troupe::server_info{.name = "x"});
  CAF_CHECK_EQUAL(fault_of({{"x", command("x")}}), "");
  CAF_CHECK_EQUAL(fault_of({{"x", remote("http://x")}}), "");
  CAF_CHECK_EQUAL(fault_of({{"x", troupe::hosted(hosted)}}), "");
  CAF_CHECK_EQUAL(fault_of({{"x", actors()}}, true), "");
}

CAF_TEST(what a server comes from is there) {
  CAF_CHECK_EQUAL(fault_of({{.name = "x", .sharing = troupe::sharing::shared}}),
                  "the server x does not say where it comes from: give it a command, a URL or a hosted server");
  CAF_CHECK_EQUAL(fault_of({{"x", command("")}}), "the server x has an empty command");
  CAF_CHECK_EQUAL(fault_of({{"x", troupe::hosted(nullptr)}}), "the server x has no hosted server: it is null");
  CAF_CHECK_EQUAL(fault_of({{"x", troupe::actor_server{}}}, true), "the server x has no actor: what makes it is null");
  CAF_CHECK_EQUAL(fault_of({{"x", troupe::spawned(nullptr)}}, true),
                  "the server x has no actor: what makes it is null");
}

static_assert(!troupe::text_like<int> && !troupe::text_like<char> && !troupe::text_like<double>);

CAF_TEST(a command takes all kinds of texts) {
  const std::string_view view = "view";
  CAF_CHECK(command(view, view, std::string{"string"}, "literal") ==
            (troupe::command_server{.program = "view", .arguments = {"view", "string", "literal"}}));
}

CAF_TEST(a server without a name has that of what it comes from) {
  auto hosted = std::make_shared<troupe::server>(troupe::server_info{.name = "x"});
  CAF_CHECK_EQUAL(own_name(command("bin/files", "-x")), "files");
  CAF_CHECK_EQUAL(own_name(remote("https://search.example:8443/mcp?key=secret")), "search.example:8443");
  CAF_CHECK_EQUAL(own_name(remote("https://user:secret@host/mcp")), "host");
  CAF_CHECK_EQUAL(own_name(troupe::hosted(hosted)), "x");
  for (const troupe::server_source& none :
       {troupe::server_source{}, troupe::server_source{command("")}, troupe::server_source{remote("")},
        troupe::server_source{remote("http://")}, troupe::server_source{troupe::hosted(nullptr)},
        troupe::server_source{actors()}})
    CAF_CHECK_EQUAL(own_name(none), "");
}

CAF_TEST(an actor of the host takes the actor system of the host) {
  std::vector<server_options> one{{"x", actors()}};
  CAF_CHECK_EQUAL(fault_of(one), "the server x is an actor, which takes a gateway in the actor system of its host");
  CAF_CHECK_EQUAL(fault_of(one, true), "");
}

CAF_TEST(servers have names of their own that fit into a path) {
  auto bad = "server 1 needs a name of 1 to 64 characters, none of them `/` or a control character, that is not `.` or "
             "`..`";
  for (auto name : {std::string{}, std::string{"a/b"}, std::string{".."}, std::string{"a\nb"}, std::string(65, 'a')})
    CAF_CHECK_EQUAL(fault_of({{name, command("x")}}), bad);
  CAF_CHECK_EQUAL(fault_of({{std::string(64, 'a'), command("x")}}), "");
  CAF_CHECK_EQUAL(fault_of({{std::string(65, 'a'), command("bin/" + std::string(65, 'a'))}}), "");
  for (auto name : {".", "..", "a\nb"})
    CAF_CHECK_EQUAL(fault_of({{name, command(std::string{"bin/"} + name)}}), bad);
  CAF_CHECK_EQUAL(fault_of({{"x", command("x")}, {"x", command("y")}}), "two servers are called x");
  CAF_CHECK_EQUAL(fault_of(servers(999)), "");
  CAF_CHECK_EQUAL(fault_of(servers(1000)), "");
  CAF_CHECK_EQUAL(fault_of(servers(1001)), "there are more than 1000 servers");
}

CAF_TEST(tools of merged servers cannot have the same names) {
  auto clash = "the tools of the servers a.b and a_b could have the same names: give a prefix";
  CAF_CHECK_EQUAL(fault_of({{"a.b", command("x")}, {"a_b", command("x")}}), clash);
  CAF_CHECK_EQUAL(fault_of({{"a.b", command("x")}, {.name = "a_b", .source = command("x"), .prefix = "c"}}), "");
  CAF_CHECK_EQUAL(fault_of({{"a.b", command("x")}, {.name = "a_b", .source = command("x"), .prefixed = false}}), "");
}

CAF_TEST(what a server is told is in its bounds) {
  auto fault = [](auto change) {
    server_options one{"x", command("x")};
    change(one);
    return fault_of({one});
  };
  using namespace std::chrono_literals;
  auto of_pool = [](std::size_t size) {
    return [size](server_options& one) {
      one.sharing = troupe::sharing::pool;
      one.pool_size = size;
    };
  };
  for (std::size_t size : {1U, 99U, 100U})
    CAF_CHECK_EQUAL(fault(of_pool(size)), "");
  for (std::size_t size : {0U, 101U})
    CAF_CHECK_EQUAL(fault(of_pool(size)), "the server x must have a pool of 1 to 100");
  auto of_far = [](std::size_t connections) {
    return [connections](server_options& one) {
      one.source = troupe::remote_server{.url = "http://h", .connections = connections};
    };
  };
  for (std::size_t most : {1U, 10000U})
    CAF_CHECK_EQUAL(fault(of_far(most)), "");
  for (std::size_t most : {0U, 10001U})
    CAF_CHECK_EQUAL(fault(of_far(most)), "the server x must have 1 to 10000 connections");
  auto of_era = [](troupe::remote_transport transport) {
    return [transport](server_options& one) {
      one.source = troupe::remote_server{.url = "http://h", .transport = transport};
      one.era = troupe::era::modern;
    };
  };
  CAF_CHECK_EQUAL(fault(of_era(troupe::remote_transport::streamable_http)), "");
  CAF_CHECK_EQUAL(fault(of_era(troupe::remote_transport::http_sse)),
                  "the server x cannot speak 2026-07-28 over HTTP+SSE, which is of 2024-11-05 only");
  CAF_CHECK_EQUAL(fault([](auto& one) { one.restart.attempts = 0; }),
                  "the server x must have 1 to 1000 attempts to restart it");
  CAF_CHECK_EQUAL(fault([](auto& one) { one.restart.first_delay = 1min; }),
                  "the server x has a first delay of restarts that is longer than the longest");
  CAF_CHECK_EQUAL(fault([](auto& one) {
                    one.source = troupe::command_server{.program = "x", .environment = {{"A=B", ""}}};
                  }),
                  "the server x has a name of an environment variable that is none");
  CAF_CHECK_EQUAL(fault([](auto& one) { one.timeout = -1ms; }), "the server x has a timeout below zero");
  CAF_CHECK_EQUAL(fault([](auto& one) { one.prefix = "a b"; }),
                  "the server x has a prefix with other than letters, digits, `_` and `-`, or more than 64 of them");
}

CAF_TEST(what a remote server is told is fit for HTTP) {
  auto fault = [](const std::string& url, std::vector<std::pair<std::string, std::string>> headers) {
    return fault_of({{"x", troupe::remote_server{.url = url, .headers = std::move(headers)}}});
  };
  CAF_CHECK_EQUAL(fault("http://x", {{"Authorization", "secret"}}), "");
  CAF_CHECK_EQUAL(fault("file:///x", {}),
                  "the server x has a URL that is none of http or https with a host, no user and no fragment: "
                  "the URL does not begin with http:// or https://");
  CAF_CHECK_EQUAL(fault("", {}),
                  "the server x has a URL that is none of http or https with a host, no user and no fragment: "
                  "the URL does not begin with http:// or https://");
  CAF_CHECK_EQUAL(fault("http://x", {{"a b", ""}}), "the server x has a name of a header that is none");
  CAF_CHECK_EQUAL(fault("http://x", {{"Host", "y"}}), "the server x has a header that the gateway sets itself");
  CAF_CHECK_EQUAL(fault("http://x", {{"A", "\r\n"}}),
                  "the server x has a header with line breaks or other control characters");
  CAF_CHECK_EQUAL(fault("http://x", {{"A", ""}, {"a", ""}}),
                  "the server x has a header twice: case does not tell headers apart");
}

namespace {

/// The error of a gateway after a change.
template <class Change>
std::string fault_after(Change change) {
  gateway_options options;
  change(options);
  return why_not(options).value_or("");
}

/// Checks each number and time of a section just inside and just outside of its bounds.
template <class Options, class Section>
void check_bounds(troupe::protocol::option_rows<Options> rows, const std::string& above, Section section) {
  using row_type = troupe::protocol::option_row<Options>;
  for (const auto& row : rows) {
    const auto name = above + troupe::protocol::member_name(row.key) + ' ';
    const auto fault = [&](auto member, auto value) {
      return fault_after([&](gateway_options& all) { section(all).*member = value; });
    };
    if (const auto* size = std::get_if<typename row_type::size_member>(&row.member)) {
      const auto [least, most] = row.rule.within;
      const auto refused = name + "must be " + std::to_string(least) + " to " + std::to_string(most);
      for (const auto good : {least, least + 1, most - 1, most})
        CAF_CHECK_EQUAL(fault(*size, good), "");
      CAF_CHECK_EQUAL(fault(*size, most + 1), refused);
      if (least > 1) // zero may be the default, which is never refused
        CAF_CHECK_EQUAL(fault(*size, least - 1), refused);
    } else if (const auto* time = std::get_if<typename row_type::time_member>(&row.member)) {
      const auto least = static_cast<long>(row.rule.within.least);
      CAF_CHECK_EQUAL(fault(*time, std::chrono::milliseconds{least}), "");
      CAF_CHECK_EQUAL(fault(*time, std::chrono::milliseconds{least - 1}),
                      name + (least > 0 ? "must be above zero" : "must not be below zero"));
    }
  }
}

} // namespace

CAF_TEST(numbers and times of a gateway are within their bounds) {
  check_bounds<gateway_options>(
      troupe::actors::option_table::gateway_rows, "", [](auto& all) -> auto& { return all; });
  check_bounds<troupe::limits>(
      troupe::actors::option_table::limit_rows, "limits.", [](auto& all) -> auto& { return all.limits; });
  check_bounds<troupe::address_limits>(
      troupe::actors::option_table::address_rows, "limits.per_address.",
      [](auto& all) -> auto& { return all.limits.per_address; });
}

CAF_TEST(a gateway has sessions and bodies and threads for handlers) {
  CAF_CHECK_EQUAL(fault_after([](auto& all) { all.max_sessions = 0; }), "max_sessions must be 1 to 10000000");
  CAF_CHECK_EQUAL(fault_after([](auto& all) { all.max_body = 0; }), "max_body must be 1 to 1073741824");
  CAF_CHECK_EQUAL(fault_after([](auto& all) { all.handler_threads = 0; }), "handler_threads must be 1 to 1024");
  CAF_CHECK_EQUAL(fault_after([](auto& all) { all.handler_threads = 1025; }), "handler_threads must be 1 to 1024");
}

CAF_TEST(operators beyond this machine show a token) {
  auto fault = [](const troupe::admin_options& admin) {
    gateway_options options;
    options.admin = admin;
    return why_not(options).value_or("");
  };
  for (auto host : {"127.0.0.1", "localhost", "::1", "unix:/run/troupe.sock"})
    CAF_CHECK_EQUAL(fault({.host = host}), "");
  for (std::string host : {"0.0.0.0", "::", "10.0.0.5", "node-1.internal"}) {
    CAF_CHECK_EQUAL(fault({.host = host}),
                    "operators are listened for at " + host +
                        ", beyond this machine, and would not be asked who they are: give admin.tokenFile "
                        "(--admin-token-file)");
    CAF_CHECK_EQUAL(fault({.host = host, .token = "0123456789abcdef"}), "");
    CAF_CHECK_EQUAL(fault({.host = host, .token_file = "token"}), "");
  }
  CAF_CHECK_EQUAL(fault({.host = ""}), "admin.host is empty");
}

CAF_TEST(a token of operators can be shown and is one) {
  auto fault = [](std::string token, std::string file = {}) {
    gateway_options options;
    options.admin = {.token = std::move(token), .token_file = std::move(file)};
    return why_not(options).value_or("");
  };
  CAF_CHECK_EQUAL(fault("0123456789abcdef"), "");
  CAF_CHECK_EQUAL(fault("0123456789abcde"),
                  "admin.token must have at least 16 characters, such as those of `openssl rand -hex 32`");
  CAF_CHECK_EQUAL(fault("0123456789abcdef\n"), "admin.token must be one line of visible characters of ASCII");
  CAF_CHECK_EQUAL(fault("0123456789abcdef", "token"),
                  "admin.token and admin.token_file are two tokens: give one of them");
}

CAF_TEST(operators need no token where only loopback is open) {
  auto fault = [](troupe::admin_options admin) {
    gateway_options options;
    admin.open = true;
    options.admin = std::move(admin);
    return why_not(options).value_or("");
  };
  for (auto host : {"127.0.0.1", "localhost", "::1"})
    CAF_CHECK_EQUAL(fault({.host = host}), "");
  CAF_CHECK_EQUAL(
      fault({.host = "0.0.0.0"}),
      "admin.open (--admin-open) is for loopback addresses only, and operators are listened for at 0.0.0.0: "
      "give admin.tokenFile (--admin-token-file) instead");
  CAF_CHECK_EQUAL(fault({.host = "unix:s"}),
                  "admin.open (--admin-open) is not for a unix socket, where no token is asked for: leave it out");
  const auto two = "admin.open (--admin-open) asks operators for no token, and one is given: leave one of them out";
  CAF_CHECK_EQUAL(fault({.token = "0123456789abcdef"}), two);
  CAF_CHECK_EQUAL(fault({.token_file = "token"}), two);
}

CAF_TEST(spans go to a URL and their counts go together) {
  auto fault = [](troupe::trace_options traces) {
    gateway_options options;
    if (traces.endpoint.empty())
      traces.endpoint = "http://127.0.0.1:4318/v1/traces";
    options.traces = std::move(traces);
    return why_not(options).value_or("");
  };
  CAF_CHECK_EQUAL(fault({}), "");
  CAF_CHECK(fault({.endpoint = "127.0.0.1:4318"}).starts_with("traces.endpoint "));
  for (double ratio : {0.0, 0.5, 1.0})
    CAF_CHECK_EQUAL(fault({.ratio = ratio}), "");
  for (double ratio : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    CAF_CHECK_EQUAL(fault({.ratio = ratio}), "traces.ratio must be 0 to 1");
  for (std::size_t batch : {1, 9, 10})
    CAF_CHECK_EQUAL(fault({.queue = 10, .batch = batch}), "");
  for (std::size_t batch : {0, 11})
    CAF_CHECK_EQUAL(fault({.queue = 10, .batch = batch}), "traces.batch must be above zero and at most traces.queue");
  CAF_CHECK_EQUAL(fault({.queue = 1'000'001}), "traces.queue must be at most 1000000");
  CAF_CHECK_EQUAL(fault({.delay = std::chrono::milliseconds{0}}),
                  "traces.delay, traces.timeout and traces.patience must be above zero");
}

CAF_TEST(a server that is told of its callers has one at a time and knows who it is) {
  gateway_options options;
  options.servers = {
      {.name = "far", .source = troupe::remote_server{.url = "https://far/mcp", .headers = {{"X", "${principal.a}"}}}}};
  CAF_CHECK_EQUAL(
      why_not(options).value_or(""),
      "the server far is told who asks (`${principal.…}`), but nobody has to say who he is: that takes keys, "
      "an issuer or certificates");
  options.auth.issuer = {.url = "https://as", .audiences = {"troupe"}};
  CAF_CHECK(!why_not(options));
  options.servers[0].sharing = troupe::sharing::shared;
  CAF_CHECK_EQUAL(why_not(options).value_or(""),
                  "the server far is told who asks (`${principal.…}`), which takes `sharing` `session` or `principal`");
  options.servers[0] = {.name = "near",
                        .source = troupe::command_server{.program = "x", .environment = {{"X", "${principal.}"}}}};
  CAF_CHECK_EQUAL(why_not(options).value_or(""), "the server near has a `${principal.}` without a name");
}

CAF_TEST(the URL of a gateway may have a path that needs no escapes) {
  auto fault = [](const std::string& url) {
    gateway_options options;
    options.auth.url = url;
    return why_not(options).value_or("");
  };
  for (auto good : {"", "https://gw", "https://gw/", "https://gw/troupe", "https://gw/troupe/", "https://gw:81/a/b-c"})
    CAF_CHECK_EQUAL(fault(good), "");
  CAF_CHECK_EQUAL(fault("https://gw/a//b"),
                  "auth.url: its path must not have empty parts, and none that begins with a dot");
  for (auto bad :
       {"https://gw//", "https://gw/../a", "https://gw/a?b", "https://gw/?b", "https://gw/a%20b", "https://gw/a'b"})
    CAF_CHECK(fault(bad).starts_with("auth.url: its path must "));
}

CAF_TEST(tokens of a server are granted at one place and exchanged for those of callers) {
  gateway_options options;
  troupe::remote_server far{.url = "https://far/mcp"};
  far.auth = {.grant = troupe::grant_options::kind::token_exchange,
              .issuer = "https://as",
              .client_id = "c",
              .client_secret = "s"};
  options.servers = {{.name = "far", .source = far}};
  CAF_CHECK_EQUAL(why_not(options).value_or("").substr(0, 55),
                  "the server far is shown a token of each caller, but nob");
  options.auth.issuer = {.url = "https://as", .audiences = {"troupe"}};
  CAF_CHECK(!why_not(options));
  options.cluster = node().cluster;
  CAF_CHECK(!why_not(options));
  options.cluster->plain = true;
  CAF_CHECK_EQUAL(why_not(options).value_or("").substr(0, 38), "the server far takes callers' tokens, ");
  options.cluster.reset();
  far.auth->token_endpoint = "https://as/token";
  options.servers = {{.name = "far", .source = far}};
  CAF_CHECK_EQUAL(why_not(options).value_or(""), "the server far has tokens of either an issuer or a token endpoint");
}

} // namespace troupe::tests::option_rules_suite
