#include "net/server/listener.hpp"

#include "net/endpoint.hpp"
#include "net/owned_descriptor.hpp"
#include "net/server/admission.hpp"
#include "net/server/connection.hpp"
#include "net/server/listening_socket.hpp"
#include "net/spare_connections.hpp"
#include "protocol/http/http.hpp"
#include "protocol/text/host_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <fcntl.h>
#include <future>
#include <optional>
#include <poll.h>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Spare descriptor, kept for a client that arrives when no other is left.
class spare_descriptor {
public:
  spare_descriptor() { fill(); }

  /// Opens the descriptor again, if possible.
  void fill() {
    if (!held_)
      held_ = owned_descriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  }
  /// Closes the descriptor. Whether there was one.
  bool give() { return static_cast<bool>(std::exchange(held_, owned_descriptor{})); }

private:
  owned_descriptor held_;
};

namespace {

/// Pause after a failed accept: out of descriptors, an acceptor that tried again at once would spin.
constexpr auto client_accept_pause = std::chrono::milliseconds{100};
/// Time for handshakes under way to end, when no further client is to connect.
constexpr auto last_handshakes = std::chrono::milliseconds{25};
/// Shortest interval at which files are checked while no client connects.
constexpr auto shortest_look = std::chrono::milliseconds{50};

/// Listening socket, and how it ends.
struct listening_socket {
  tcp::acceptor socket;
  /// Null unless it is a unix socket that was opened here.
  std::unique_ptr<unix_socket> unix;
  /// Whether other processes have it, too.
  bool is_handed_over = false;
};

listening_socket listening_at(asio::io_context& context, const listening_place& place) {
  if (place.socket >= 0)
    return {take_over(context, place.socket), nullptr, true};
  if (!protocol::is_unix_socket(place.host))
    return {listen_at(context, place.host, place.port), nullptr};
  auto at = std::make_unique<unix_socket>(place.host.substr(protocol::unix_prefix.size()));
  auto socket = at->release(context);
  return {std::move(socket), std::move(at)};
}

} // namespace

/// Acceptor, which lives on the first thread; the others get the sockets that are accepted for them.
class listener::acceptor : public std::enable_shared_from_this<acceptor> {
public:
  acceptor(io_thread& thread, listening_socket at, connection_totals totals, std::shared_ptr<server_tls> tls)
      : thread_{thread}, socket_{std::move(at.socket)}, totals_{std::move(totals)}, tls_{std::move(tls)},
        unix_{std::move(at.unix)}, was_given_{at.is_handed_over}, is_handed_over_{at.is_handed_over} {}

  tcp::endpoint address() const { return socket_.local_endpoint(); }
  int duplicate() { return ::fcntl(socket_.native_handle(), F_DUPFD_CLOEXEC, 0); }

  void accept_for(std::vector<std::shared_ptr<connections>> share) {
    share_ = std::move(share);
    begin_to_accept();
  }

  void accept_again(owned_descriptor& socket) {
    socket_ = take_over(thread_.context(), socket.get());
    socket.release();
    is_handed_over_ = was_given_;
    if (unix_)
      unix_->keep_file(false);
    begin_to_accept();
  }

  /// Closes after a pause for handshakes under way.
  void close_soon(std::function<void()> then) {
    if (is_handed_over_)
      close();
    if (!socket_.is_open())
      return then();
    if (!unix_)
      begin_no_handshakes(socket_);
    thread_.at(io_thread::clock::now() + last_handshakes, [self = shared_from_this(), then = std::move(then)] {
      self->close();
      then();
    });
  }

  /// Closes the socket, but keeps the file of a unix socket.
  void hand_over() {
    is_handed_over_ = true;
    if (unix_)
      unix_->keep_file(true);
    close_socket();
  }

  /// Accepts all waiting clients first: the kernel would reset them, unless another process may accept them.
  void close() {
    close_socket();
    unix_.reset();
  }

private:
  /// Releases the socket first, which takes it out of the epoll set. Asio would leave that to the kernel, which waits
  /// until the last process has closed the socket. Until then, no other descriptor of it could get the same number.
  void close_socket() {
    boost::system::error_code error;
    socket_.non_blocking(true, error);
    while (socket_.is_open() && !error && !share_.empty() && !is_handed_over_) {
      auto& to = next();
      tcp::socket one{to->thread().context()};
      socket_.accept(one, error);
      if (!error)
        admit(std::move(one), to);
    }
    owned_descriptor{socket_.release(error)};
  }

