#include "net/server/current_exchange.hpp"

#include <utility>

namespace troupe::net {

namespace {

/// Posts the call: inside of a call to the exchange, its holder may be using the function.
void tell_closed_later(current_exchange::tell_closed tell, io_thread& thread) {
  if (tell.expired())
    return;
  thread.post([tell = std::move(tell)] {
    if (auto wanted = tell.lock())
      (*wanted)();
  });
}

} // namespace

void current_exchange::close(io_thread& thread) {
  ++number_;
  tell_closed_later(std::exchange(tell_closed_, {}), thread);
}

void current_exchange::on_closed(std::uint64_t number, tell_closed tell, io_thread& thread) {
  if (number == number_)
    tell_closed_ = std::move(tell);
  else
    tell_closed_later(std::move(tell), thread);
}

} // namespace troupe::net
