#pragma once

#include "tests/simulation/action.hpp"

#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace troupe::tests::simulation {

using namespace protocol;
using namespace std::chrono_literals;
using span_of_time = time_point::duration;

/// Source of all chance in a simulation. The same seed gives the same numbers on every platform.
class dice {
public:
  explicit dice(std::uint64_t seed) : bits_{seed} {}

  std::uint64_t next() { return bits_(); }
  std::size_t below(std::size_t n) { return bits_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  span_of_time between(span_of_time least, span_of_time most) {
    return least + span_of_time{bits_() % static_cast<std::uint64_t>((most - least).count() + 1)};
  }

private:
  std::mt19937_64 bits_;
};

/// The events of a simulation, ordered by time. Events of the same time run in an order that the seed decides.
class scheduler {
public:
  explicit scheduler(std::uint64_t seed) : dice_{seed} {}

  void at(time_point when, action what);
  void after(span_of_time time, action what) { at(now_ + time, std::move(what)); }
  /// Runs all events up to a time, or until `stop`.
  void run_until(time_point end);
  /// Ends the run after the current event: something went wrong.
  void stop() { is_stopped_ = true; }

  time_point now() const { return now_; }
  /// Number of events that have run.
  std::uint64_t steps() const { return steps_; }
  dice& luck() { return dice_; }

private:
  struct event {
    time_point when;
    std::uint64_t tie;
    /// Where its action is.
    std::size_t place;
  };
  static bool is_later(const event& a, const event& b);
  std::size_t keep(action what);

  dice dice_;
  time_point now_{1h};
  std::uint64_t steps_ = 0;
  bool is_stopped_ = false;
  /// Apart from their actions, which stay where they are when the heap is ordered.
  std::vector<event> heap_;
  std::vector<action> actions_;
  std::vector<std::size_t> free_places_;
};

} // namespace troupe::tests::simulation
