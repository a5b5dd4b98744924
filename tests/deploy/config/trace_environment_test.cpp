#include "deploy/config/config_traces.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::trace_environment_test {

using namespace deploy;

namespace {

using variables = std::map<std::string, std::string>;
using fields = std::vector<std::pair<std::string, std::string>>;

trace_environment environment_of(const variables& all) {
  return read_trace_environment([&](const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  });
}

/// The trace options of the variables; fails on errors.
trace_options options_of(const variables& all) {
  auto read = environment_of(all);
  EXPECT_EQ(read.problems, std::vector<std::string>());
  return read.options;
}

/// The only error about a variable.
std::string problem_of_variable(const std::string& name, const std::string& value) {
  auto read = environment_of({{name, value}});
  return read.problems.size() == 1 ? read.problems.front() : std::to_string(read.problems.size()) + " problems";
}

std::optional<trace_options> applied(std::optional<trace_options> to, const variables& all, int& complaints) {
  auto lookup = [&](const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  };
  apply_trace_environment(to, lookup, [&](const log_record&) { ++complaints; });
  return to;
}

} // namespace

TEST(trace_environment, has_defaults) {
  EXPECT_EQ(options_of({}), trace_options{});
  EXPECT_FALSE(environment_of({}).is_off);
}

TEST(trace_environment, takes_what_is_empty_for_not_set) {
  EXPECT_EQ(
      options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", ""}, {"OTEL_SDK_DISABLED", ""}, {"OTEL_BSP_SCHEDULE_DELAY", ""}}),
      trace_options{});
}

TEST(trace_environment, adds_the_path_to_the_endpoint_of_all_signals) {
  for (const auto* url : {"http://h:4318", "http://h:4318/"})
    EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", url}}).endpoint, "http://h:4318/v1/traces");
  EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h/a/"}}).endpoint, "http://h/a/v1/traces");
}

TEST(trace_environment, takes_the_endpoint_of_traces_as_it_is) {
  EXPECT_EQ(
      options_of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h"}, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://t/x"}})
          .endpoint,
      "https://t/x");
}

TEST(trace_environment, decodes_headers) {
  EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_HEADERS", "a=1, b=x%20y%3D ,c="}}).headers,
            (fields{{"a", "1"}, {"b", "x y="}, {"c", ""}}));
  EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_HEADERS", "a=1"}, {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "b=2"}}).headers,
            (fields{{"b", "2"}}));
}

TEST(trace_environment, names_no_value_of_a_header_that_is_wrong) {
  for (const auto* text : {"s3cret", "=s3cret", "a b=s3cret", "a=s3cret%0d%0a", "a=s3cret%2", "Content-Type=s3cret"})
    EXPECT_EQ(problem_of_variable("OTEL_EXPORTER_OTLP_HEADERS", text),
              "OTEL_EXPORTER_OTLP_HEADERS has an entry that is no KEY=VALUE")
        << text;
}

TEST(trace_environment, knows_the_samplers) {
  struct sampler_case {
    const char* name;
    const char* arg;
    bool follows;
    double ratio;
  };
  for (const auto& [name, arg, follows, ratio] : {sampler_case{"always_on", "0.5", false, 1},
                                                  {"always_off", "0.5", false, 0},
                                                  {"traceidratio", "0.5", false, 0.5},
                                                  {"traceidratio", "", false, 1},
                                                  {"parentbased_always_on", "0.5", true, 1},
                                                  {"parentbased_always_off", "", true, 0},
                                                  {"parentbased_traceidratio", "0.01", true, 0.01}}) {
    auto options = options_of({{"OTEL_TRACES_SAMPLER", name}, {"OTEL_TRACES_SAMPLER_ARG", arg}});
    EXPECT_EQ(options.follow_parent, follows) << name;
    EXPECT_EQ(options.ratio, ratio) << name;
  }
}

TEST(trace_environment, ignores_an_argument_without_a_sampler) {
  EXPECT_EQ(options_of({{"OTEL_TRACES_SAMPLER_ARG", "0.1"}}).ratio, 1);
}

