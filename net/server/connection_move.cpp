#include "net/server/connection.hpp"

#include <unistd.h>
#include <utility>

// Functions of `connection` that move it to another thread.

namespace troupe::net {

namespace asio = boost::asio;

/// Whether it may move: no pending work on this thread may refer to it. The budget of unsent bytes refers to it for
/// good, once it was used.
bool connection::may_move() const {
  return preference_.better() && !was_held_ && !will_parse_ && may_rest() && queue_.is_empty() && !owner_->draining() &&
         !owner_->aborted();
}

/// Ends the pending read first.
void connection::begin_move() {
  is_moving_ = true;
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

/// Whether to move: not if something has arrived before the read was ended.
bool connection::must_move(boost::system::error_code read) {
  return std::exchange(is_moving_, false) && read == asio::error::operation_aborted;
}

/// Moves. Once released, the connection is not touched on this thread any more. Its kind of socket makes no difference
/// any more; TLS moves with it.
void connection::move() {
  auto to = may_move() ? owner_->on_thread(*preference_.better()) : nullptr;
  preference_ = {};
  if (!to || to == owner_)
    return do_read();
  boost::system::error_code error;
  auto descriptor = socket_.release(error);
  if (error)
    return close();
  reader_.reset();
  owner_->release(place_);
  owner_ = std::move(to);
  auto& thread = owner_->thread();
  socket_ = asio::ip::tcp::socket{thread.context()};
  if (socket_.assign(asio::ip::tcp::v4(), descriptor, error); error)
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
