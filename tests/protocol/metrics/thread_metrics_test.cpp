#include "protocol/metrics/metrics_page.hpp"
#include "protocol/metrics/thread_metrics.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace troupe::tests::thread_metrics_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

/// Whether the text has that line.
bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

std::string text_of(const thread_metrics& of) {
  metrics_page page;
  page.add(of);
  return page.text();
}

std::size_t series_in(const thread_metrics& of) {
  std::size_t result = 0;
  for (auto* one = of.latest(); one; one = one->before)
    ++result;
  return result;
}

} // namespace

TEST(thread_metrics, tells_a_number_with_its_help_and_type) {
  thread_metrics metrics;
  metrics.number(metric::sessions, {"streamable_http"}).add(3);
  auto text = text_of(metrics);
  EXPECT_TRUE(has_line(text, "# HELP troupe_sessions Sessions of clients")) << text;
  EXPECT_TRUE(has_line(text, "# TYPE troupe_sessions gauge")) << text;
  EXPECT_TRUE(has_line(text, "troupe_sessions{transport=\"streamable_http\"} 3")) << text;
}

TEST(thread_metrics, gives_the_same_series_for_the_same_labels) {
  thread_metrics metrics;
  auto& one = metrics.number(metric::streams, {"primary"});
  EXPECT_EQ(&one, &metrics.number(metric::streams, {"primary"}));
  EXPECT_NE(&one, &metrics.number(metric::streams, {"shadow"}));
  EXPECT_EQ(series_in(metrics), 2U);
}

TEST(thread_metrics, counts_answers_by_their_status) {
  thread_metrics metrics;
  for (auto status : {200, 200, 404, 200})
    metrics.responses(status).add_alone(1);
  const auto text = text_of(metrics);
  EXPECT_TRUE(has_line(text, "troupe_http_responses_total{status=\"200\"} 3")) << text;
  EXPECT_TRUE(has_line(text, "troupe_http_responses_total{status=\"404\"} 1")) << text;
}

TEST(thread_metrics, knows_a_name_by_its_token_once_it_has_taken_it) {
  thread_metrics metrics;
  EXPECT_EQ(metrics.known_name(R"("read")"), "");
  metrics.bounded("read", false);
  EXPECT_EQ(metrics.known_name(R"("read")"), "");
  const auto read = metrics.bounded("read", true), write = metrics.bounded("write", true);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(metrics.known_name(R"("read")").data(), read.data());
    EXPECT_EQ(metrics.known_name(R"("write")").data(), write.data());
  }
  for (auto token : {"", "\"", "\"\"", "7", "null", "read", "[\"read\"]", "\"rea\""})
    EXPECT_EQ(metrics.known_name(token), "") << token;
}

TEST(thread_metrics, does_not_take_escapes_for_the_characters_they_stand_for) {
  thread_metrics metrics;
  metrics.bounded(R"(a\nb)", true); // a backslash and an n
  EXPECT_EQ(metrics.known_name(R"("a\nb")"), "");
  metrics.bounded("a\nb", true); // a line break
  EXPECT_EQ(metrics.known_name(R"("a\nb")"), "");
}

TEST(thread_metrics, tells_labels_apart_that_are_the_same_when_put_together) {
  thread_metrics metrics;
  metrics.number(metric::server_operation, {"a", "bc", "", "", ""}).add(1);
  metrics.number(metric::server_operation, {"ab", "c", "", "", ""}).add(1);
  EXPECT_EQ(series_in(metrics), 2U);
}

TEST(thread_metrics, adds_up_what_several_threads_have_measured) {
  thread_metrics one, other;
  one.number(metric::leases).add(5);
  other.number(metric::leases).add(-2);
  metrics_page page;
  page.add(one);
  page.add(other);
  EXPECT_TRUE(has_line(page.text(), "troupe_leases 3"));
}

TEST(thread_metrics, counts_a_duration_in_the_first_bucket_that_holds_it) {
  thread_metrics metrics;
  auto& durations = metrics.durations(metric::server_session, {"http_sse"});
  durations.record(10ms);
  durations.record(10ms + 1ns);
  durations.record(300s);
  durations.record(300s + 1ns);
  auto text = text_of(metrics);
  auto bucket = [](const std::string& bound, int count) {
    return "mcp_server_session_duration_seconds_bucket{transport=\"http_sse\",le=\"" + bound + "\"} " +
           std::to_string(count);
  };
  EXPECT_TRUE(has_line(text, bucket("0.01", 1))) << text;
  EXPECT_TRUE(has_line(text, bucket("0.02", 2))) << text;
  EXPECT_TRUE(has_line(text, bucket("120", 2))) << text;
  EXPECT_TRUE(has_line(text, bucket("300", 3))) << text;
  EXPECT_TRUE(has_line(text, bucket("+Inf", 4))) << text;
  EXPECT_TRUE(has_line(text, "mcp_server_session_duration_seconds_count{transport=\"http_sse\"} 4")) << text;
}

