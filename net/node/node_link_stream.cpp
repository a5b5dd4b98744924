#include "net/node/node_link_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <new>
#include <openssl/bio.h>
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

/// Whether an operation is to be tried again later.
bool must_wait(const SSL* tls, int result) {
  const auto why = SSL_get_error(tls, result);
  return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
}

} // namespace

/// What OpenSSL reads from and writes to: its own kind lets a write to a closed connection raise a signal.
struct node_link_stream::socket_bio {
  static node_link_stream& stream_of(BIO* bio) { return *static_cast<node_link_stream*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* to, int most) {
    auto& self = stream_of(bio);
    BIO_clear_retry_flags(bio);
    if (!self.on_.received.empty())
      return static_cast<int>(take_front(self.on_.received, to, static_cast<std::size_t>(most)));
    const auto size = ::recv(self.descriptor(), to, static_cast<std::size_t>(most), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
      BIO_set_retry_read(bio);
    return static_cast<int>(size);
  }

  static int write(BIO* bio, const char* from, int size) {
    BIO_clear_retry_flags(bio);
    const auto taken =
        ::send(stream_of(bio).descriptor(), from, static_cast<std::size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (taken < 0 && (errno == EAGAIN || errno == EINTR))
      BIO_set_retry_write(bio);
    return static_cast<int>(taken);
  }

  static long control(BIO*, int what, long, void*) { return what == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO_METHOD* make_kind() {
    auto* result = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "link between nodes");
    if (!result)
      throw std::bad_alloc{};
    BIO_meth_set_read(result, read);
    BIO_meth_set_write(result, write);
    BIO_meth_set_ctrl(result, control);
    return result;
  }

  /// Lives as long as the process.
  static BIO* make(node_link_stream& of) {
    static const auto* kind = make_kind();
    auto* result = BIO_new(kind);
    if (!result)
      throw std::bad_alloc{};
    BIO_set_data(result, &of);
    BIO_set_init(result, 1);
    return result;
  }
};

node_link_stream::node_link_stream(secure_connection from, std::string first, on_end ends)
    : on_{std::move(from)}, first_{std::move(first)}, ends_{std::move(ends)} {
  auto* bio = socket_bio::make(*this);
  SSL_set_bio(on_.tls.get(), bio, bio);
  SSL_set_mode(on_.tls.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // One call of the kernel for a record and what follows it.
  SSL_set_read_ahead(on_.tls.get(), 1);
}

node_link_stream::~node_link_stream() {
  on_.tls.reset();
  if (ends_)
    ends_(std::move(on_.socket));
}

std::optional<std::size_t> node_link_stream::read(char* to, std::size_t most) {
  if (!first_.empty())
    return take_front(first_, to, most);
  ERR_clear_error();
  const auto size = SSL_read(on_.tls.get(), to, longest(most));
  if (size > 0) {
    heard_now();
    return static_cast<std::size_t>(size);
  }
  return must_wait(on_.tls.get(), size) ? std::optional<std::size_t>{0} : std::nullopt;
}

std::optional<std::size_t> node_link_stream::write(const char* from, std::size_t size) {
  std::size_t written = 0;
  while (written < size) {
    ERR_clear_error();
    const auto taken = SSL_write(on_.tls.get(), from + written, longest(size - written));
    if (taken > 0)
      written += static_cast<std::size_t>(taken);
    else if (must_wait(on_.tls.get(), taken))
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
  return !first_.empty() || !on_.received.empty() || SSL_has_pending(on_.tls.get()) == 1;
}

bool node_link_stream::has_arrived() const {
  char one = 0;
  return ::recv(descriptor(), &one, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

void node_link_stream::cut() const { ::shutdown(descriptor(), SHUT_RDWR); }

} // namespace troupe::net
