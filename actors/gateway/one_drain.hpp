#pragma once

#include "net/guarded.hpp"

#include <functional>
#include <thread>
#include <utility>

namespace troupe::actors {

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
