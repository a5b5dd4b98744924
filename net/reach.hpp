#pragma once

#include "net/io_thread.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace troupe::net {

/// Finds out whether somebody listens at an address: connects, and hangs up.
///
/// Never blocks. Destroying it forgets who waits, silently; callable from any thread, and on the io thread nothing is
/// told after that. All else is only for the io thread.
class reach {
public:
  /// Nothing when the address was reached; otherwise why not, in one line.
  using on_tried = std::function<void(std::string why_not)>;

  explicit reach(io_thread& thread);
  ~reach();
  reach(const reach&) = delete;
  reach& operator=(const reach&) = delete;

  /// Tries a numeric address with a port, `1.2.3.4:80` or `[::1]:80`, for at most so long. Tells on the io thread,
  /// never from inside.
  void attempt(const std::string& address, std::chrono::milliseconds limit, on_tried then);

private:
  class attempts;

  io_thread& thread_;
  std::shared_ptr<attempts> attempts_;
};

} // namespace troupe::net