  void begin_to_accept() {
    do_accept();
    if (!std::exchange(looks_, true))
      look_later();
  }

  void do_accept() {
    if (!socket_.is_open())
      return;
    auto to = next();
    socket_.async_accept(to->thread().context(), [self = shared_from_this(), to](auto error, tcp::socket socket) {
      self->on_accept(error, std::move(socket), to);
    });
  }

  void on_accept(boost::system::error_code error, tcp::socket socket, const std::shared_ptr<connections>& to) {
    if (!error)
      admit(std::move(socket), to);
    if (!socket_.is_open() || error == asio::error::operation_aborted)
      return;
    if (error)
      on_refused();
    else
      do_accept();
  }

  const std::shared_ptr<connections>& next() { return share_[next_++ % share_.size()]; }

  void admit(tcp::socket socket, const std::shared_ptr<connections>& to) {
    spare_.fill();
    const auto count = totals_.count->add();
    auto share = share_for(socket);
    auto tls = tls_ ? tls_for(socket) : nullptr;
    auto one = std::make_shared<connection>(std::move(socket), to, share.value_or(nullptr), std::move(tls));
    if (!share)
      reject(one, to, refusal::connections_of_address);
    else if (count - std::min(count, totals_.overflow.taken()) > to->limits().connections)
      make_room([one, to, places = totals_.overflow](bool is_there) mutable {
        is_there ? begin(one, to) : begin_as_surplus(one, to, places);
      });
    else
      begin(one, to);
  }

  std::unique_ptr<connection_tls> tls_for(tcp::socket& one) {
    look_at_files();
    return std::make_unique<connection_tls>(tls_->context(), one.native_handle());
  }

  /// Checks the files. Changed files are applied to open connections.
  void look_at_files() {
    if (!tls_->has_news(thread_.now()) || !tls_->asks_clients())
      return;
    for (auto& one : share_)
      one->thread().post([one, by = tls_->context()] { one->trust(by); });
  }
  /// Notices changed files without new connections. Open connections may outlive the listening socket.
  void look_later() {
    looks_ = tls_ && tls_->asks_clients() && (socket_.is_open() || totals_.count->now() > 0);
    if (!looks_)
      return;
    thread_.at(thread_.now() + std::max(tls_->pause(), shortest_look), [self = shared_from_this()] {
      self->look_at_files();
      self->look_later();
    });
  }

  /// Counts a client for its address; nullopt if that has too many. Clients on a unix socket have no address.
  std::optional<connections_by_address::share> share_for(const tcp::socket& one) const {
    boost::system::error_code gone;
    const auto from = totals_.by_address ? one.remote_endpoint(gone) : tcp::endpoint{};
    return totals_.by_address && !gone && !is_of_unix_socket(from) ? totals_.by_address->add(from.address().to_string())
                                                                   : connections_by_address::share{};
  }

  /// Most likely there is no descriptor: the spare one is for this client, and connections without an exchange, of
  /// clients and to servers, make room for the next. The kernel says so even when no client waits.
  void on_refused() {
    if (!is_awaited())
      return accept_when_awaited();
    make_room([](bool) {});
    for (auto& one : share_)
      one->thread().post([one] { one->thread().spare().close_oldest(); });
    if (spare_.give())
      return do_accept();
    thread_.at(io_thread::clock::now() + client_accept_pause, [self = shared_from_this()] {
      self->spare_.fill();
      self->do_accept();
    });
  }

  /// Whether a client waits to be accepted.
  bool is_awaited() {
    pollfd queue{socket_.native_handle(), POLLIN, 0};
    return ::poll(&queue, 1, 0) > 0;
  }
  void accept_when_awaited() {
    socket_.async_wait(tcp::acceptor::wait_read, [self = shared_from_this()](auto error) {
      if (error != asio::error::operation_aborted)
        self->do_accept();
    });
  }

  static void begin(const std::shared_ptr<connection>& one, const std::shared_ptr<connections>& of) {
    of->thread().post([one] { one->start(); });
  }
  /// Starts to read, as the request may be one that is always answered: that shows only when it has come.
  static void begin_as_surplus(const std::shared_ptr<connection>& one, const std::shared_ptr<connections>& of,
                               slots& places) {
    const auto& limits = of->limits();
    auto place = limits.is_always_answered ? places.try_acquire(most_surplus(limits.connections)) : nullptr;
    if (!place)
      return reject(one, of, refusal::connections);
    of->thread().post([one, place = std::move(place)]() mutable { one->start(std::move(place)); });
  }
  static void reject(const std::shared_ptr<connection>& one, const std::shared_ptr<connections>& of, refusal why) {
    of->refused(why);
    of->thread().post([one, why] { one->reject(why); });
  }

