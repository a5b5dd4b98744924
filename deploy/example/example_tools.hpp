#pragma once

#include "deploy/example/example_server.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Request `tools/call`, as passed to a tool.
struct example_call {
  json::value id;
  json::object arguments;
  std::optional<json::value> progress_token;
};

/// Tools of the example server, and their calls in flight. Each tool answers its calls, at once or later, unless the
/// client cancels the call.
class example_tools {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit example_tools(example_client& client) : client_(client) {}

  /// Returns the result of `tools/list`.
  static json::array list();

  /// Starts a call. Returns false, without an answer, when there is no such tool.
  bool start(std::string_view tool, const example_call& call);

  /// Cancels the client's request `id`: it gets no answer.
  void cancel(const json::value& id);

  /// Sets whether the client can ask its user, from `initialize`.
  void client_can_ask(bool can) { client_can_ask_ = can; }

  /// Takes the client's response to a request of this server.
  void answered(const json::object& response);

  /// Returns the time at which `tick` has work; empty when no call waits.
  std::optional<time_point> next_tick() const;
  void tick(time_point now);

private:
  /// Call of `slow` in flight.
  struct slow_call {
    example_call call;
    std::int64_t steps = 0;
    std::chrono::milliseconds delay{};
    std::int64_t done = 0;
    time_point next{};
  };

  void echo(const example_call& call);
  void add(const example_call& call);
  void slow(const example_call& call);
  void fail(const example_call& call);
  void crash(const example_call& call);
  void ask(const example_call& call);

  void step(slow_call& slow);
  void say(const example_call& call, std::string_view text);
  void say_error(const example_call& call, std::string_view text);

  example_client& client_;
  bool client_can_ask_ = false;
  std::vector<slow_call> slow_calls_;
  std::map<std::int64_t, example_call> asked_; // by the id of the server's request
};

} // namespace troupe::deploy
