#pragma once

#include "net/child/child_process.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/test_listener.hpp"

#include <optional>

namespace troupe::tests {

inline net::command shell(std::string script, lines arguments = {}) {
  arguments.insert(arguments.begin(), {"-c", std::move(script), "sh"});
  return {"/bin/sh", std::move(arguments), {}, {}};
}

/// A child process with a thread of its own.
///
/// The journal has `> line` for each line of stdout, `! line` for each line of stderr, `skipped size` for each
/// oversized line, and `lost: why`.
class child {
public:
  explicit child(const net::command& what, const net::child_limits& limits = {}) {
    run_on(*thread_, [&] {
      child_ = net::child_process::start(*thread_, what, limits, events(), failure);
      why_not = failure.text;
      if (child_)
        pid = child_->pid();
    });
  }
  ~child() { stop(); }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  bool write(const std::string& line) {
    bool result = false;
    run_on(*thread_, [&] { result = child_->write(line); });
    return result;
  }

  /// Stops the child and waits until it is reaped. If that takes too long, kills it and fails.
  void stop() {
    child_.reset();
    if (pid > 0 && !ends(pid)) {
      ADD_FAILURE() << "the child does not stop";
      ::kill(-pid, SIGKILL);
    }
    thread_.reset();
    if (pid > 0) {
      EXPECT_EQ(::kill(pid, 0), -1) << "the child was not reaped";
    }
  }
  /// Destroys the child's object without waiting.
  void let_go() { child_.reset(); }
  /// Waits until the thread has finished its pending work.
  void settle() {
    run_on(*thread_, [] {});
  }
  net::io_thread& thread() { return *thread_; }

  pid_t pid = -1;
  std::string why_not;
  net::start_failure failure;
  journal seen;
  /// The number of lines in each batch.
  std::vector<std::size_t> batches;
  /// Called on the thread after lines of stderr. Set for a child that waits for input.
  std::function<void()> on_complaint;

private:
  net::child_events events() {
    return {[this](lines told) {
              batches.push_back(told.size());
              for (auto& line : told)
                seen.note("> " + line);
            },
            [this](lines told) {
              for (auto& line : told)
                seen.note("! " + line);
              if (on_complaint)
                on_complaint();
            },
            [this](const protocol::skipped_line& line) { seen.note("skipped " + std::to_string(line.size)); },
            [this](const std::string& why) { seen.note("lost: " + why); }};
  }

  std::optional<net::io_thread> thread_{std::in_place};
  std::unique_ptr<net::child_process> child_;
};

} // namespace troupe::tests
