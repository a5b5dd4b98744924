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

/// The readiness probes that this node has answered lately: a `protocol::readiness_watch` with a clock. Callable from
/// any thread.
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

/// What the last connections of a node are waited for with. All are called on the thread that waits.
struct last_connections {
  /// The readiness probes of load balancers.
  probes_seen& probes;
  /// How long may be waited yet; zero once there is a hurry.
  std::function<std::chrono::milliseconds()> rest;
  /// Ends the streams of clients that listen.
  std::function<void()> end_streams;
};

/// Waits until load balancers send nobody here any more, and until every connection is closed. Blocks the caller.
void end_connections(net::listener& listener, const last_connections& what);

/// A drain, which is done once, whoever asks for it. Destroying it waits for one that is done aside.
class one_drain {
public:
  one_drain() = default;
  ~one_drain() { wait_aside(); }
  one_drain(const one_drain&) = delete;
  one_drain& operator=(const one_drain&) = delete;

  /// Does it, unless it was begun: on a thread of its own when the caller is one that `is_inside` and cannot wait for
  /// it, and otherwise at once.
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
  /// Waits for one that is done aside.
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
