#include "protocol/metrics/operation.hpp"

#include "protocol/metrics/metrics_page.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace troupe::tests::operation_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr call_outcome success{};

/// The number of operations with these labels.
long count_in(const thread_metrics& metrics, const std::string& family, const std::string& labels) {
  metrics_page page;
  page.add(metrics);
  const auto text = page.text();
  const auto line = family + "_count{" + labels + "} ";
  const auto found = text.find(line);
  return found == text.npos ? 0 : std::stol(text.substr(found + line.size()));
}

const std::string server_family = "mcp_server_operation_duration_seconds";
const std::string client_family = "mcp_client_operation_duration_seconds";

std::string labels_of(const std::string& tool, const std::string& server, const std::string& transport = "tcp",
                      const std::string& error = "") {
  return "mcp_method_name=\"tools/call\",gen_ai_tool_name=\"" + tool + "\",server=\"" + server +
         "\",network_transport=\"" + transport + "\"" + (error.empty() ? "" : ",error_type=\"" + error + "\"");
}

/// `tool` must need no escapes in JSON.
operation call_of(const std::string& tool, thread_metrics* known_by = nullptr) {
  return operation_of(
      gateway_message(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool + R"("}})"),
      known_by);
}

} // namespace

TEST(operation, is_counted_where_it_belongs_whatever_was_recorded_before) {
  thread_metrics metrics;
  auto add = [&](const operation& what, peer_labels by, call_outcome how) {
    record(metrics, metric::server_operation, what, by, how, 1ms);
  };
  for (int round = 0; round < 2; ++round) {
    add(call_of("read"), {"files", "tcp"}, success);
    add(call_of("read"), {"files", "tcp"}, success);
    add(call_of("write"), {"files", "tcp"}, success);
    add(call_of("write"), {"other", "tcp"}, success);
    add(call_of("write"), {"other", "unix"}, success);
    add(call_of("write"), {"other", "unix"}, failed_with(-32603));
    record(metrics, metric::client_operation, call_of("write"), {"other", "unix"}, failed_with(-32603), 1ms);
  }
  EXPECT_EQ(count_in(metrics, server_family, labels_of("read", "files")), 4);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("write", "files")), 2);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("write", "other")), 2);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("write", "other", "unix")), 2);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("write", "other", "unix", "-32603")), 2);
  EXPECT_EQ(count_in(metrics, client_family, labels_of("write", "other", "unix", "-32603")), 2);
}

TEST(operation, is_the_same_whoever_keeps_its_texts) {
  thread_metrics metrics;
  for (const std::string name : {"read", "read"})
    for (const std::string server : {"files", "files"})
      record(metrics, metric::server_operation, call_of(name), {server, "tcp"}, success, 1ms);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("read", "files")), 4);
}

TEST(operation, is_the_same_whoever_keeps_its_name) {
  thread_metrics metrics;
  for (int round = 0; round < 2; ++round)
    for (const std::string name : {"read", "read", "write", R"(r\u0065ad)"})
      for (auto* known_by : {&metrics, static_cast<thread_metrics*>(nullptr)})
        record(metrics, metric::server_operation, call_of(name, known_by), {"files", "tcp"}, success, 1ms);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("read", "files")), 12);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("write", "files")), 4);
}

TEST(operation, keeps_a_name_that_nobody_knows) {
  thread_metrics metrics;
  auto first = call_of("read", &metrics);
  EXPECT_TRUE(first.own_name);
  const auto moved = std::move(first);
  EXPECT_EQ(moved.name, "read");
  record(metrics, metric::client_operation, moved, {"files", "tcp"}, success, 1ms);
  const auto second = call_of("read", &metrics);
  EXPECT_FALSE(second.own_name);
  EXPECT_EQ(second.name, "read");
}

TEST(operation, has_its_name_once_that_is_known_to_name_something) {
  thread_metrics metrics;
  auto add = [&](call_outcome how) {
    record(metrics, metric::server_operation, call_of("read"), {"files", "tcp"}, how, 1ms);
  };
  add(failed_with(-32602));
  add(failed_with(-32602));
  add(success);
  add(failed_with(-32602));
  EXPECT_EQ(count_in(metrics, server_family, labels_of("other", "files", "tcp", "-32602")), 2);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("read", "files")), 1);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("read", "files", "tcp", "-32602")), 1);
}

TEST(operation, has_its_name_once_that_is_known_from_another_metric) {
  thread_metrics metrics;
  record(metrics, metric::server_operation, call_of("read"), {"files", "tcp"}, failed_with(-32602), 1ms);
  record(metrics, metric::client_operation, call_of("read"), {"files", "pipe"}, success, 1ms);
  record(metrics, metric::server_operation, call_of("read"), {"files", "tcp"}, failed_with(-32602), 1ms);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("other", "files", "tcp", "-32602")), 1);
  EXPECT_EQ(count_in(metrics, server_family, labels_of("read", "files", "tcp", "-32602")), 1);
}

} // namespace troupe::tests::operation_test
