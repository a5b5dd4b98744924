#pragma once

#include "deploy/example/example_server.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// One `tools/call`, as a tool sees it.
struct example_call {
  json::value id;
  json::object arguments;
  std::optional<json::value> progress_token;
};

/// The tools of the example server and the calls of them that are under way. Each call is answered by its tool, at
/// once or later, unless the client cancels it.
class example_tools {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit example_tools(example_client& client) : client_(client) {}

  /// What `tools/list` answers.
  static json::array list();

  /// Starts a call. False when there is no such tool; then nothing was answered.
  bool start(std::string_view tool, const example_call& call);

  /// The client no longer wants the answer to its request `id`.
  void cancel(const json::value& id);

  /// Whether the client can ask its user, as it said in `initialize`.
  void client_can_ask(bool can) { client_can_ask_ = can; }

  /// The client's response to a request of ours.
  void answered(const json::object& response);

  /// When `tick` has something to do; nothing when no call waits for time to pass.
  std::optional<time_point> next_tick() const;
  void tick(time_point now);

private:
  /// A call of `slow` that is under way.
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
  std::map<std::int64_t, example_call> asked_; // by the id of our question
};

} // namespace troupe::deploy
