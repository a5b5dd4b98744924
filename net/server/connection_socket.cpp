#include "net/server/connection_socket.hpp"

#include "net/server/listening_socket.hpp"

#include <netinet/tcp.h>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace troupe::net {

namespace asio = boost::asio;

namespace {

/// Makes the kernel give up on a peer that acknowledges nothing for this long.
void give_up_after(asio::ip::tcp::socket& socket, std::chrono::milliseconds time) {
  auto value = static_cast<unsigned>(time.count());
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &value, sizeof value);
}

} // namespace

void connection_socket::open(std::chrono::milliseconds most_silence) {
  never_block();
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
  give_up_after(socket_, most_silence);
  const auto peer = socket_.remote_endpoint(ignored);
  const auto has_address = !is_of_unix_socket(peer);
  peer_ = has_address ? peer.address().to_string() : std::string{};
  is_local_ = !has_address || peer.address().is_loopback();
}

connection_socket::error_code connection_socket::never_block() {
  error_code error;
  socket_.non_blocking(true, error);
  return error;
}

void connection_socket::describe_client(protocol::http_request& to) const {
  to.peer = peer_;
  to.is_local = is_local_;
  to.is_secure = tls_ != nullptr;
  to.certificate = tls_ ? std::string_view{tls_->certificate()} : std::string_view{};
  to.certificate_until = tls_ ? tls_->certificate_until() : std::nullopt;
}

// -- reading -----------------------------------------------------------------------

void connection_socket::end_read() {
  error_code ignored;
  socket_.cancel(ignored);
}

std::size_t connection_socket::read_some(std::span<char> to, error_code& error) {
  return tls_ ? tls_->read_some(to, error) : receive_some(to, error);
}

std::size_t connection_socket::receive_some(std::span<char> to, error_code& error) {
  return socket_.read_some(asio::buffer(to.data(), to.size()), error);
}

bool connection_socket::has_unread() const {
  error_code ignored;
  return has_decrypted() || socket_.available(ignored) != 0;
}

// -- the end -----------------------------------------------------------------------

void connection_socket::send_close_notify() {
  if (tls_)
    tls_->send_close_notify();
}

void connection_socket::end_sending() {
  send_close_notify();
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

void connection_socket::close() {
  error_code ignored;
  socket_.close(ignored);
}

/// Takes the descriptor along. Its kind of socket makes no difference any more; TLS moves with it.
connection_socket::error_code connection_socket::move_to(asio::io_context& context) {
  error_code error;
  auto descriptor = socket_.release(error);
  if (error)
    return error;
  socket_ = socket{context};
  error_code lost;
  if (socket_.assign(asio::ip::tcp::v4(), descriptor, lost); lost)
    ::close(descriptor);
  return {};
}

} // namespace troupe::net