  /// Closes the connection of all threads that makes room first, and reports whether there was one. If it has become
  /// busy meanwhile, looks for another.
  void make_room(std::function<void(bool)> then) {
    auto first = *std::ranges::min_element(share_, {}, [](auto& one) { return one->first_rank(); });
    if (first->first_rank() == connection_order::no_rank)
      return then(false);
    first->thread().post([self = shared_from_this(), first, then = std::move(then)]() mutable {
      first->make_room() ? then(true) : self->make_room(std::move(then));
    });
  }

  io_thread& thread_;
  tcp::acceptor socket_;
  connection_totals totals_;
  /// Null for plain connections.
  std::shared_ptr<server_tls> tls_;
  /// Null for TCP, and for sockets opened elsewhere.
  std::unique_ptr<unix_socket> unix_;
  /// Whether the first socket was opened elsewhere, and whether other processes have the present one, too.
  bool was_given_;
  bool is_handed_over_;
  /// Whether the next look at the files of TLS is due.
  bool looks_ = false;
  spare_descriptor spare_;
  std::vector<std::shared_ptr<connections>> share_;
  std::size_t next_ = 0;
};

listener::listener(thread_range threads, const listening_place& place, connection_totals totals,
                   std::shared_ptr<server_tls> tls)
    : threads_{threads}, totals_{std::move(totals)} {
  auto& thread = *threads.front();
  const auto is_unix = protocol::is_unix_socket(place.host);
  acceptor_ = std::make_shared<acceptor>(thread, listening_at(thread.context(), place), totals_, std::move(tls));
  port_ = is_unix ? std::uint16_t{0} : acceptor_->address().port();
  address_ = is_unix ? std::string{} : acceptor_->address().address().to_string();
  is_handed_over_ = was_given_ = place.socket >= 0;
  is_loopback_ = is_unix || acceptor_->address().address().is_loopback();
}

void listener::accept(const connection_limits& limits, const std::function<exchange_callback(std::size_t)>& taker_of) {
  for (std::size_t i = 0; i < threads_.size(); ++i)
    connections_.push_back(std::make_shared<connections>(*threads_[i], limits, taker_of(i), totals_));
  for (auto& one : connections_)
    one->set_all_threads({connections_.begin(), connections_.end()});
  threads_.front()->post([to = acceptor_, share = connections_] { to->accept_for(share); });
}

listener::~listener() {
  threads_.front()->post([to = acceptor_] { to->close(); });
  for (auto& one : connections_)
    one->thread().post([one] { one->abort(); });
}

/// Counts its own steps, so that a wait for the last connection includes those on their way to their thread.
void listener::drain() {
  leave();
  totals_.count->add();
  threads_.front()->post([to = acceptor_, all = connections_, count = totals_.count] {
    to->close_soon([all, count] {
      for (auto& one : all) {
        count->add();
        one->thread().post([one, count] {
          one->drain();
          count->remove();
        });
      }
      count->remove();
    });
  });
}

void listener::drain_for_others() {
  if (!is_handed_over_)
    return;
  drain();
  wait_until_closed(connection_limits{}.last_request);
}

int listener::duplicate() const { return acceptor_->duplicate(); }

void listener::hand_over() {
  is_handed_over_ = true;
  threads_.front()->post([to = acceptor_] { to->hand_over(); });
  leave();
}

void listener::accept_again(owned_descriptor socket) {
  std::packaged_task<void()> begin{[&] { acceptor_->accept_again(socket); }};
  auto begun = begin.get_future();
  for (auto& one : connections_)
    one->thread().post([one] { one->stay(); });
  threads_.front()->post([&] { begin(); });
  begun.get();
  is_handed_over_ = was_given_;
}

void listener::leave() {
  totals_.count->note_request();
  for (auto& one : connections_)
    one->thread().post([one] { one->leave(); });
}

bool listener::is_answering_since(io_thread::clock::time_point when) const {
  return std::ranges::any_of(connections_, [&](auto& one) { return one->busy_since() <= when; });
}

} // namespace troupe::net
