#pragma once

#include "net/server/connection_tls.hpp"
#include "net/server/connections.hpp"
#include "net/server/request_reader.hpp"
#include "net/write_queue.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::net {

/// Decides on which thread a connection is best: on another one, once `requests` in a row were for sessions there.
/// Passing a request between two threads costs more than the request itself. A connection with requests for many
/// threads, such as that of a proxy, is as good on any.
class thread_preference {
public:
  static constexpr std::size_t requests = 4;

  /// Begins a request, which is for this thread unless `tell` follows.
  void begin() {
    if (!std::exchange(told_, false))
      count_ = 0;
  }
  /// Notes that the request is for a session on another thread.
  void tell(std::size_t thread) {
    count_ = count_ != 0 && thread == thread_ ? count_ + 1 : 1;
    thread_ = thread;
    told_ = true;
  }
  /// Returns the thread that is better; nullopt as long as none is.
  std::optional<std::size_t> better() const {
    return told_ && count_ >= requests ? std::optional{thread_} : std::nullopt;
  }

private:
  std::size_t thread_ = 0;
  std::size_t count_ = 0;
  /// Whether `tell` was called for the request that has begun last.
  bool told_ = false;
};

/// Client connection, over TCP or a unix socket, plain or TLS: reads requests, one at a time, and answers in order.
///
/// A read is pending during an answer, so that a client that disconnects is noticed. Its input meanwhile is kept for
/// the next request, up to the header limit. After a while without a request or events a connection rests: it holds
/// next to no memory. Otherwise it has a buffer that the kernel reads into, which costs less time. Lives on one thread,
/// and may move to another between two requests; kept alive by its own operations; never blocks.
class connection : public std::enable_shared_from_this<connection> {
public:
  /// Takes an accepted socket, which is in the count of all; `share` counts it for its address. Without `tls` it is
  /// plain.
  connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<connections> owner,
             connections_by_address::share share = nullptr, std::unique_ptr<connection_tls> tls = nullptr);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Starts to read. With a place of `surplus_places` the connection is one too many: one request is read, and refused
  /// unless it is always answered.
  void start(surplus_places::share surplus = nullptr);
  /// Refuses the connection instead of `start`. In TLS it is closed without an answer, which would take a handshake.
  void turn_away(refusal why);
  void close();
  /// Closes now, or after the answer that is under way.
  void close_when_idle();
  /// Closes when a time limit is over.
  void check_time(io_thread::clock::time_point now);
  /// Returns when `check_time` may have something to do.
  io_thread::clock::time_point due() const {
    return std::min({deadline_, write_deadline_, rest_at_, certificate_end_});
  }
  /// Closes when the client's certificate is not trusted any more.
  void judge_again();

  // -- for its exchange, told by number so that a late caller cannot touch a later exchange
  protocol::http_request& request() { return reader_->request(); }
  std::uint64_t exchange_number() const { return exchange_number_; }
  /// Calls `tell` on the close, if the exchange still holds it then.
  void on_exchange_closed(std::uint64_t exchange_number, std::weak_ptr<std::function<void()>> tell);
  void on_exchange_abandoned(protocol::http_response (*make)()) { make_abandoned_ = make; }
  void prefer_thread(std::size_t thread) { preference_.tell(thread); }
  void respond(protocol::http_response answer);
  void begin_events(const protocol::http_response& head);
  void write_events(std::string events);
  void end_events();
  /// Ends an exchange that is destroyed: an answer that is incomplete never will be complete.
  void release(std::uint64_t exchange_number);
  io_thread& thread() { return owner_->thread(); }

private:
  /// `finishing` writes the last answer; `lingering` reads and drops further input of the client.
  enum class phase { reading, answering, streaming, finishing, lingering, closed };

  void tell_later(std::weak_ptr<std::function<void()>> tell);
  // -- reading
  void do_read();
  bool must_not_read() const;
  bool may_receive() const;
  void await_bytes();
  void receive_bytes();
  void on_readable(boost::system::error_code error);
  void on_received(boost::system::error_code error, std::size_t size);
  std::size_t read_some(std::span<char> to, boost::system::error_code& error);
  void on_read(boost::system::error_code error, std::string_view bytes);
  void go_on(boost::system::error_code error);
  bool may_rest() const { return is_idle() && !queue_.is_writing() && unread() == 0; }
  void rest();

  // -- to another thread
  bool may_move() const;
  void begin_move();
  bool must_move(boost::system::error_code read);
  void move();
  void arrive();

  // -- requests
  void parse();
  void begin_request();
  bool is_believed();
  void await_certificate_end();
  void on_certificate_end();
  void refused_by_tls();
  void refuse(boost::system::error_code error);
  void refuse(int status, std::string text);
  void refuse(const protocol::rejection& why);
  bool is_turned_away();
  void turn_away_politely();
  void await_rest();
  void expect_body();
  void begin_exchange();
  void finish_exchange();
  void next_request();
  void forget_request();
  void read_on();
  void linger();
  std::size_t unread() const { return reader_ ? reader_->unread() : 0; }
  bool has_begun() const { return reader_ && reader_->has_begun(); }
  bool is_idle() const { return phase_ == phase::reading && !has_begun(); }
  bool is_held_back() const { return is_idle() && queue_.held_exceeds(owner_->limits().unread); }
  bool has_exchange() const { return phase_ == phase::answering || phase_ == phase::streaming; }

  // -- writing
  void enqueue(std::string text);
  void write_on();
  void write_all();
  void await_writable();
  void on_writable(boost::system::error_code error);
  void on_write(boost::system::error_code error);
  void hold_unsent();
  void expect_within(std::chrono::milliseconds time);

  boost::asio::ip::tcp::socket socket_;
  std::shared_ptr<connections> owner_;
  connection_order::place place_{this};
  connections_by_address::share share_;
  /// Null unless the connection is one too many.
  surplus_places::share surplus_;
  /// Null when the connection is plain.
  std::unique_ptr<connection_tls> tls_;
  phase phase_ = phase::reading;
  io_thread::clock::time_point deadline_ = io_thread::clock::time_point::max();
  io_thread::clock::time_point write_deadline_ = io_thread::clock::time_point::max();

  /// Time when the client's certificate expires.
  io_thread::clock::time_point certificate_end_ = io_thread::clock::time_point::max();
  /// Whether the client's certificate has expired.
  bool has_expired_ = false;

  /// Time when a connection that waits for a request is to rest.
  io_thread::clock::time_point rest_at_ = io_thread::clock::time_point::max();

  /// Null while the connection rests.
  std::unique_ptr<request_reader> reader_;
  bool reading_ = false;
  /// Whether the pending read has a buffer.
  bool receiving_ = false;
  bool body_begun_ = false;

  thread_preference preference_;
  /// Whether the pending read was ended for a move.
  bool is_moving_ = false;
  /// Whether input behind a request will be parsed in this turn.
  bool will_parse_ = false;
  /// Whether the client was once slow to read its answers.
  bool was_held_ = false;

  std::uint64_t exchange_number_ = 0;
  std::weak_ptr<std::function<void()>> tell_closed_;
  protocol::http_response (*make_abandoned_)() = nullptr;
  std::string peer_;
  bool is_local_ = false;
  bool keep_alive_ = true;
  bool chunked_ = true;

  write_queue queue_;
  /// Share of the budget of all connections, while a write is under way.
  std::unique_ptr<unsent_bytes::share> unsent_;
};

} // namespace troupe::net
