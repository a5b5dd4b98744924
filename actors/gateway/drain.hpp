#pragma once

#include "net/guarded.hpp"
#include "net/server/listener.hpp"
#include "protocol/session/gateway_drain.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace troupe::actors {

/// Readiness probes that this node has answered lately: a `protocol::readiness_watch` with a clock. Callable from any
/// thread.
class probes_seen {
public:
  void add(const std::string& who, bool is_ready) {
    watch_.with([&](auto& watch) { watch.asked(who, clock::now(), is_ready); });
  }
  bool are_regular() {
    return watch_.with([](auto& watch) { return watch.is_watched(clock::now()); });
  }
  bool are_awaited() {
    return watch_.with([](auto& watch) { return watch.is_awaited(clock::now()); });
  }

private:
  using clock = std::chrono::steady_clock;

  net::guarded<protocol::readiness_watch> watch_;
};

/// Means to wait for the last connections of a node; all are called on the waiting thread.
struct last_connections {
  /// Readiness probes of load balancers.
  probes_seen& probes;
  /// Remaining time to wait; zero once the drain is hurried.
  std::function<std::chrono::milliseconds()> rest;
  /// Ends the streams of listening clients.
  std::function<void()> end_streams;
};

/// Waits until load balancers send no more requests here and all connections are closed. Blocks.
void end_connections(net::listener& listener, const last_connections& what);

/// Drain that runs once, however often it is requested. The destructor waits for a drain on its own thread.
class one_drain {
public:
  one_drain() = default;
  ~one_drain() { wait_aside(); }
  one_drain(const one_drain&) = delete;
  one_drain& operator=(const one_drain&) = delete;

  /// Runs `work` unless it was begun. A caller that `is_inside` cannot wait for it, so it runs on a thread of its own
  /// then; otherwise on this thread.
  void begin(const std::function<bool()>& is_inside, const std::function<void()>& work) {
    const auto is_mine = now_.with([&](progress& now) {
      if (std::exchange(now.has_begun, true))
        return false;
      const auto inside = is_inside();
      if (inside)
        now.aside = std::thread{work};
      return !inside;
    });
    if (is_mine)
      work();
  }
  /// Waits for a drain that runs on a thread of its own.
  void wait_aside() {
    if (auto aside = now_.with([](progress& now) { return std::move(now.aside); }); aside.joinable())
      aside.join();
  }

private:
  struct progress {
    bool has_begun = false;
    std::thread aside = {};
  };

  net::guarded<progress> now_;
};

} // namespace troupe::actors
