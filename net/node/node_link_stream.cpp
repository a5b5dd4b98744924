#include "net/node/node_link_stream.hpp"

#include <algorithm>
#include <fcntl.h>
#include <limits>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <utility>

namespace troupe::net {

namespace {

std::size_t take_front(std::string& from, char* to, std::size_t most) {
  const auto size = from.copy(to, most);
  from.erase(0, size);
  return size;
}

int longest(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max())); }

/// Whether to try an operation again later.
bool must_wait(const SSL* tls, int result) {
  const auto why = SSL_get_error(tls, result);
  return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
}

} // namespace

node_link_stream::node_link_stream(secure_connection from, std::string first, on_end ends)
    : owned_{std::move(from.socket)}, socket_{owned_.get(), std::move(from.received)}, tls_{std::move(from.tls)},
      first_{std::move(first)}, ends_{std::move(ends)} {
  use_socket(tls_.get(), socket_);
  SSL_set_mode(tls_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Reads a record and the following bytes in one system call.
  SSL_set_read_ahead(tls_.get(), 1);
}

node_link_stream::~node_link_stream() {
  tls_.reset();
  if (ends_)
    ends_(std::move(owned_));
}

std::optional<std::size_t> node_link_stream::read(char* to, std::size_t most) {
  if (!first_.empty())
    return take_front(first_, to, most);
  ERR_clear_error();
  const auto size = SSL_read(tls_.get(), to, longest(most));
  if (size > 0) {
    note_received();
    return static_cast<std::size_t>(size);
  }
  return must_wait(tls_.get(), size) ? std::optional<std::size_t>{0} : std::nullopt;
}

std::optional<std::size_t> node_link_stream::write(const char* from, std::size_t size) {
  std::size_t written = 0;
  while (written < size) {
    ERR_clear_error();
    const auto taken = SSL_write(tls_.get(), from + written, longest(size - written));
    if (taken > 0)
      written += static_cast<std::size_t>(taken);
    else if (must_wait(tls_.get(), taken))
      break;
    else
      return std::nullopt;
  }
  return written;
}

owned_descriptor node_link_stream::duplicate() const {
  return owned_descriptor{::fcntl(descriptor(), F_DUPFD_CLOEXEC, 0)};
}

bool node_link_stream::has_unread() const {
  return !first_.empty() || !socket_.received.empty() || SSL_has_pending(tls_.get()) == 1;
}

bool node_link_stream::has_arrived() const {
  char one = 0;
  return ::recv(descriptor(), &one, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

void node_link_stream::cut() const { ::shutdown(descriptor(), SHUT_RDWR); }

} // namespace troupe::net
