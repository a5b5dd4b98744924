#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <string>

namespace troupe::protocol {

/// New process that a program has started to take its place. Decides when to give it up, and when to accept clients
/// again after it has ended. Facts in, orders out.
class successor {
public:
  enum class order {
    none,
    /// Kill the process.
    kill,
    /// Accept clients again, as the process has ended.
    take_back,
    /// End this program, as the process goes on without it.
    end
  };

  /// Time limit for the process to be ready.
  static constexpr std::chrono::minutes start_limit{1};
  /// Time limit for the process to end once its link is closed: the kernel closes the link first.
  static constexpr std::chrono::seconds end_limit{1};

  /// Reason why no process may be started now; empty if one may.
  std::string why_not() const;

  // -- facts
  void started(time_point now);
  /// The process has ended, or the gateway has not handed over to it.
  void failed() { stage_ = stage::none; }
  void handed_over() { stage_ = stage::serving; }
  /// The gateway has lost the process: it hangs, or has closed its link.
  order lost(bool hangs, time_point now);
  order ended();
  /// The process cannot be killed.
  order not_killed();
  order tick(time_point now);

  bool is_starting() const { return stage_ == stage::starting; }
  bool has_taken_over() const { return stage_ == stage::serving; }
  /// True while `ended` is awaited.
  bool is_ending() const { return stage_ == stage::ending; }
  /// Time of the next `tick`; max() without.
  time_point due() const { return is_starting() || is_ending() ? due_ : time_point::max(); }

private:
  enum class stage { none, starting, serving, ending };

  stage stage_ = stage::none;
  time_point due_ = time_point::max();
};

} // namespace troupe::protocol
