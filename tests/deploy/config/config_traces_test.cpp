#include "tests/deploy/config/config_driver.hpp"

#include "deploy/config/config_gateway.hpp"

#include <utility>
#include <vector>

namespace troupe::tests::config_traces_test {

using namespace deploy;

namespace {

/// A file with one server, and a section `gateway.traces` with these members on its second line.
std::string with_traces(const std::string& members) {
  return "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}, \"gateway\": {\"traces\": {\n" + members + "}}}";
}

const std::string some_endpoint = R"("endpoint": "http://h/v1/traces")";

/// The trace options of such a file with these variables; fails on errors.
trace_options traces_of(const std::string& members, const std::map<std::string, std::string>& variables = {}) {
  auto lookup = [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? test_variable(name) : std::optional(found->second);
  };
  auto file = read_config(with_traces(members), "/etc/troupe", lookup);
  for (const auto& problem : file.problems)
    ADD_FAILURE() << problem_line("f", problem);
  return file.gateway.traces.value_or(trace_options{});
}

} // namespace

TEST(config_traces, says_where_spans_go) {
  auto options =
      traces_of(some_endpoint + R"(, "headers": {"Authorization": "Bearer ${TOKEN}"}, "serviceName": "mine")");
  EXPECT_EQ(options.endpoint, "http://h/v1/traces");
  EXPECT_EQ(options.headers, (std::vector<std::pair<std::string, std::string>>{{"Authorization", "Bearer s3cret"}}));
  EXPECT_EQ(options.resource, (std::vector<std::pair<std::string, std::string>>{{"service.name", "mine"}}));
  EXPECT_EQ(options.ratio, 1);
  EXPECT_TRUE(options.follow_parent);
}

TEST(config_traces, traces_nothing_unless_told) {
  EXPECT_FALSE(read_text(one_server(R"("command": "x")")).gateway.traces);
}

TEST(config_traces, says_what_is_sampled) {
  EXPECT_EQ(traces_of(some_endpoint + R"(, "ratio": 0.01)").ratio, 0.01);
  EXPECT_TRUE(traces_of(some_endpoint + R"(, "ratio": 0.01)").follow_parent);
  auto options = traces_of(some_endpoint + R"(, "ratio": 0.25, "sampler": "traceidratio")");
  EXPECT_EQ(options.ratio, 0.25);
  EXPECT_FALSE(options.follow_parent);
  EXPECT_EQ(traces_of(some_endpoint + R"(, "sampler": "always_off")").ratio, 0);
}

TEST(config_traces, leaves_the_rest_to_the_environment) {
  const std::map<std::string, std::string> variables{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://e"},
                                                     {"OTEL_SERVICE_NAME", "theirs"},
                                                     {"OTEL_TRACES_SAMPLER", "always_off"},
                                                     {"OTEL_BSP_SCHEDULE_DELAY", "7"}};
  EXPECT_EQ(traces_of("", variables).endpoint, "http://e/v1/traces");
  auto options = traces_of(some_endpoint + R"(, "sampler": "always_on")", variables);
  EXPECT_EQ(options.endpoint, "http://h/v1/traces");
  EXPECT_EQ(options.resource.front().second, "theirs");
  EXPECT_EQ(options.ratio, 1);
  EXPECT_EQ(options.delay, std::chrono::milliseconds{7});
}

TEST(config_traces, names_what_is_wrong) {
  auto problem = [](const std::string& members) { return problems_of(with_traces(members)); };
  EXPECT_EQ(problem(R"("ratio": 1)").size(), 1U) << "there is no endpoint";
  EXPECT_EQ(problem(R"("endpoint": "h:4318")").size(), 1U);
  for (const auto* ratio : {"-1", "1.5", "\"1\"", "true"})
    EXPECT_EQ(problem(some_endpoint + R"(, "ratio": )" + ratio),
              lines{"f:2: error: gateway.traces.ratio: must be a number from 0 to 1"});
  EXPECT_EQ(problem(some_endpoint + R"(, "sampler": "sometimes")").size(), 1U);
  EXPECT_EQ(problem(some_endpoint + R"(, "ratio": 0.5, "sampler": "always_on")").size(), 1U);
  EXPECT_EQ(problem(some_endpoint + R"(, "headers": {"a b": "c"})").size(), 1U);
  EXPECT_EQ(problem(some_endpoint + R"(, "headers": {"a": "${BREAK}"})").size(), 1U);
  EXPECT_EQ(problem(some_endpoint + R"(, "headers": {"Content-Type": "c"})").size(), 1U);
  EXPECT_EQ(problem(some_endpoint + R"(, "nonsense": 1)").size(), 1U);
}

TEST(config_traces, takes_a_restart_to_change) {
  auto one = read_text(with_traces(some_endpoint));
  auto other = read_text(with_traces(some_endpoint + R"(, "ratio": 0.5)"));
  EXPECT_EQ(gateway_changes(one, other), lines{"gateway.traces"});
  EXPECT_EQ(gateway_changes(one, one), lines());
}

} // namespace troupe::tests::config_traces_test
