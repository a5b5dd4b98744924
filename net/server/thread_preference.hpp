#pragma once

#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace troupe::net {

/// Decides on which thread a connection is best: on another one, once `requests` in a row were for sessions there.
/// Passing a request between two threads costs more than the request itself. A connection with requests for many
/// threads, such as that of a proxy, is as good on any.
///
/// The move itself begins with the end of the pending read.
class thread_preference {
public:
  static constexpr std::size_t requests = 4;

  /// Begins a request, which is for this thread unless `tell` follows.
  void begin() {
    if (!std::exchange(told_, false))
      count_ = 0;
  }
  /// Notes that the request is for a session on another thread.
  void tell(std::size_t thread) {
    count_ = count_ != 0 && thread == thread_ ? count_ + 1 : 1;
    thread_ = thread;
    told_ = true;
  }
  /// Returns the thread that is better; nullopt as long as none is.
  std::optional<std::size_t> better() const {
    return told_ && count_ >= requests ? std::optional{thread_} : std::nullopt;
  }

  // -- the move
  /// Notes that the pending read is being ended, for a move.
  void begin_move() { is_moving_ = true; }
  /// Whether to move now that the read is over: not if something has arrived before the read was ended.
  bool must_move(boost::system::error_code read) {
    return std::exchange(is_moving_, false) && read == boost::asio::error::operation_aborted;
  }

private:
  std::size_t thread_ = 0;
  std::size_t count_ = 0;
  /// Whether `tell` was called for the request that has begun last.
  bool told_ = false;
  /// Whether the pending read was ended for a move.
  bool is_moving_ = false;
};

} // namespace troupe::net
