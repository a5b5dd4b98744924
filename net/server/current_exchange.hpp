#pragma once

#include "net/io_thread.hpp"
#include "protocol/http/http.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace troupe::net {

/// Exchange that a connection has, or the last that it had: its number, and what the code that answers has asked for.
///
/// Each exchange has a number of its own, and so has the time after each: a late caller cannot touch a later exchange.
/// Lives on the thread of its connection.
class current_exchange {
public:
  /// Function to call when the connection closes, if the exchange still holds it then.
  using tell_closed = std::weak_ptr<std::function<void()>>;
  /// Makes the answer of an exchange that is destroyed without one.
  using make_answer = protocol::http_response (*)();

  std::uint64_t number() const { return number_; }
  /// Whether there has been none yet.
  bool is_none_yet() const { return number_ == 0; }

  void begin() {
    ++number_;
    make_abandoned_ = nullptr;
  }
  /// Ends the exchange, whose answer is complete.
  void end() {
    ++number_;
    tell_closed_.reset();
  }
  /// Ends the exchange because its connection is closed, and notifies its holder on the thread.
  void close(io_thread& thread);

  /// Sets the function to call when the connection closes. If that exchange is over, it is called soon, on the thread.
  void on_closed(std::uint64_t number, tell_closed tell, io_thread& thread);
  /// Sets how the answer is made for an exchange destroyed without one.
  void on_abandoned(make_answer make) { make_abandoned_ = make; }
  /// Null when the exchange has set none.
  make_answer make_abandoned() const { return make_abandoned_; }

private:
  std::uint64_t number_ = 0;
  tell_closed tell_closed_;
  make_answer make_abandoned_ = nullptr;
};

} // namespace troupe::net
