#pragma once

#include "net/redis/redis_client.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/test_listener.hpp"

#include <optional>

namespace troupe::tests {

/// A reply in the notation of the tests.
inline std::string text_of(const net::redis_reply& reply) {
  using kind = net::redis_reply::kind;
  std::string result;
  switch (reply.is) {
  case kind::nil:
    return "nil";
  case kind::integer:
    return std::to_string(reply.number);
  case kind::array:
    for (auto& one : reply.parts)
      result += (result.empty() ? "" : " ") + text_of(one);
    return "[" + result + "]";
  case kind::error:
    return "error " + reply.text;
  case kind::lost:
    return "lost " + reply.text;
  default:
    return "'" + reply.text + "'";
  }
}

/// A Redis client with a thread of its own.
///
/// The journal has each reply in the notation of `text_of`. `changes` has `connected` or `lost: why`.
class redis_caller {
public:
  explicit redis_caller(const std::string& url, const net::redis_options& options = {}) {
    std::string why_not;
    auto told = [this](const std::string& why) { changes.note(why.empty() ? "connected" : "lost: " + why); };
    client_.emplace(*thread_, protocol::parse_redis_address(url, why_not).value(), options, told);
  }
  ~redis_caller() { stop(); }
  redis_caller(const redis_caller&) = delete;
  redis_caller& operator=(const redis_caller&) = delete;

  bool is_connected() const { return changes.wait_for("connected").back() == "connected"; }
  /// Runs the commands on the thread as one batch.
  void let(const std::function<void(net::redis_client&)>& work) {
    run_on(*thread_, [&] { work(*client_); });
  }
  void send(const net::redis_command& command) {
    let([&](auto& client) { client.send(command, note()); });
  }
  std::string ask(const net::redis_command& command) {
    auto before = seen.all().size();
    send(command);
    return seen.wait_for(before + 1).back();
  }
  net::redis_client::on_reply note() {
    return [this](const net::redis_reply& reply) { seen.note(text_of(reply)); };
  }
  /// Destroys the client, on the caller's thread.
  void let_go() { client_.reset(); }
  void stop() {
    let_go();
    thread_.reset();
  }

  journal seen;
  journal changes;

private:
  std::optional<net::io_thread> thread_{std::in_place};
  std::optional<net::redis_client> client_;
};

} // namespace troupe::tests
