#include "net/frame_stream.hpp"

#include "net/write_queue.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>

namespace troupe::net {

namespace asio = boost::asio;

namespace {

/// Time limit for the other process to read the last texts.
constexpr auto last_texts = std::chrono::seconds{1};
constexpr std::size_t longest_short = 64 * 1024;
constexpr std::size_t size_bytes = 4;
constexpr std::size_t frame_read_size = 64 * 1024;

std::string size_prefix(std::size_t size) {
  std::string result;
  for (int shift = 24; shift >= 0; shift -= 8)
    result += static_cast<char>(size >> shift & 0xFF);
  return result;
}

std::size_t size_in(std::string_view prefix) {
  std::size_t result = 0;
  for (const char byte : prefix.substr(0, size_bytes))
    result = result << 8 | static_cast<unsigned char>(byte);
  return result;
}

/// Reads `size` bytes. False if they have not all arrived by `until`.
bool read_all(int socket, char* to, std::size_t size, std::chrono::steady_clock::time_point until) {
  while (size > 0) {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd wait{socket, POLLIN, 0};
    const auto ready = ::poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(rest.count(), 0)));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return false;
    const auto taken = ::recv(socket, to, size, MSG_DONTWAIT);
    if (taken <= 0)
      return false;
    to += taken;
    size -= static_cast<std::size_t>(taken);
  }
  return true;
}

} // namespace

std::pair<owned_descriptor, owned_descriptor> make_socket_pair() {
  std::array<int, 2> both{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()) != 0)
    throw std::runtime_error{std::string{"cannot make a pair of sockets: "} + std::strerror(errno)};
  return {owned_descriptor{both[0]}, owned_descriptor{both[1]}};
}

owned_descriptor copy_of(const owned_descriptor& socket) {
  owned_descriptor result{::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0)};
  if (!result)
    throw std::runtime_error{std::string{"cannot copy a socket: "} + std::strerror(errno)};
  return result;
}

bool is_abandoned(int socket) {
  pollfd one{socket, POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0;
}

bool write_frame(int socket, std::string_view text) {
  const auto whole = size_prefix(text.size()).append(text);
  return ::send(socket, whole.data(), whole.size(), MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(whole.size());
}

std::optional<std::string> read_frame(int socket, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  std::string prefix(size_bytes, '\0');
  if (!read_all(socket, prefix.data(), prefix.size(), until) || size_in(prefix) > longest_short)
    return std::nullopt;
  std::string result(size_in(prefix), '\0');
  if (!read_all(socket, result.data(), result.size(), until))
    return std::nullopt;
  return result;
}

/// State kept alive by its pending operations, too. Its callbacks may be gone once `end` was called.
class frame_stream::state : public std::enable_shared_from_this<state> {
public:
  state(io_thread& thread, owned_descriptor socket, std::function<void(std::string)> on_text,
        std::function<void()> on_end)
      : thread_{thread}, socket_{thread.context(), asio::local::stream_protocol{}, socket.release()},
        on_text_{std::move(on_text)}, on_end_{std::move(on_end)}, limit_{thread.context()} {
    socket_.non_blocking(true);
  }

  io_thread& thread() { return thread_; }

  void read() {
    socket_.async_read_some(asio::buffer(fresh_), [self = shared_from_this()](auto error, std::size_t size) {
      if (self->ends_)
        return;
      if (error || !self->feed({self->fresh_.data(), size}))
        return self->fail();
      self->read();
    });
  }

  void write(std::string_view text) {
    if (text.size() > longest || queue_.held_exceeds(longest))
      return thread_.post([self = shared_from_this()] { self->fail(); });
    queue_.add(size_prefix(text.size()).append(text));
    if (queue_.is_post_due())
      thread_.post([self = shared_from_this()] {
        self->queue_.posted_write_begins();
        self->write_waiting();
      });
  }

  void end() {
    if (std::exchange(ends_, true))
      return;
    on_text_ = {};
    on_end_ = {};
    if (queue_.is_empty())
      return close();
    limit_.expires_after(last_texts);
    limit_.async_wait([self = shared_from_this()](auto) { self->close(); });
  }

private:
  /// Passes on complete texts. False if a frame is too long.
  bool feed(std::string_view bytes) {
    unread_ += bytes;
    std::size_t at = 0;
    while (!ends_ && unread_.size() - at >= size_bytes) {
      const auto size = size_in(std::string_view{unread_}.substr(at));
      if (size > longest)
        return false;
      if (unread_.size() - at - size_bytes < size)
        break;
      on_text_(unread_.substr(at + size_bytes, size));
      at += size_bytes + size;
    }
    unread_.erase(0, at);
    return true;
  }

  void write_waiting() {
    const auto what = queue_.begin_joined();
    if (!what)
      return;
    asio::async_write(socket_, *what, [self = shared_from_this()](auto error, std::size_t) {
      self->queue_.end();
      if (error)
        self->queue_.drop_waiting();
      if (!self->queue_.is_empty())
        self->write_waiting();
      else if (self->ends_)
        self->close();
    });
  }

  void fail() {
    if (std::exchange(ends_, true))
      return;
    close();
    if (const auto told = std::exchange(on_end_, {}))
      told();
  }

  void close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
    limit_.cancel();
  }

  io_thread& thread_;
  asio::local::stream_protocol::socket socket_;
  std::function<void(std::string)> on_text_;
  std::function<void()> on_end_;
  std::array<char, frame_read_size> fresh_;
  std::string unread_;
  write_queue queue_;
  /// Timer of its own: the thread's timers no longer fire once the thread is being destroyed.
  asio::steady_timer limit_;
  bool ends_ = false;
};

frame_stream::frame_stream(io_thread& thread, owned_descriptor socket, std::function<void(std::string)> on_text,
                           std::function<void()> on_end)
    : state_{std::make_shared<state>(thread, std::move(socket), std::move(on_text), std::move(on_end))} {
  thread.post([one = state_] { one->read(); });
}

frame_stream::~frame_stream() {
  state_->thread().dispatch([one = state_] { one->end(); });
}

void frame_stream::write(std::string_view text) { state_->write(text); }

} // namespace troupe::net
