#pragma once

#include "tests/bench/load_options.hpp"
#include "tests/bench/load_socket.hpp"

#include <functional>
#include <memory>

namespace troupe::bench {

/// A client that makes one call after the other, and counts failures.
class caller {
public:
  using then = std::function<void()>;

  caller() = default;
  virtual ~caller() = default;
  caller(const caller&) = delete;
  caller& operator=(const caller&) = delete;

  virtual void begin(then done) = 0;
  virtual void call(then done) = 0;
  virtual void end(then done) = 0;
};

using make_caller = std::function<std::unique_ptr<caller>(poller&, const load_options&, tally&)>;

/// Runs as many callers as the options say. Each calls again as soon as it has its answer.
figures closed_loop(const load_options& options, const make_caller& make);

} // namespace troupe::bench
