#include "net/reach.hpp"

#include "net/endpoint.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// One connection that is tried.
struct trial {
  explicit trial(asio::io_context& context) : socket{context}, timer{context} {}

  /// What was tried is over for both: the one that waits is told so.
  void stop() {
    error_code ignored;
    socket.close(ignored);
    timer.cancel();
  }

  tcp::socket socket;
  asio::steady_timer timer;
  bool is_late = false;
};

/// A port of the range that the system picks from may connect to itself when nobody listens there (RFC 9293, 3.5).
bool leads_to_itself(const tcp::socket& socket) {
  error_code here_error, there_error;
  auto here = socket.local_endpoint(here_error);
  return here == socket.remote_endpoint(there_error) && !here_error && !there_error;
}

std::string why_not(const trial& what, error_code error) {
  if (what.is_late)
    error = asio::error::timed_out;
  else if (!error && leads_to_itself(what.socket))
    error = asio::error::connection_refused;
  return error ? error.message() : "";
}

} // namespace

class reach::attempts : public std::enable_shared_from_this<attempts> {
public:
  explicit attempts(io_thread& thread) : thread_{thread} {}

  void attempt(const std::string& address, std::chrono::milliseconds limit, on_tried then) {
    auto to = numeric_endpoint(address);
    if (!to)
      return tell_later("it is no numeric address with a port", std::move(then));
    auto one = *running_.insert(std::make_shared<trial>(thread_.context())).first;
    one->timer.expires_after(limit);
    one->timer.async_wait([one](error_code error) {
      one->is_late = !error;
      one->stop();
    });
    one->socket.async_connect(*to, [self = shared_from_this(), one, then = std::move(then)](error_code error) {
      self->on_tried_one(one, error, then);
    });
  }

  void close() {
    is_closed_ = true;
    for (auto& one : std::exchange(running_, {}))
      one->stop();
  }

private:
  void tell_later(std::string why, on_tried then) {
    thread_.post([self = shared_from_this(), why = std::move(why), then = std::move(then)] {
      if (!self->is_closed_)
        then(why);
    });
  }

  void on_tried_one(const std::shared_ptr<trial>& one, error_code error, const on_tried& then) {
    auto why = why_not(*one, error);
    one->stop();
    running_.erase(one);
    if (!is_closed_)
      then(std::move(why));
  }

  io_thread& thread_;
  std::set<std::shared_ptr<trial>> running_;
  bool is_closed_ = false;
};

reach::reach(io_thread& thread) : thread_{thread}, attempts_{std::make_shared<attempts>(thread)} {}

reach::~reach() {
  thread_.dispatch([all = attempts_] { all->close(); });
}

void reach::attempt(const std::string& address, std::chrono::milliseconds limit, on_tried then) {
  attempts_->attempt(address, limit, std::move(then));
}

} // namespace troupe::net