TEST(trace_environment, keeps_the_default_where_a_sampler_is_wrong) {
  EXPECT_EQ(environment_of({{"OTEL_TRACES_SAMPLER", "sometimes"}}).options, trace_options{});
  for (const auto* ratio : {"-0.1", "1.1", "x", "0.5x", "nan"}) {
    auto read = environment_of({{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", ratio}});
    EXPECT_EQ(read.problems, std::vector<std::string>{"OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1"}) << ratio;
    EXPECT_EQ(read.options.ratio, 1);
  }
}

TEST(trace_environment, names_the_service) {
  EXPECT_EQ(options_of({{"OTEL_RESOURCE_ATTRIBUTES", "service.name=a,x=y%2Cz"}}).resource,
            (fields{{"service.name", "a"}, {"x", "y,z"}}));
  EXPECT_EQ(options_of({{"OTEL_RESOURCE_ATTRIBUTES", "service.name=a,x=y"}, {"OTEL_SERVICE_NAME", "b"}}).resource,
            (fields{{"x", "y"}, {"service.name", "b"}}));
}

TEST(trace_environment, bounds_counts_and_times) {
  EXPECT_EQ(options_of({{"OTEL_BSP_MAX_QUEUE_SIZE", "1"}}).batch, 1U);
  EXPECT_EQ(options_of({{"OTEL_BSP_MAX_QUEUE_SIZE", "1000000"}}).queue, 1'000'000U);
  EXPECT_EQ(options_of({{"OTEL_BSP_SCHEDULE_DELAY", "1"}}).delay, std::chrono::milliseconds{1});
  EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_TIMEOUT", "2"}, {"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "3"}}).timeout,
            std::chrono::milliseconds{3});
  for (const auto* number : {"0", "1000001", "-1", "x", "1s"})
    EXPECT_EQ(problem_of_variable("OTEL_BSP_MAX_QUEUE_SIZE", number),
              "OTEL_BSP_MAX_QUEUE_SIZE must be a number from 1 to 1000000")
        << number;
}

TEST(trace_environment, is_off_when_it_says_so) {
  EXPECT_TRUE(environment_of({{"OTEL_SDK_DISABLED", "TRUE"}}).is_off);
  EXPECT_FALSE(environment_of({{"OTEL_SDK_DISABLED", "1"}}).is_off);
  EXPECT_TRUE(environment_of({{"OTEL_TRACES_EXPORTER", "none"}}).is_off);
  EXPECT_FALSE(environment_of({{"OTEL_TRACES_EXPORTER", "otlp"}}).is_off);
  EXPECT_TRUE(environment_of({{"OTEL_TRACES_EXPORTER", "console"}}).is_off);
}

TEST(trace_environment, names_a_protocol_that_is_not_there) {
  EXPECT_EQ(options_of({{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"}}), trace_options{});
  EXPECT_EQ(problem_of_variable("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
            "OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf: spans are sent as http/json");
  EXPECT_EQ(problem_of_variable("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc"),
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be http/json: nothing is traced");
  EXPECT_FALSE(environment_of({{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"}}).is_off);
  EXPECT_TRUE(environment_of({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}}).is_off);
}

TEST(trace_environment, completes_the_options_of_a_gateway) {
  int complaints = 0;
  const variables endpoint{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h"}};
  EXPECT_EQ(applied({}, {}, complaints), std::nullopt);
  EXPECT_EQ(applied({}, endpoint, complaints)->endpoint, "http://h/v1/traces");
  EXPECT_EQ(applied(trace_options{.endpoint = "http://file"}, endpoint, complaints)->endpoint, "http://file");
  EXPECT_EQ(applied(trace_options{.endpoint = "http://file"}, {{"OTEL_SDK_DISABLED", "true"}}, complaints),
            std::nullopt);
  EXPECT_EQ(complaints, 0);
}

TEST(trace_environment, complains_only_where_requests_are_traced) {
  int complaints = 0;
  applied({}, {{"OTEL_TRACES_SAMPLER", "sometimes"}}, complaints);
  EXPECT_EQ(complaints, 0);
  applied({}, {{"OTEL_TRACES_SAMPLER", "sometimes"}, {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h"}}, complaints);
  EXPECT_EQ(complaints, 1);
}

} // namespace troupe::tests::trace_environment_test