TEST(thread_metrics, leaves_out_labels_without_a_value_and_escapes_others) {
  thread_metrics metrics;
  metrics.durations(metric::client_operation, {"tools/call", "a\"b\\c\nd", "", "pipe", ""}).record(1s);
  auto text = text_of(metrics);
  EXPECT_TRUE(has_line(text,
                       "mcp_client_operation_duration_seconds_sum{mcp_method_name=\"tools/call\",gen_ai_tool_name="
                       "\"a\\\"b\\\\c\\nd\",network_transport=\"pipe\"} 1"))
      << text;
}

TEST(thread_metrics, takes_so_many_values_of_a_label_and_no_more) {
  thread_metrics metrics;
  for (std::size_t i = 1; i < thread_metrics::most_values; ++i)
    metrics.bounded(std::to_string(i), true);
  EXPECT_EQ(metrics.bounded("the last", true), "the last");
  EXPECT_EQ(metrics.bounded("one more", true), other_label);
  EXPECT_EQ(metrics.bounded("the last", false), "the last");
  EXPECT_EQ(metrics.bounded("", true), "");
}

TEST(thread_metrics, takes_no_value_of_a_label_that_names_nothing) {
  thread_metrics metrics;
  EXPECT_EQ(metrics.bounded("guessed", false), other_label);
  EXPECT_EQ(metrics.bounded("guessed", true), "guessed");
}

TEST(thread_metrics, has_so_many_series_and_then_one_more_of_each_metric) {
  thread_metrics metrics;
  for (std::size_t i = 0; i < thread_metrics::most_series; ++i)
    metrics.number(metric::server_starts, {std::to_string(i)}).add(1);
  EXPECT_EQ(series_in(metrics), thread_metrics::most_series);
  for (auto server : {"a", "b"})
    metrics.number(metric::server_starts, {server}).add(1);
  metrics.number(metric::leases).add(1);
  metrics.number(metric::server_starts, {"0"}).add(1);
  EXPECT_EQ(series_in(metrics), thread_metrics::most_series + 2);
  auto text = text_of(metrics);
  EXPECT_TRUE(has_line(text, "troupe_server_starts_total{server=\"other\"} 2"));
  EXPECT_TRUE(has_line(text, "troupe_server_starts_total{server=\"0\"} 2"));
}

TEST(thread_metrics, tells_successes_from_errors_when_it_has_too_many_series) {
  thread_metrics metrics;
  for (std::size_t i = 0; i < thread_metrics::most_series; ++i)
    metrics.number(metric::server_starts, {std::to_string(i)}).add(1);
  for (auto error : {"", "", "tool_error"})
    metrics.durations(metric::server_operation, {"ping", "", "a", "tcp", error}).record(1s);
  const std::string labels = "{mcp_method_name=\"other\",server=\"other\",network_transport=\"other\"";
  auto text = text_of(metrics);
  EXPECT_TRUE(has_line(text, "mcp_server_operation_duration_seconds_count" + labels + "} 2"));
  EXPECT_TRUE(has_line(text, "mcp_server_operation_duration_seconds_count" + labels + ",error_type=\"other\"} 1"));
}

TEST(thread_metrics, may_be_read_while_its_thread_adds_series) {
  thread_metrics metrics;
  std::atomic<bool> ends = false;
  std::thread reader{[&] {
    while (!ends)
      EXPECT_FALSE(text_of(metrics).empty() && series_in(metrics) > 1000);
  }};
  for (int i = 0; i < 1000; ++i)
    metrics.number(metric::server_starts, {std::to_string(i)}).add(1);
  ends = true;
  reader.join();
  EXPECT_EQ(series_in(metrics), 1000U);
}

TEST(metric_share, is_taken_back_at_its_end) {
  metric_number number;
  {
    metric_share one{number, 2};
    metric_share other{number};
    other.set(5);
    EXPECT_EQ(number.value(), 7);
    other.set(1);
    EXPECT_EQ(number.value(), 3);
    auto moved = std::move(one);
    EXPECT_EQ(number.value(), 3);
  }
  EXPECT_EQ(number.value(), 0);
  metric_share none;
  none.set(3);
}

TEST(metric_families, have_names_that_prometheus_recommends) {
  for (auto& one : metric_families()) {
    EXPECT_FALSE(one.help.empty()) << one.name;
    EXPECT_EQ(one.name.ends_with("_total"), one.kind == metric_kind::counter) << one.name;
    EXPECT_EQ(one.name.ends_with("_seconds"),
              one.kind == metric_kind::histogram || one.name == "process_start_time_seconds")
        << one.name;
  }
}

} // namespace troupe::tests::thread_metrics_test
