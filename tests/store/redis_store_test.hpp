#pragma once

#include "net/crypto.hpp"
#include "tests/support/redis_caller.hpp"
#include "tests/support/store_node.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace troupe::tests {

using namespace std::chrono_literals;

/// Tests of a store with a Redis of their own.
class redis_store_test : public tidy_test {
protected:
  redis_store_test() : server{std::in_place} { serve_again(); }
  /// Makes this Redis one that nodes have used before. One that no node has used may have lost all its data.
  void serve_again() {
    redis_caller writer{url()};
    EXPECT_TRUE(writer.is_connected());
    writer.ask({"EVAL", "return redis.call('SET', KEYS[1], redis.call('INFO', 'server'):match('run_id:(%w+)'))", "1",
                "troupe:test:server"});
  }
  std::string url() const { return server->url(); }
  /// Long time limits, for a busy machine.
  static actors::redis_store_setup calm() { return {.tenure_time = 10s}; }
  static std::string key(const char* kind, const std::string& session) {
    return std::string{"troupe:test:"} + kind + ":" + net::digest_hex(session);
  }

  std::optional<redis_server> server;
};

inline std::size_t count(const lines& all, const std::string& line) {
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), line));
}

} // namespace troupe::tests
