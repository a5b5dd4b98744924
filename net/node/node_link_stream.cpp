#include "net/node/node_link_stream.hpp"

#include "net/node/node_link_tls.hpp"

#include <boost/asio/write.hpp>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;

node_link_stream::node_link_stream(tcp::socket socket) : stream_{std::move(socket)}, timer_{stream_.get_executor()} {
  error_code ignored;
  stream_.socket().set_option(tcp::no_delay{true}, ignored);
}

void node_link_stream::connect(const tcp::endpoint& to, std::function<void(error_code)> then) {
  stream_.socket().async_connect(to, [self = shared_from_this(), then = std::move(then)](error_code error) {
    error_code ignored;
    self->stream_.socket().set_option(tcp::no_delay{true}, ignored);
    if (!self->is_left_)
      then(error);
  });
}

void node_link_stream::secure(asio::ssl::context& tls, bool as_client,
                              std::function<void(error_code, std::string)> then) {
  auto& secured = stream_.secure(tls);
  auto side = as_client ? asio::ssl::stream_base::client : asio::ssl::stream_base::server;
  auto on_secured = [self = shared_from_this(), of = secured.native_handle(),
                     then = std::move(then)](error_code error) {
    if (!self->is_left_)
      then(error, error ? why_not_tls(of, error) : "");
  };
  secured.async_handshake(side, std::move(on_secured));
}

void node_link_stream::read(asio::mutable_buffer where, on_moved then) {
  is_reading_ = true;
  auto on_read = [self = shared_from_this(), then = std::move(then)](error_code error, std::size_t size) {
    self->is_reading_ = false;
    if (!self->is_left_)
      then(error, size);
    else if (self->closed_)
      self->drop_rest();
  };
  stream_.async_read_some(where, std::move(on_read));
}

void node_link_stream::write(asio::const_buffer what, on_moved then) {
  auto on_write = [self = shared_from_this(), then = std::move(then)](error_code error, std::size_t size) {
    if (!self->is_left_)
      then(error, size);
  };
  asio::async_write(stream_, what, std::move(on_write));
}

void node_link_stream::leave(std::chrono::milliseconds limit, std::function<void()> closed) {
  is_left_ = true;
  closed_ = std::move(closed);
  error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  timer_.expires_after(limit);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    if (!error)
      self->finish();
  });
  if (!is_reading_)
    drop_rest();
}

void node_link_stream::drop_rest() {
  stream_.socket().async_read_some(asio::buffer(rest_), [self = shared_from_this()](error_code error, std::size_t) {
    if (error)
      self->finish();
    else
      self->drop_rest();
  });
}

void node_link_stream::finish() {
  auto tell = std::exchange(closed_, nullptr);
  close();
  if (tell)
    tell();
}

void node_link_stream::close() {
  is_left_ = true;
  closed_ = nullptr;
  timer_.cancel();
  stream_.close();
}

} // namespace troupe::net
