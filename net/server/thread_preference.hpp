#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace troupe::net {

/// Decides on which thread a connection is best: on another one, once so many requests in a row were for what lives
/// there. What passes between two threads costs more than a request; a connection with requests for many threads, such
/// as that of a proxy, is as good on any.
class thread_preference {
public:
  static constexpr std::size_t requests = 4;

  /// A request begins; it is for what lives here unless told otherwise.
  void begin() {
    if (!std::exchange(told_, false))
      count_ = 0;
  }
  /// The request is for what lives on another thread.
  void tell(std::size_t thread) {
    count_ = count_ != 0 && thread == thread_ ? count_ + 1 : 1;
    thread_ = thread;
    told_ = true;
  }
  /// The thread that is better; nothing as long as none is.
  std::optional<std::size_t> better() const {
    return told_ && count_ >= requests ? std::optional{thread_} : std::nullopt;
  }

private:
  std::size_t thread_ = 0;
  std::size_t count_ = 0;
  /// Of the request that has begun last.
  bool told_ = false;
};

} // namespace troupe::net
