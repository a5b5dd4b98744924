#include "net/server/connection.hpp"

#include <unistd.h>
#include <utility>

// Those functions of `connection` that take it to another thread.

namespace troupe::net {

namespace asio = boost::asio;

/// What the budget of unsent bytes was once told of it names the thread that it was on.
bool connection::may_move() const {
  return preference_.better() && !was_held_ && phase_ == phase::reading && may_rest() && queue_.is_empty();
}

/// The read that is outstanding ends first.
void connection::begin_move() {
  is_moving_ = true;
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

/// Unless something has arrived before the read was ended.
bool connection::must_move(boost::system::error_code read) {
  return std::exchange(is_moving_, false) && read == asio::error::operation_aborted;
}

/// From where it is released on, nothing of it is touched on this thread.
void connection::move() {
  auto to = may_move() ? owner_->on_thread(*preference_.better()) : nullptr;
  preference_ = {};
  if (!to || to == owner_)
    return do_read();
  boost::system::error_code error;
  auto protocol = socket_.local_endpoint(error).protocol();
  auto descriptor = error ? -1 : socket_.release(error);
  if (error)
    return close();
  reader_.reset();
  owner_->release(place_);
  owner_ = std::move(to);
  auto& thread = owner_->thread();
  socket_ = asio::ip::tcp::socket{thread.context()};
  if (socket_.assign(protocol, descriptor, error); error)
    ::close(descriptor);
  thread.post([self = shared_from_this()] { self->arrive(); });
}

void connection::arrive() {
  owner_->add(place_);
  boost::system::error_code error;
  socket_.non_blocking(true, error);
  if (error || owner_->aborted())
    return close();
  expect_within(owner_->limits().idle);
  do_read();
  if (owner_->draining())
    close_when_idle();
}

} // namespace troupe::net
